"""What tools are given in secret, and may repeat."""

import sys
from pathlib import Path

import pytest

from stdlib.connect.mcp import list_tools
from stdlib.connect.router import Router
from stdlib.connect.secrets import secrets_of
from stdlib.plan.expression import Const
from stdlib.plan.plan import Command, CommandArgument, Http, Invocation, Plan, Source, Stdio, Tool
from stdlib.runtime.fault import RunFault

pytestmark = pytest.mark.anyio

ENVIRON = {
    "GITHUB_TOKEN": "ghp_1234",
    "DATABASE_URL": "postgres://ada:pa%35w0rd@db/main",
    "BRANCH": "main",
    "AUTHORIZATION": "Bearer t0k3n-1",
    "PIN_KEY": "123",
}
TELLS = "import os, sys; sys.exit(os.environ['MY_TOKEN'] + ' is no token of ' + os.environ['MY_HOST'])"


@pytest.mark.parametrize(
    ("transport", "said", "told"),
    [
        (Stdio(command="x", env=("GITHUB_TOKEN",)), "bad ghp_1234", "bad ***"),
        (Command(program="x", env=("GITHUB_TOKEN",), invocations={}), "bad ghp_1234", "bad ***"),
        (Stdio(command="x", env=("GITHUB_TOKEN",)), "bad ghp_1… (80 more characters)", "bad ***… (80 more characters)"),
        (Stdio(command="x", env=("DATABASE_URL",)), "ada:pa%35w0rd@db refused", "ada:***@db refused"),
        (Stdio(command="x", env=("DATABASE_URL",)), "pa5w0rd refused", "*** refused"),
        (Stdio(command="x", env=("PIN_KEY",)), "only 123 of them", "only 123 of them"),
        (Stdio(command="x"), "bad ghp_1234", "bad ghp_1234"),
        (Http(url="https://x", headers={"Authorization": "env:AUTHORIZATION"}), "no t0k3n-1", "no ***"),
        (Http(url="https://x", headers={"Authorization": "env:AUTHORIZATION"}), "Bearer t0k3n-1?", "***?"),
        (Http(url="https://x", headers={"Authorization": "Bearer env:GITHUB_TOKEN"}), "no ghp_1234", "no ***"),
        (Http(url="https://x", headers={"X-Team": "sales"}), "no sales", "no sales"),
        (Http(url="https://x", headers={"X-Key": "env:ABSENT"}), "no ABSENT", "no ABSENT"),
    ],
)
def test_what_is_secret(transport: object, said: str, told: str):
    assert secrets_of(transport, ENVIRON).masked(said) == told


@pytest.mark.parametrize(
    "name",
    [
        "TS_AUTHKEY", "SSHKEY", "ACCESSKEY", "API_KEYS", "GITHUB_TOKENS", "AUTH_HEADER",
        "API_KEY", "APIKEY", "GITHUB_TOKEN", "GITHUBTOKEN", "PGPASSWORD", "DB_PASS", "GH_PAT", "SECRET_TWO",
        "BASIC_AUTH", "apiKey", "SLACK_WEBHOOK_URL", "SESSION_COOKIE", "JWT", "AWS_SESSION_TOKEN", "SSH_PRIVATE_KEY",
    ],
)  # fmt: skip
def test_variables_that_are_secret(name: str):
    assert secrets_of(Stdio(command="x", env=(name,)), {name: "abcd-1"}).masked("no abcd-1") == "no ***"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BRANCH", "main"), ("GIT_AUTHOR_NAME", "Alice"), ("AUTH_ENABLED", "true"), ("AUTH_METHOD", "oauth2"),
        ("MAX_TOKENS", "4096"), ("TOKEN_LIMIT", "4096"), ("MAX_TOKEN_COUNT", "many"),
        ("KEYCLOAK_REALM", "main"), ("KEY_PATH", "/etc/key"),
        ("MONKEYS", "many"), ("PATH", "/bin:/usr/bin"), ("COMPATIBLE", "with all"),
    ],
)  # fmt: skip
def test_variables_that_are_settings(name: str, value: str):
    assert secrets_of(Stdio(command="x", env=(name,)), {name: value}).masked(f"no {value}") == f"no {value}"


def test_digits_may_be_a_password():
    assert secrets_of(Stdio(command="x", env=("DB_PASSWORD",)), {"DB_PASSWORD": "20394857"}).masked("20394857") == "***"


ECHOES = """
import os
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("echoes")


@server.tool()
def look(word: str) -> str:
    if word == "fail":
        raise ToolError("bad token " + os.environ["MY_TOKEN"])
    return os.environ["MY_TOKEN"]


server.run()
"""


async def test_a_tool_that_fails_and_repeats_its_token(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("MY_TOKEN", "t0k3n-of-mine")
    transport = Stdio(command=sys.executable, args=("-c", ECHOES), env=("MY_TOKEN",))
    listed = await list_tools("s", transport, timeout=60)
    (tool,) = listed.tools
    known = Tool(name=tool.name, digest=tool.digest, input_schema=tool.input_schema)
    plan = Plan(name="p", version="1.0.0", sources={"s": Source(transport=transport, tools={"look": known})}, chains={})
    async with Router(plan, tmp_path) as tools:
        failed = await tools.call("s", "look", {"word": "fail"}, 60)
        assert failed.is_error
        assert "bad token ***" in failed.texts[0]
        assert "mine" not in failed.texts[0]
        result = await tools.call("s", "look", {"word": "x"}, 60)
        assert result.texts == ["t0k3n-of-mine"], "results are values"


async def test_a_program_that_repeats_its_token(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("MY_TOKEN", "t0k3n-of-mine")
    monkeypatch.setenv("MY_HOST", "this.host")
    words = tuple(CommandArgument(value=Const(value=word)) for word in ("-c", TELLS))
    command = Command(
        program=sys.executable, env=("MY_TOKEN", "MY_HOST"), invocations={"tell": Invocation(arguments=words)}
    )
    tool = Tool(name="tell", digest="d", input_schema={"type": "object"})
    plan = Plan(name="p", version="1.0.0", sources={"s": Source(transport=command, tools={"tell": tool})}, chains={})
    async with Router(plan, tmp_path) as tools:
        with pytest.raises(RunFault) as raised:
            await tools.call("s", "tell", {}, 20)
    assert "*** is no token of this.host" in raised.value.fault.message
    assert "mine" not in raised.value.fault.message


async def test_a_server_that_does_not_start_for_its_token(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MY_TOKEN", "t0k3n-of-mine")
    monkeypatch.setenv("MY_HOST", "this.host")
    transport = Stdio(command=sys.executable, args=("-c", TELLS), env=("MY_TOKEN", "MY_HOST"))
    with pytest.raises(RunFault) as raised:
        await list_tools("s", transport, timeout=20)
    assert "*** is no token of this.host" in raised.value.fault.message
