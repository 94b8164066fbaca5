"""Words of command lines of clients, and what is done where they cannot stand in a manifest."""

import pytest

from compiler.sources.clients.container import by_name
from compiler.sources.clients.remote import remote, remote_url
from compiler.sources.clients.words import by_a_shell, split

URL = "https://x.example/mcp"
HEADER = ["--header", "Authorization: Bearer ${A}"]


@pytest.mark.parametrize(
    ("command", "args"),
    [
        ("npx", ["mcp-remote", URL]),
        ("npx.cmd", ["-y", "mcp-remote@latest", URL]),
        ("cmd", ["/c", "npx", "-y", "mcp-remote", URL]),
        ("bunx", ["mcp-remote", URL]),
        ("pnpm", ["dlx", "mcp-remote@0.1.1", URL]),
        ("mcp-remote", [URL]),
    ],
)
def test_mcp_remote_is_found_however_it_is_started(command, args):
    found = remote(command, args + HEADER)
    assert found is not None
    assert (found.url, found.headers) == (URL, {"Authorization": "Bearer ${A}"})
    assert remote(command, args) is None  # it may be there to sign in
    assert remote_url(command, args) == URL


@pytest.mark.parametrize(
    ("command", "args"),
    [
        ("npx", ["other", URL]),
        ("npx", ["-p", "mcp-remote", "mcp-remote-client", URL]),
        ("npx", ["mcp-remote"]),
        ("mcp-remote", [URL, "--header", "no header"]),
    ],
)
def test_another_program_stays_one(command, args):
    assert remote(command, [*args, *HEADER]) is None


def test_options_of_mcp_remote_are_told_by_name():
    args = [URL, "--static-oauth-client-info", '{"client_secret": "s"}', "--transport", "sse-only", *HEADER]
    found = remote("mcp-remote", args)
    assert found is not None
    assert (found.dropped, found.is_sse) == (("`--static-oauth-client-info`", "`--transport`"), True)
    found = remote("mcp-remote", [URL, *HEADER, "3334", "--auth-timeout", "60"])
    assert found is not None
    assert found.dropped == ("the port", "`--auth-timeout`")


@pytest.mark.parametrize(
    ("args", "words", "variables"),
    [
        (["-e", "TOKEN=x", "i"], ["-e", "TOKEN", "i"], {"TOKEN": "x"}),
        (["-ie", "TOKEN=x", "i"], ["-ie", "TOKEN", "i"], {"TOKEN": "x"}),
        (["-eTOKEN=x", "i"], ["-eTOKEN", "i"], {"TOKEN": "x"}),
        (["--env", "TOKEN=x", "i"], ["--env", "TOKEN", "i"], {"TOKEN": "x"}),
        (["--env=TOKEN=x", "i"], ["--env=TOKEN", "i"], {"TOKEN": "x"}),
        (["-e", "TOKEN", "i"], ["-e", "TOKEN", "i"], {"TOKEN": None}),
        (["-e", "TZ=${input:tz}", "i"], ["-e", "TZ", "i"], {"TZ": "${input:tz}"}),
        (["-e", "DB=postgres://me:pw@db", "i"], ["-e", "DB", "i"], {"DB": "postgres://me:pw@db"}),
        (["-e", "TZ=UTC", "i"], ["-e", "TZ=UTC", "i"], {}),
        (["--entrypoint", "x", "i", "-e", "TOKEN=x"], ["--entrypoint", "x", "i", "-e", "TOKEN=x"], {}),
        (["--env-file", "x", "i"], ["--env-file", "x", "i"], {}),
    ],
)
def test_containers_take_variables_by_name(args, words, variables):
    assert by_name("docker", ["run", *args]) == (["run", *words], variables)
    assert by_name("other", ["run", *args]) == (["run", *args], {})


@pytest.mark.parametrize("command", ["npx", "/opt/My App/run", 'node "my file.js"', "a | b", "C:\\My App\\x.exe y"])
def test_a_command_is_parted_only_where_that_is_clear(command):
    assert split(command) == [command]


def test_where_there_is_no_shell_none_is_told():
    table = {"command": "cmd", "args": ["/c", "x", "secret"]}
    assert "sh" not in by_a_shell("a", table, [2])
    assert "sh" in by_a_shell("a", {**table, "command": "x"}, [2])
