"""`chainc import`: what other programs are configured with becomes sources, without a value and without a start."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from compiler.cli import main
from compiler.loader.files import Folder
from compiler.loader.manifest import read_manifest
from compiler.project import HttpServer, StdioServer
from dsl.diagnostics import Sink

SECRET = "hunter2-is-secret"
SERVERS = {
    "github": {
        "command": "npx",
        "args": ["-y", "@acme/github"],
        "env": {"GITHUB_TOKEN": SECRET, "HOST": "${env:MINE}"},
    },
    "my files!": {
        "type": "stdio",
        "command": "files",
        "args": ["${workspaceFolder}/data"],
        "cwd": "${workspaceFolder}",
    },
    "7th": {
        "url": "https://seven.example/mcp",
        "headers": {"Authorization": f"Bearer {SECRET}", "X-Key": "${env:KEY}"},
    },
    "old": {"type": "sse", "url": "https://old.example/sse", "disabled": False},
}
INPUTS = [{"type": "promptString", "id": "token", "description": "A token\u202e of yours", "password": True}]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "My Project").mkdir()
    monkeypatch.chdir(tmp_path / "My Project")
    return tmp_path / "My Project"


def write(folder: Path, value: object, name: str = "mcp.json") -> None:
    (folder / name).write_text(json.dumps(value), "utf-8")


def manifest(folder: Path):
    sink = Sink()
    found = read_manifest(Folder(folder), sink)
    assert [each.message for each in sink] == []
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("client", "wrapped"),
    [
        ("claude_desktop", {"mcpServers": SERVERS}),
        ("cursor", {"mcpServers": SERVERS}),
        ("vscode", {"servers": SERVERS, "inputs": INPUTS}),
        ("vscode", {"editor.tabSize": 2, "mcp": {"servers": SERVERS, "inputs": INPUTS}}),
    ],
)
def test_servers_of_every_client_become_sources_of_a_new_manifest(folder, capsys, client, wrapped):
    write(folder, wrapped)
    assert main(["import", client, "mcp.json"]) == 0
    found = manifest(folder)
    assert found.settings.name == "my-project"
    assert {name: each.transport for name, each in found.sources.items()} == {
        "github": StdioServer("npx", ("-y", "@acme/github"), ("GITHUB_TOKEN", "HOST"), None),
        "my_files": StdioServer("files", ("./data",), (), None),
        "server_7th": HttpServer(
            "https://seven.example/mcp", (("Authorization", "env:SERVER_7TH_AUTHORIZATION"), ("X-Key", "env:KEY"))
        ),
        "old": HttpServer("https://old.example/sse", ()),
    }
    said = capsys.readouterr().err
    assert "`my files!` is called `my_files` here." in said
    assert "`7th` is called `server_7th` here." in said
    variables = [line.split()[0] for line in said.splitlines() if line.startswith("  ")]
    assert variables == ["GITHUB_TOKEN", "HOST", "SERVER_7TH_AUTHORIZATION", "KEY"]
    assert "there it was given the value of MINE" in said
    assert "`old`: it is reached by SSE there" in said
    assert SECRET not in said + (folder / "chainc.toml").read_text("utf-8")


def test_what_the_client_asks_for_is_told(folder, capsys):
    server = {"command": "x", "env": {"TOKEN": "${input:token}"}}
    write(folder, {"inputs": INPUTS, "servers": {"a": server}})
    assert main(["import", "vscode", "mcp.json"]) == 0
    assert re.search(r"TOKEN +\(`a`: A token.* of yours\)", capsys.readouterr().err)


def test_a_package_without_a_version_is_told(folder, capsys):
    servers = {"a": SERVERS["github"], "b": {"command": "uvx", "args": ["hub@1.2"]}}
    write(folder, {"mcpServers": servers})
    assert main(["import", "cursor", "mcp.json"]) == 0
    said = capsys.readouterr().err
    what = "the package `@acme/github` is fetched in whatever version there is when it starts"
    assert f'`a`: {what}: name the one that was looked at in `args`, `"@acme/github@VERSION"`.' in said
    assert "`b`" not in said
    (folder / "node_modules" / "@acme" / "github").mkdir(parents=True)
    (folder / "node_modules" / "@acme" / "github" / "package.json").write_text("{}")
    assert main(["import", "cursor", "mcp.json"]) == 0
    assert "is fetched" not in capsys.readouterr().err


def test_a_manifest_keeps_what_it_has(folder, capsys):
    text = '# mine\n[project]\nname = "p" # it\nversion = "1.0.0"\nlanguage = "1"\n\n'
    text += '[sources.github]\nmcp = { command = "other" }\n'
    (folder / "chainc.toml").write_text(text)
    (folder / "chainc.toml").chmod(0o600)
    write(folder, {"mcpServers": SERVERS})
    assert main(["import", "cursor", "mcp.json"]) == 1
    assert "`github` is left out: there is another source `github`." in capsys.readouterr().err
    made = (folder / "chainc.toml").read_text()
    assert made.startswith(text)
    assert list(manifest(folder).sources) == ["github", "my_files", "server_7th", "old"]
    assert (folder / "chainc.toml").stat().st_mode & 0o777 == 0o600
    main(["import", "cursor", "mcp.json"])
    assert (folder / "chainc.toml").read_text() == made
    assert "`old` is there already." in capsys.readouterr().err


def test_a_dry_run_prints_what_would_be_added_and_writes_nothing(folder, capsys):
    write(folder, {"mcpServers": {"a": SERVERS["github"]}})
    assert main(["import", "claude_desktop", "mcp.json", "--dry-run"]) == 0
    printed = capsys.readouterr().out
    assert not (folder / "chainc.toml").exists()
    main(["import", "claude_desktop", "mcp.json"])
    assert (folder / "chainc.toml").read_text() == printed
    write(folder, {"mcpServers": {"b": {"command": "b"}}})
    capsys.readouterr()
    main(["import", "claude_desktop", "mcp.json", "--dry-run"])
    assert tomllib.loads(capsys.readouterr().out) == {"sources": {"b": {"mcp": {"command": "b"}}}}


REFUSED = {
    "a secret in an argument": ({"command": "x", "args": ["--api-key", SECRET]}, "argument 2 holds a secret"),
    "a secret of a container": ({"command": "docker", "args": ["-e", f"TOKEN={SECRET}"]}, "argument 2 holds a secret"),
    "a secret in a header": (
        {"command": "npx", "args": ["remote", "--header", f"Authorization: Bearer {SECRET}"]},
        "argument 3 holds a secret",
    ),
    "a secret in an address": ({"url": f"https://x.example/mcp?token={SECRET}"}, "`url` holds a secret"),
    "an input in an argument": ({"command": "x", "args": ["${input:token}"]}, "argument 1 has `${input:token}`"),
    "a variable in an address": ({"url": "https://${env:HOST}/mcp"}, "`url` has `${env:HOST}`"),
    "no command": ({"env": {"A": SECRET}}, "neither `command` nor `url`"),
    "another form": ({"type": "ws", "url": "https://x.example"}, "its type `ws`"),
    "another address": ({"url": "unix:///tmp/x"}, "`url` is not as it must be"),
    "a variable without a name": ({"command": "x", "env": {"A B": SECRET}}, "`env` is not as it must be"),
    "arguments that are none": ({"command": "x", "args": SECRET}, "`args` is no list"),
    "numbers": ({"command": "x", "args": [7]}, "argument 1 is no text"),
    "no table": (SECRET, "no table of settings"),
    "disabled": ({"command": "x", "disabled": True}, "disabled there"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_taken_is_told_and_the_others_are(folder, capsys, what):
    server, why = REFUSED[what]
    write(folder, {"mcpServers": {"bad": server, "good": {"command": "good"}}})
    assert main(["import", "cursor", "mcp.json"]) == 1
    said = capsys.readouterr().err
    assert "`bad` is left out: " in said
    assert why in said
    assert list(manifest(folder).sources) == ["good"]
    assert SECRET not in said + (folder / "chainc.toml").read_text("utf-8")


@pytest.mark.parametrize(
    ("client", "text", "told"),
    [
        ("cursor", "{", "no JSON"),
        ("cursor", '{"servers": {}}', "It looks like one of vscode"),
        ("vscode", '{"mcpServers": {}}', "It looks like one of claude_desktop"),
        ("vscode", "[]", "it has no `servers` or `mcp.servers`"),
        ("vscode", '{"servers": {"a": {}, "a": {}}}', "twice"),
        ("nano", "{}", "no client `nano`"),
    ],
)
def test_what_is_no_configuration_is_wrong_usage(folder, capsys, client, text, told):
    (folder / "mcp.json").write_text(text)
    assert main(["import", client, "mcp.json"]) == 2
    assert told in capsys.readouterr().err
    assert not (folder / "chainc.toml").exists()


def test_a_file_that_is_not_there(folder, capsys):
    assert main(["import", "cursor", "nothing.json"]) == 2
    assert capsys.readouterr().err == "chainc: there is no file `nothing.json`.\n"


def test_a_folder_outside_of_the_project_is_told_with_what_allows_it(folder, capsys):
    there = [str(folder.parent / "data"), "${workspaceFolder}/../data", "/opt/x", "${workspaceFolder}/sub", "../data/y"]
    (folder.parent / "data").mkdir()
    write(folder, {"servers": {f"s{n}": {"command": "x", "cwd": cwd} for n, cwd in enumerate(there)}})
    assert main(["import", "vscode", "mcp.json"]) == 1
    said = capsys.readouterr().err
    assert [line.split(":")[0] for line in said.splitlines() if "is not allowed here" in line] == ["`s0`", "`s2`"]
    assert f'chainc.toml:\n  [allow]\n  roots = [".", "{there[0]}", "/opt/x"]\n' in said
    text = (folder / "chainc.toml").read_text()
    assert "allow" not in text  # a foreign configuration opens no folder by itself
    sink = Sink()
    assert read_manifest(Folder(folder), sink) is not None
    assert {each.code for each in sink} == {"E0235"}
    (folder / "chainc.toml").write_text(text + said.partition("chainc.toml:\n")[2].partition("Next")[0])
    assert main(["import", "vscode", "mcp.json"]) == 0
    assert set(manifest(folder).sources) == {"s0", "s1", "s2", "s3", "s4"}
