"""Programs whose version nothing fixes are told, with the version that the lock knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compiler.sources.sync import sync
from dsl.diagnostics import Sink

from .test_load import MANIFEST, loaded, lock, offered, write

UNKNOWN = 'Name the one that was looked at: `"@acme/hub@VERSION"`. `npm view @acme/hub version` tells the newest.'
NPX = '[sources.github]\nmcp = { command = "npx", args = ["-y", "@acme/hub"] }\n'


def warned(root: Path, source: str, **changes: Any) -> list[tuple[str, str, str, str]]:
    chain = "chain one {\n  output integer = 1\n}\n"
    asked = {"command": "npx", "args": ["-y", "@acme/hub"]}
    locked = {"lock/github.json": lock(offered("get_issue"), **{"asked": asked, **changes})} if changes else {}
    write(root, {"chainc.toml": MANIFEST + source, "chains/a.chain": chain, **locked})
    told: list[tuple[str, str, str, str]] = loaded(root)[1]
    return told


def test_it_is_told_at_the_argument(tmp_path):
    message = "The package `@acme/hub` is fetched in whatever version there is when `github` starts."
    assert warned(tmp_path, NPX) == [("W0236", "chainc.toml:7", message, UNKNOWN)]
    sink = Sink()
    sync(tmp_path, ["none"], sink, write=False, ask=None)
    (found,) = (each for each in sink if each.code == "W0236")
    assert found.span is not None
    assert found.span.source.text[found.span.start : found.span.end] == '"@acme/hub"'


@pytest.mark.parametrize(
    ("changes", "hint"),
    [
        ({"server": {"name": "Hub", "version": "1.4.0"}}, UNKNOWN),  # of the server, not of its package
        (
            {"server": {"name": "Hub", "version": "9"}, "package": {"name": "@acme/hub", "version": "1.4.0"}},
            'Write `"@acme/hub@1.4.0"`: that version was locked.',
        ),
        ({"format": "other"}, UNKNOWN),
    ],
)
def test_the_version_that_the_lock_knows_is_shown(tmp_path, changes, hint):
    assert [each[3] for each in warned(tmp_path, NPX, **changes)] == [hint]


def test_each_kind_has_its_words(tmp_path):
    def told(words: str) -> tuple[str, str]:
        command, *args = words.split()
        found = warned(tmp_path, f"[sources.a]\nmcp = {{ command = '{command}', args = {args} }}\n")
        return (found[0][2].partition(" is fetched")[0], found[0][3]) if found else ("", "")

    looked = "Name the one that was looked at"
    assert told("docker run -i acme/hub:latest") == ("The image `acme/hub`", f'{looked}: `"acme/hub:TAG"`.')
    commit = f'{looked}: `"git+https://x.example/a@COMMIT"`.'
    assert told("uvx --from git+https://x.example/a@v1 b") == ("The repository `git+https://x.example/a`", commit)
    newest = "`pip index versions {}` tells the newest."
    assert told("uvx mcp-hub")[1] == f'{looked}: `"mcp-hub@VERSION"`. {newest.format("mcp-hub")}'
    assert told("uvx mcp-hub@1.2") == ("", "")
    second = f'{looked}: `"b@VERSION"`. `npm view b version` tells the newest.'
    assert told("npx -p a@1.0.0 -p b b") == ("The package `b`", second)
    extra = f'{looked}: `"mcp[cli]==VERSION"`. {newest.format("mcp")}'
    assert told("uv run --with mcp[cli] mcp run x.py") == ("The package `mcp`", extra)
    assert told("mcp-hub --serve") == ("", "")


def test_what_is_installed_there_is_taken_by_npx(tmp_path):
    write(tmp_path, {"node_modules/@acme/hub/package.json": "{}", "inside/x": ""})
    assert warned(tmp_path, NPX) == []
    assert warned(tmp_path, NPX.replace("] }", '], cwd = "inside" }')) == []
    assert [each[0] for each in warned(tmp_path, NPX.replace("hub", "other"))] == ["W0236"]
    assert [each[0] for each in warned(tmp_path, NPX.replace('"npx", args = [', '"pnpm", args = ["dlx", '))] == [
        "W0236"
    ]
    # It looks above the project, too.
    assert warned(tmp_path / "inside", NPX) == []
    both = NPX.replace('"-y", "@acme/hub"', '"-p", "@acme/hub", "-p", "more", "hub"')
    assert [each[2].partition(" is ")[0] for each in warned(tmp_path, both)] == ["The package `more`"]
