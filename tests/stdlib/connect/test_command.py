"""Calls of programs: real ones, in a folder of their own."""

from __future__ import annotations

import errno
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import anyio
import pytest

from stdlib.connect.process import stays
from stdlib.connect.router import Router
from stdlib.plan import expression as e
from stdlib.plan.plan import Command, CommandArgument, Invocation, Limits, Network, Plan, Source, Tool
from stdlib.runtime.fault import Fault, RunFault

pytestmark = pytest.mark.anyio

SCRIPT = """
import json, os, signal, subprocess, sys, time
do, *rest = sys.argv[1:]
if do == "argv": print(json.dumps(rest))
if do == "stdin": sys.stdout.write(sys.stdin.read())
if do == "environ": print(json.dumps(dict(os.environ)))
if do == "cwd": print(os.getcwd())
if do == "exit": print("half"); print("went\\x1b[31m wrong", file=sys.stderr); sys.exit(int(rest[0]))
if do == "kill": os.kill(os.getpid(), signal.SIGKILL)
if do == "many": print("x" * int(rest[0]), flush=True); time.sleep(60 if len(rest) > 1 else 0)
if do == "endless":
    while True: print("y" * 1000)
if do == "errors": print("e" * 10_000_000, file=sys.stderr); sys.exit(1)
if do == "bytes": sys.stdout.buffer.write(b"a\\xff\\xfeb")
if do == "sleep": print(os.getpid(), flush=True); time.sleep(60)
if do == "children":
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    open(rest[0], "w").write(str(child.pid))
    if len(rest) > 1: time.sleep(60)
if do == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN); open(rest[0], "w").write(str(os.getpid())); time.sleep(60)
"""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("command") / "script.py"
    path.write_text(SCRIPT)
    return path


def plan(script: Path, *arguments: CommandArgument, stdin: e.Expression | None = None, **more: Any) -> Plan:
    start = [CommandArgument(value=e.Const(value=str(script)))]
    command = Command(
        program=more.pop("program", sys.executable),
        invocations={"t": Invocation(arguments=(*start, *arguments), stdin=stdin)},
        **more.pop("command", {}),
    )
    properties = {"a": {}, "b": {"default": "given"}, "many": {}}
    tool = Tool(name="t", input_schema={"type": "object", "properties": properties}, digest="")
    source = Source(kind="command", transport=command, tools={"t": tool})
    return Plan(name="p", version="1.0.0", sources={"x": source}, limits=Limits(**more))


def words(*texts: str) -> list[CommandArgument]:
    return [CommandArgument(value=e.Const(value=text)) for text in texts]


async def out(plan: Plan, timeout: float = 20, **arguments: Any) -> str:
    async with Router(plan, Path(".")) as tools:
        answer = await tools.call("x", "t", arguments, timeout)
    (text,) = answer.texts
    return text


async def refused(plan: Plan, timeout: float = 20, **arguments: Any) -> Fault:
    async with Router(plan, Path(".")) as tools:
        with pytest.raises(RunFault) as found:
            await tools.call("x", "t", arguments, timeout)
    return found.value.fault


NASTY = [
    "$(touch pwned)",
    "`id`",
    "; rm -rf .",
    "a b",
    "",
    "*",
    "'\"\\",
    "\n",
    "é\U0001f600",
    "%PATH%",
    "&&",
    "|",
    ">x",
]


async def test_arguments_arrive_as_they_are_one_by_one(script):
    made = plan(script, *words("argv"), CommandArgument(value=e.Ref(name="many"), spread=True, guarded=True))
    assert await out(made, many=NASTY) == json.dumps(NASTY) + "\n"
    assert not Path("pwned").exists()


async def test_parameters_that_are_left_out_have_their_default(script):
    made = plan(
        script,
        *words("argv"),
        CommandArgument(value=e.Ref(name="b")),
        CommandArgument(
            value=e.If(
                condition=e.Compare(op="==", left=e.Ref(name="a"), right=e.Const(value=None), on="json"),
                then=e.Const(value="none"),
                otherwise=e.Const(value="some"),
            )
        ),
    )
    assert await out(made) == '["given", "none"]\n'
    assert await out(made, a=1, b="x") == '["x", "some"]\n'


@pytest.mark.parametrize("text", ["-rf", "--output=/etc/passwd", "-"])
async def test_what_might_become_an_option_is_refused(script, text):
    one = plan(script, *words("argv"), CommandArgument(value=e.Ref(name="a"), guarded=True))
    many = plan(script, *words("argv"), CommandArgument(value=e.Ref(name="many"), spread=True, guarded=True))
    for fault in (await refused(one, a=text), await refused(many, many=["x", text])):
        assert (fault.fault_class, fault.sent) == ("invalid_input", False)
        assert "begins with `-`" in fault.message
    behind = plan(script, *words("argv", "--"), CommandArgument(value=e.Ref(name="a")))
    assert await out(behind, a=text) == f'["--", "{text}"]\n'


async def test_a_null_character_is_refused(script):
    fault = await refused(plan(script, *words("argv"), CommandArgument(value=e.Ref(name="a"))), a="x\0y")
    assert (fault.fault_class, fault.sent) == ("invalid_input", False)


@pytest.mark.parametrize(
    ("given", "seen"), [("two\nlines", "two\nlines"), ({"a": [1, "é"]}, '{"a":[1,"é"]}'), (None, ""), (True, "true")]
)
async def test_standard_input(script, given, seen):
    assert await out(plan(script, *words("stdin"), stdin=e.Ref(name="a")), a=given) == seen


async def test_much_input_of_a_program_that_reads_none_is_no_problem(script):
    assert await out(plan(script, *words("argv"), stdin=e.Ref(name="a")), a="x" * 5_000_000) == "[]\n"


async def test_it_sees_few_variables_and_the_named_ones(script, monkeypatch):
    monkeypatch.setenv("SECRET_OF_OURS", "1")
    monkeypatch.setenv("MEANT_FOR_IT", "2")
    made = plan(script, *words("environ"), command={"env": ("MEANT_FOR_IT", "NOT_SET")})
    seen = json.loads(await out(made))
    assert "SECRET_OF_OURS" not in seen
    assert "NOT_SET" not in seen
    assert (seen["MEANT_FOR_IT"], seen["PATH"]) == ("2", os.environ["PATH"])


async def test_it_runs_in_its_folder(script, tmp_path):
    def starting(cwd: str) -> Plan:
        made = plan(script, *words("cwd"), command={"cwd": cwd})
        return made.model_copy(update={"network": Network(roots=(str(tmp_path / "open"),))})

    (tmp_path / "open/inside").mkdir(parents=True)
    (tmp_path / "open/out").symlink_to(tmp_path)
    assert await out(starting(str(tmp_path / "open/inside"))) == f"{tmp_path}/open/inside\n"
    fault = await refused(starting(str(tmp_path / "open/gone")))
    assert (fault.fault_class, fault.sent) == ("unavailable", False)
    for cwd in (str(tmp_path), str(tmp_path / "open/out"), "/"):
        fault = await refused(starting(cwd))
        assert (fault.fault_class, fault.sent) == ("denied", False)


async def test_an_exit_code_is_an_error_with_what_was_said(script):
    fault = await refused(plan(script, *words("exit", "3")))
    assert fault.fault_class == "tool_error"
    assert fault.message == "`x.t` ended with exit code 3: went [31m wrong"
    assert fault.details == {"exit_code": 3}
    assert (await refused(plan(script, *words("kill")))).message == "`x.t` was ended by signal 9."
    fault = await refused(plan(script, *words("errors")))
    assert len(fault.message) < 2000


async def test_bytes_that_are_no_text_are_replaced_and_the_log_says_so(script, caplog):
    assert await out(plan(script, *words("bytes"))) == "a\ufffd\ufffdb"
    told = "`x.t` wrote bytes that are no UTF-8, the first at 1: each is read as U+FFFD"
    assert told in [each.getMessage() for each in caplog.records]


@pytest.mark.parametrize("do", [("many", "2000"), ("many", "2000", "stay"), ("endless",)])
async def test_too_much_output_is_refused_and_the_program_ended(script, do):
    started = time.monotonic()
    fault = await refused(plan(script, *words(*do), result_bytes=1000))
    assert (fault.fault_class, fault.message) == ("result_too_large", "`x.t` wrote more than 1000 bytes.")
    assert time.monotonic() - started < 10
    assert len(await out(plan(script, *words("many", "999"), result_bytes=1000))) == 1000


async def test_a_program_that_is_not_there(script):
    fault = await refused(plan(script, program="no-such-program-here"))
    assert (fault.fault_class, fault.sent) == ("unavailable", False)
    assert fault.message == "The program `no-such-program-here` of `x` is not installed."
    told = "Install `no-such-program-here` where the chain runs: it is looked for on PATH."
    assert fault.next == told
    fault = await refused(plan(script, program="./no/such"))
    assert fault.message == "The program `./no/such` of `x` cannot be started: No such file or directory."
    assert not fault.retryable
    assert not stays(OSError(errno.EMFILE, "Too many open files"))


async def test_a_timeout_ends_the_program(script):
    started = time.monotonic()
    fault = await refused(plan(script, *words("sleep")), 0.5)
    assert (fault.fault_class, fault.sent) == ("timeout", True)
    assert fault.message == "`x.t` did not end within 0.5 s."
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("do", ["children", "stubborn"])
async def test_a_timeout_ends_all_that_it_started(script, tmp_path, do):
    file = tmp_path / "pid"
    await refused(plan(script, *words(do, str(file), "stay")), 1.5)
    assert await _gone(int(file.read_text()))


async def test_what_it_leaves_behind_is_ended_and_waited_for_by_nobody(script, tmp_path):
    file = tmp_path / "pid"
    started = time.monotonic()
    assert await out(plan(script, *words("children", str(file)))) == ""
    assert time.monotonic() - started < 5
    assert await _gone(int(file.read_text()))


async def _gone(pid: int) -> bool:
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        status = Path(f"/proc/{pid}/stat")
        if status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        await anyio.sleep(0.02)
    return False
