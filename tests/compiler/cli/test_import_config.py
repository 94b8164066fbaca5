"""`chainc import`: what other programs are configured with becomes sources, without a value and without a start."""

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

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
            "https://seven.example/mcp",
            (("Authorization", "Bearer env:SERVER_7TH_AUTHORIZATION"), ("X-Key", "env:KEY")),
        ),
        "old": HttpServer("https://old.example/sse", ()),
    }
    said = capsys.readouterr().err
    assert "`my files!` is called `my_files` here." in said
    assert "`7th` is called `server_7th` here." in said
    assert [line for line in said.splitlines() if line.startswith("  ")] == [
        "  export GITHUB_TOKEN=…  # `github`",
        '  export HOST="$MINE"  # `github`: there it was given the value of MINE',
        "  export SERVER_7TH_AUTHORIZATION=…  # `server_7th`: what stands behind `Bearer` in the header Authorization",
        "  export KEY=…  # `server_7th`: the header X-Key",
    ]
    assert "`old`: its URL ends in `/sse`, which is SSE, the older way" in said
    assert SECRET not in said + (folder / "chainc.toml").read_text("utf-8")


def test_what_the_client_asks_for_is_told(folder, capsys):
    variables = {"TOKEN": "${input:token}", "REGION": "${input:region}", "PIN": "${input:pin}"}
    server = {"command": "x", "env": variables}
    words = ["https://x.example/mcp", "--header", "Authorization:${AUTH}"]
    far = {"command": "mcp-remote", "args": words, "env": {"AUTH": "${input:token}"}}
    more = [
        {"type": "pickString", "id": "region", "options": ["eu", "us"], "default": "eu", "description": "Where"},
        {"type": "promptString", "id": "pin", "default": SECRET, "password": True},
    ]
    write(folder, {"inputs": INPUTS + more, "servers": {"a": server, "far": far}})
    assert main(["import", "vscode", "mcp.json"]) == 0
    said = capsys.readouterr().err
    assert re.search(r"export TOKEN=…  # `a`: A token.* of yours", said)
    assert "export REGION=eu  # `a`: Where\n  export PIN=…  # `a`\n" in said
    assert re.search(r"export AUTH=…  # `far`: the header Authorization; A token.* of yours", said)


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
    "a secret that is no container's": (
        {"command": "x", "args": ["-e", f"TOKEN={SECRET}"]},
        "argument 2 holds a secret",
    ),
    "a secret in a header": (
        {"command": "npx", "args": ["remote", "--header", f"Authorization: Bearer {SECRET}"]},
        "argument 3 holds a secret",
    ),
    "a secret in an address": ({"url": f"https://x.example/mcp?token={SECRET}"}, "`url` holds a secret"),
    "an input in an argument": ({"command": "x", "args": ["${input:token}"]}, "argument 1 has `${input:token}`"),
    "a variable in an address": ({"url": "https://${env:HOST}/mcp"}, "`url` has `${env:HOST}`"),
    "no command": ({"env": {"A": SECRET}}, "neither `command` nor `url`"),
    "another form": ({"type": "ws", "url": "https://x.example"}, "its type `ws`"),
    "another address": ({"url": "unix:///tmp/x"}, "`url` does not begin with `http://` or `https://` and a host"),
    "a variable without a name": ({"command": "x", "env": {"A B": SECRET}}, "`A B` in `env` cannot be the name of"),
    "a header without a name": ({"url": "https://x.example", "headers": {"A B": "c"}}, "`A B` in `headers` cannot be"),
    "no program": ({"command": ""}, "`command` is empty"),
    "arguments that are none": ({"command": "x", "args": SECRET}, "`args` is no list"),
    "numbers": ({"command": "x", "args": [7]}, "argument 1 is no text"),
    "no table": (SECRET, "no table of settings"),
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
        ("vscode", '{"mcpServers": {}}', "It looks like one of claude_desktop or cursor: write `claude_desktop` or"),
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


def imported(folder: Path, servers: Mapping[str, object], client: str = "cursor") -> tuple[int, dict[str, Any]]:
    """What the command returns, and the sources that it wrote."""
    write(folder, {"servers" if client == "vscode" else "mcpServers": servers})
    done = main(["import", client, "mcp.json"])
    written = tomllib.loads((folder / "chainc.toml").read_text("utf-8")).get("sources", {})
    assert list(manifest(folder).sources) == list(written)
    return done, {name: each["mcp"] for name, each in written.items()}


def test_a_disabled_server_is_a_note(folder, capsys):
    done, written = imported(folder, {"off": {"command": "x", "disabled": True, "args": 7}, "on": {"command": "y"}})
    assert (done, written) == (0, {"on": {"command": "y"}})
    assert "`off` is left out: it is disabled there." in capsys.readouterr().err


def test_mcp_remote_becomes_the_server_behind_it(folder, capsys):
    args = ["-y", "mcp-remote@0.1.37", "https://x.example/mcp", "--header", "Authorization:${AUTH}"]
    flags = ["9696", "--allow-http", "--transport", "http-first", "--header", "X-Mode: plain"]
    env = {"AUTH": f"Bearer {SECRET}", "NODE_OPTIONS": "-x"}
    done, written = imported(folder, {"far": {"command": "npx", "args": args + flags, "env": env}})
    assert done == 0
    headers = {"Authorization": "env:AUTH", "X-Mode": "plain"}
    assert written == {"far": {"url": "https://x.example/mcp", "headers": headers}}
    said = capsys.readouterr().err
    assert "`far`: it is reached without `mcp-remote`, over HTTP." in said
    assert "left out with `mcp-remote`: the port, `--allow-http`, `--transport`, the variable `NODE_OPTIONS`." in said
    assert "  export AUTH=…  # `far`: the header Authorization\n" in said
    assert SECRET not in said


def test_words_stay_before_the_variable_of_a_header(folder, capsys):
    args = ["mcp-remote", "https://x.example/sse", "--header", "Authorization: Bearer ${env:AUTH}"]
    done, written = imported(folder, {"far": {"command": "npx", "args": args, "env": {"AUTH": SECRET}}})
    assert done == 0
    assert written["far"]["headers"] == {"Authorization": "Bearer env:AUTH"}
    said = capsys.readouterr().err
    assert "export AUTH=…  # `far`: what stands behind `Bearer` in the header Authorization\n" in said
    assert "`far`: it is reached by SSE there, the older way" in said
    assert "left out with" not in said
    assert SECRET not in said


def test_mcp_remote_without_a_header_stays_because_it_may_sign_in(folder, capsys):
    server = {"command": "npx", "args": ["mcp-remote@0.1.37", "https://x.example/mcp"]}
    assert imported(folder, {"far": server}) == (0, {"far": server})
    assert '`mcp = { url = "https://x.example/mcp" }` is enough' in capsys.readouterr().err


def test_a_container_takes_secrets_by_name(folder, capsys):
    args = ["run", "-i", "--rm", "-e", f"TOKEN={SECRET}", "-e", "MODE=plain", "--env=KEY", "hub/x:1", "-e", "A=b"]
    done, written = imported(folder, {"box": {"command": "docker", "args": args}})
    assert done == 0
    taken = ["run", "-i", "--rm", "-e", "TOKEN", "-e", "MODE=plain", "--env=KEY", "hub/x:1", "-e", "A=b"]
    assert written == {"box": {"command": "docker", "args": taken, "env": ["TOKEN", "KEY"]}}
    said = capsys.readouterr().err
    assert "  export TOKEN=…  # `box`\n  export KEY=…  # `box`\n" in said
    assert SECRET not in said


def test_a_secret_in_an_argument_is_told_with_a_source_that_works(folder, capsys):
    args = ["--pool", "a b", f"postgresql://me:{SECRET}@db/x", "--api-key", SECRET, f"--token={SECRET}", "${input:id}"]
    write(folder, {"mcpServers": {"db": {"command": "pg", "args": args, "env": {"TZ": "UTC"}, "cwd": "."}}})
    assert main(["import", "cursor", "mcp.json"]) == 1
    said = capsys.readouterr().err
    assert SECRET not in said
    assert "If the program can read it from a variable, name that in `env` and leave the argument away." in said
    text = "".join(f"{line[2:]}\n" for line in said.splitlines() if line.startswith(("  [", "  mcp")))
    (folder / "chainc.toml").write_text((folder / "chainc.toml").read_text() + text)
    line = """exec pg --pool 'a b' "$DB_ARGUMENT_3" --api-key "$DB_API_KEY" --token="$DB_TOKEN" "$DB_ARGUMENT_7\""""
    names = ("TZ", "DB_ARGUMENT_3", "DB_API_KEY", "DB_TOKEN", "DB_ARGUMENT_7")
    assert manifest(folder).sources["db"].transport == StdioServer("sh", ("-c", line), names, ".")


def test_plain_values_are_shown_and_plain_headers_kept(folder, capsys):
    headers = {"X-MCP-Readonly": "true", "X-Number": 7, "X-Says": "env:A", "Authorization": "Bearer ${env:MINE}"}
    headers |= {"X-Auth": "token ${input:a}", "X-Two": "a=${env:A}"}
    done, written = imported(
        folder,
        {
            "a": {"command": "a", "env": {"TZ": "UTC", "LOG": "very loud", "PORT": 80, "GITHUB_TOKEN": SECRET}},
            "b": {"command": "b", "env": {"TZ": "CET", "GITHUB_TOKEN": SECRET}},
            "c": {"url": "https://c.example/mcp", "headers": headers},
        },
    )
    assert done == 0
    assert written["c"] == {
        "url": "https://c.example/mcp",
        "headers": {
            "X-MCP-Readonly": "true",
            "X-Number": "7",
            "X-Says": "env:C_X_SAYS",
            "Authorization": "Bearer env:MINE",
            "X-Auth": "token env:C_X_AUTH",
            "X-Two": "env:C_X_TWO",
        },
    }
    said = capsys.readouterr().err
    assert [line for line in said.splitlines() if line.startswith("  ")] == [
        "  export TZ=…  # `a`, `b`; their values differ there, here one is for all",
        "  export LOG='very loud'  # `a`",
        "  export PORT=80  # `a`",
        "  export GITHUB_TOKEN=…  # `a`, `b`",
        "  export C_X_SAYS=…  # `c`: the whole header X-Says",
        "  export MINE=…  # `c`: what stands behind `Bearer` in the header Authorization",
        "  export C_X_AUTH=…  # `c`: what stands behind `token` in the header X-Auth",
        "  export C_X_TWO=…  # `c`: the whole header X-Two",
    ]
    assert SECRET not in said


def test_a_command_with_blanks_is_parted_where_that_is_clear(folder, capsys):
    servers = {"a": {"command": "npx -y @a/b@1.0.0", "args": ["c d"]}, "b": {"command": "/opt/My App/run"}}
    done, written = imported(folder, servers)
    assert done == 0
    assert written == {
        "a": {"command": "npx", "args": ["-y", "@a/b@1.0.0", "c d"]},
        "b": {"command": "/opt/My App/run"},
    }
    said = capsys.readouterr().err
    assert "`a`: its command has blanks: `npx` is the program, the rest are arguments." in said
    assert "`b`: its command has blanks: if they begin arguments, write those in `args`." in said


def test_a_name_stays_whatever_comes_before_it_and_none_differs_in_case_alone(folder, capsys):
    called = ["my-srv", "My_Srv", "my_srv", "Other", "free"]
    servers = {each: {"command": each} for each in called}
    done, written = imported(folder, servers)
    assert done == 0
    assert {name: each["command"] for name, each in written.items()} == {
        "my_srv_3": "my-srv",
        "My_Srv": "My_Srv",
        "my_srv_2": "my_srv",
        "Other": "Other",
        "free": "free",
    }
    assert imported(folder, servers) == (0, written)
    assert imported(folder, {"other": {"command": "o"}})[1]["other_2"] == {"command": "o"}


def test_what_a_file_of_variables_needs_is_told(folder, capsys):
    assert imported(folder, {"a": {"command": "a", "envFile": "${workspaceFolder}/my.env"}}, "vscode")[0] == 0
    told = "name the variables that it needs in `env`, and load the file by `set -a; . ./my.env; set +a`."
    assert told in capsys.readouterr().err
