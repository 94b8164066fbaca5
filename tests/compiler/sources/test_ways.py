"""What changed in how a source is reached, in words."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from compiler.cli import main
from compiler.loader.lock_shape import service_digest
from compiler.sources.ways import changed_files, changed_keys, changed_service, changed_way
from tests.servers import scripted

from .openapi.documents import OK, document
from .projects import checked, project, synced

PROGRAM: dict[str, Any] = {"command": "x", "args": ["-a", "b c"], "env": ["A", "B"]}
REMOTE: dict[str, Any] = {"url": "https://x/mcp", "headers": {"Authorization": "env:A", "X": "y"}}
DOCUMENT: dict[str, Any] = {"document": "a.json", "base_url": "https://x", "auth": {"bearer": "env:A"}}


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (PROGRAM, PROGRAM, []),
        (PROGRAM, {**PROGRAM, "command": "y"}, ["its `command` is `y` now, not `x`"]),
        (PROGRAM, {**PROGRAM, "args": ["-a"]}, ["its `args` is `-a` now, not `-a 'b c'`"]),
        (PROGRAM, {"command": "x", "env": ["A", "B"]}, ["its `args` is left out now, which was `-a 'b c'`"]),
        (PROGRAM, {**PROGRAM, "cwd": "data\u202e"}, ["its `cwd` is `data\\u{202e}` now"]),
        (
            PROGRAM,
            {**PROGRAM, "env": ["B", "C"]},
            ["its program gets the variable `C` now", "its program does not get the variable `A` any more"],
        ),
        (PROGRAM, {**PROGRAM, "env": ["B", "A"]}, ["its `env` has another order"]),
        (PROGRAM, REMOTE, ["the manifest names its `url` now, `https://x/mcp`, not its `command`, `x`"]),
        (
            REMOTE,
            {"url": "https://y/mcp", "headers": {"Authorization": "env:B", "Z": "z"}},
            [
                "its `url` is `https://y/mcp` now, not `https://x/mcp`",
                "the header `Authorization` is `env:B` now, not `env:A`",
                "the header `Z` is `z` now",
                "the header `X` is left out now, which was `y`",
            ],
        ),
        (
            DOCUMENT,
            {**DOCUMENT, "auth": {"bearer": {"user": "env:B"}}},
            ['the credential `bearer` is `{"user": "env:B"}` now, not `env:A`'],
        ),
    ],
)
def test_how_a_source_is_reached(old: dict[str, Any], new: dict[str, Any], told: list[str]):
    assert list(changed_way(old, new)) == told


def test_what_the_manifest_changed_is_not_told_again_of_the_service():
    old = {"base_url": "https://x", "auth": {"k": {"variable": "A"}}, "auth_for_all": ["k"]}
    new = {"base_url": "https://y", "auth": {"k": {"variable": "B"}}}
    told = [
        "the address of its service is `https://y` now, not `https://x`",
        'the credential `k` is `{"variable": "B"}` now, not `{"variable": "A"}`',
        "`auth_for_all` of its service is left out now, which was `k`",
    ]
    assert list(changed_service(old, new, set())) == told
    assert list(changed_service(old, new, changed_keys(DOCUMENT, {**DOCUMENT, "base_url": "https://y"}))) == told[1:]
    assert list(changed_service(None, None, set())) == []


def test_files():
    assert list(changed_files({"a.py": "1", "b.py": "1", "c.py": "1"}, {"a.py": "1", "b.py": "2"}, False)) == [
        "`b.py` was edited, and its tools take and give the same",
        "it is not read from `c.py` any more",
    ]
    assert list(changed_files({"b.py": "1"}, {"b.py": "2"}, True)) == ["`b.py` was edited"]


def test_a_check_tells_each_change_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any):
    server = json.dumps([str(scripted.__file__), "{}"])
    way = f"[sources.a]\nmcp = {{ command = {json.dumps(sys.executable)}, args = {server} }}\n"
    project(tmp_path, {}, way)
    synced(tmp_path)
    project(tmp_path, {}, way.replace(" }\n", ', env = ["HOME"] }\n'))
    monkeypatch.chdir(tmp_path)
    assert main(["sync", "--check", "--trust"]) == 1
    output = "".join(capsys.readouterr())
    assert output.count("its program gets the variable `HOME` now") == 1
    assert main(["sync", "--trust", "--yes"]) == 0
    assert "  its program gets the variable `HOME` now\n" in "".join(capsys.readouterr())


def test_a_lock_that_does_not_count_is_not_up_to_date(tmp_path: Path):
    """What `check` refuses, `sync --check` tells and `sync` mends."""
    shop = document({"/a": {"get": {"operationId": "a", "responses": OK}}}, servers=[{"url": "https://a.example"}])
    chain = 'import shop from openapi "shop"\nchain one { step a = shop.a() output = a }\n'
    way = '[sources.shop]\nopenapi = { file = "shop.json" }\n'
    project(tmp_path, {"chains/a.chain": chain, "shop.json": json.dumps(shop)}, way)
    synced(tmp_path)
    path = tmp_path / "lock/shop.json"
    good = path.read_text()
    value = json.loads(good)
    del value["digest"]
    bare = {**value, "files": {}}
    for lock, why in (
        (value, "its lock keeps no digest of how its service is reached"),
        ({**bare, "digest": service_digest(bare)}, "its lock does not keep the files that it is read from"),
    ):
        path.write_text(json.dumps(lock))
        assert [code for code, _ in checked(tmp_path)] == ["E0221"]
        report, diagnostics = synced(tmp_path, check=True)
        assert ([each.outcome for each in report.sources], report.sources[0].about) == (["changed"], (why,))
        assert [(each.code, why in each.message) for each in diagnostics] == [("E0205", True)]
        synced(tmp_path)
        assert path.read_text() == good
