"""Calls of Python functions."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import Any

import anyio
import pytest

from stdlib.connect import own_loop
from stdlib.connect.functions import load_functions
from stdlib.connect.router import Router
from stdlib.plan.plan import Plan, Python, Source, Tool
from stdlib.runtime.fault import Fault, RunFault

pytestmark = pytest.mark.anyio

MODULE = """
import asyncio, datetime, decimal, sys, threading, time
from dataclasses import dataclass
from pydantic import BaseModel

@dataclass
class Point:
    x: int
    y: int = 0

class Row(BaseModel):
    on: datetime.date
    price: decimal.Decimal

def scale(point: Point, by: int = 2) -> Point:
    return Point(point.x * by, point.y * by)
def rows(on: datetime.date) -> list[Row]:
    return [Row(on=on + datetime.timedelta(days=1), price=decimal.Decimal("1.10"))]
async def later(value: int) -> int:
    return value + 10**30
def where() -> bool:
    return threading.current_thread() is threading.main_thread()
def text() -> str:
    return "5"
def fails(secret: str) -> int:
    raise ValueError(f"cannot do\\n that")
def silent() -> int:
    raise KeyError
def lacks() -> int:
    return {}["zz"]
def asserts() -> int:
    assert 1 == 2
def divides() -> int:
    return 1 // 0
class Refused(ValueError): ...
def refuses() -> int:
    raise Refused("not today")
def leaves() -> int:
    sys.exit(1)
def interrupts() -> int:
    raise KeyboardInterrupt
def stops() -> int:
    raise StopIteration
async def leaves_later() -> int:
    raise SystemExit
def lies() -> int:
    return "many"
def infinite() -> float:
    return float("inf")
def sleeps(seconds: float) -> int:
    time.sleep(seconds)
    return 1
async def waits() -> int:
    import anyio
    await anyio.sleep(60)
    return 1
class Own(BaseException):
    pass
class Mute(Exception):
    def __str__(self):
        raise Own
    @property
    def __class__(self):
        raise Own
def raises_own() -> int:
    raise Own("of its own")
def is_mute() -> int:
    raise Mute("x")
def closes() -> int:
    raise GeneratorExit
def cancels() -> int:
    raise asyncio.CancelledError
def half() -> int:
    raise FileNotFoundError("\\udcff\\u202e.txt")
async def raises_own_later() -> int:
    raise Own("of its own")
async def is_mute_later() -> int:
    raise Mute("x")
async def closes_later() -> int:
    raise GeneratorExit
async def cancels_later() -> int:
    task = asyncio.ensure_future(asyncio.sleep(60))
    task.cancel()
    await task
    return 1
@dataclass
class Picky:
    x: int
    def __post_init__(self):
        raise Own("too picky")
def takes_picky(picky: Picky) -> int:
    return 1
def gives_picky() -> list[Picky]:
    return [{"x": 1}]
async def never_awaits(seconds: float) -> int:
    time.sleep(seconds)
    return 1
async def will_not_be_cancelled(seconds: float) -> int:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            await asyncio.sleep(0.05)
        except asyncio.CancelledError:
            pass
    return 1
shared = asyncio.Lock()
held = 0
async def takes_turns() -> int:
    global held
    async with shared:
        held += 1
        assert held == 1
        await asyncio.sleep(0.01)
        held -= 1
    return 1
async def cleans_up() -> int:
    global held
    try:
        await asyncio.sleep(60)
    finally:
        await asyncio.sleep(0.01)
        held = 100
    return 1
async def cleaned() -> int:
    return held
async def leaves_a_task_that_exits() -> int:
    async def leave():
        sys.exit(3)
    asyncio.ensure_future(leave())
    await asyncio.sleep(0.01)
    return 1
async def stops_its_loop() -> int:
    asyncio.get_running_loop().stop()
    return 1
def prints() -> int:
    print("noise")
    return 1
"""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def plan(folder: Path, text: str = MODULE) -> Plan:
    (folder / "m.py").write_text(text)
    found = load_functions(Python(file="m.py"), folder)
    tools = {
        each.name: Tool(
            name=each.name, input_schema=each.input_schema, output_schema=each.output_schema, digest=each.digest
        )
        for each in found.tools.values()
    }
    source = Source(kind="python", transport=Python(file="m.py"), tools=tools)
    return Plan(name="p", version="1.0.0", sources={"m": source})


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Plan, Path]:
    folder = tmp_path_factory.mktemp("python")
    return plan(folder), folder


async def value(made: tuple[Plan, Path], tool: str, timeout: float = 20, **arguments: Any) -> Any:
    async with Router(*made) as tools:
        return (await tools.call("m", tool, arguments, timeout)).structured


async def refused(made: tuple[Plan, Path], tool: str, timeout: float = 20, **arguments: Any) -> Fault:
    async with Router(*made) as tools:
        with pytest.raises(RunFault) as found:
            await tools.call("m", tool, arguments, timeout)
    return found.value.fault


async def test_values_are_converted_both_ways(made):
    assert await value(made, "scale", point={"x": 3}) == {"x": 6, "y": 0}
    assert await value(made, "scale", point={"x": 3, "y": 1}, by=10) == {"x": 30, "y": 10}
    assert await value(made, "rows", on="2026-02-28") == [{"on": "2026-03-01", "price": "1.10"}]
    assert await value(made, "text") == "5"


async def test_async_functions_are_awaited_and_others_run_beside_the_loop(made):
    assert await value(made, "later", value=10**30) == 2 * 10**30
    assert await value(made, "where") is False


@pytest.mark.parametrize(
    ("tool", "fault_class", "message"),
    [
        ("silent", "tool_error", "`m.silent` failed: KeyError"),
        ("lacks", "tool_error", "`m.lacks` failed: KeyError: 'zz'"),
        ("asserts", "tool_error", "`m.asserts` failed: AssertionError"),
        ("divides", "tool_error", "`m.divides` failed: ZeroDivisionError: integer division or modulo by zero"),
        ("refuses", "tool_error", "`m.refuses` failed: not today"),
        ("leaves", "tool_error", "`m.leaves` failed: it tried to end the program"),
        ("leaves_later", "tool_error", "`m.leaves_later` failed: it tried to end the program"),
        ("interrupts", "tool_error", "`m.interrupts` failed: it tried to end the program"),
        ("stops", "tool_error", "`m.stops` failed: StopIteration"),
        ("raises_own", "tool_error", "`m.raises_own` failed: of its own"),
        ("raises_own_later", "tool_error", "`m.raises_own_later` failed: of its own"),
        ("is_mute", "tool_error", "`m.is_mute` failed: Mute"),
        ("is_mute_later", "tool_error", "`m.is_mute_later` failed: Mute"),
        ("closes", "tool_error", "`m.closes` failed: GeneratorExit"),
        ("closes_later", "tool_error", "`m.closes_later` failed: GeneratorExit"),
        ("cancels", "tool_error", "`m.cancels` failed: CancelledError"),
        ("cancels_later", "tool_error", "`m.cancels_later` failed: CancelledError"),
        ("half", "tool_error", "`m.half` failed: FileNotFoundError: \ufffd.txt"),
        ("gives_picky", "shape_mismatch", "What `m.gives_picky` returned cannot be written as JSON."),
        ("lies", "shape_mismatch", "`m.lies` returned something else than its type says: input should be a valid"),
        ("infinite", "shape_mismatch", "What `m.infinite` returned cannot be written as JSON."),
    ],
)
async def test_what_goes_wrong_in_a_function_is_a_fault(made, tool, fault_class, message):
    fault = await refused(made, tool)
    assert fault.fault_class == fault_class
    assert fault.message.startswith(message)


async def test_an_exception_tells_its_message_and_the_log_the_rest(made, caplog):
    with caplog.at_level(logging.WARNING, "chainc.connect"):
        fault = await refused(made, "fails", secret="s3cr3t")
    assert fault.message == "`m.fails` failed: cannot do that"
    assert "Traceback" in caplog.text
    assert "m.py" in caplog.text
    assert "python.py" not in caplog.text
    assert not any(word in str(fault.to_json()) for word in ("Traceback", "m.py", str(made[1]), "s3cr3t"))


async def test_arguments_that_do_not_fit_never_reach_the_function(made):
    fault = await refused(made, "scale", point={"x": "many"})
    assert (fault.fault_class, fault.sent) == ("invalid_input", False)
    assert fault.message.startswith("The arguments of `m.scale` do not fit: `point.x`: input should be a valid")
    assert (await refused(made, "scale", point={"x": 1}, more=1)).fault_class == "invalid_input"


@pytest.mark.parametrize(("tool", "arguments"), [("sleeps", {"seconds": 5}), ("waits", {})])
async def test_a_call_ends_with_its_timeout(made, tool, arguments):
    started = time.monotonic()
    fault = await refused(made, tool, 0.5, **arguments)
    assert (fault.fault_class, fault.sent) == ("timeout", True)
    assert time.monotonic() - started < 3


async def test_what_reading_an_argument_raises_is_a_fault(made):
    fault = await refused(made, "takes_picky", picky={"x": 1})
    assert (fault.fault_class, fault.message) == ("tool_error", "`m.takes_picky` failed: too picky")


async def test_async_functions_share_a_loop_that_is_not_ours(made):
    async with Router(*made) as tools, anyio.create_task_group() as group:
        for _ in range(5):
            group.start_soon(tools.call, "m", "takes_turns", {}, 20)
        for ends in ("leaves_a_task_that_exits", "stops_its_loop"):
            assert (await tools.call("m", ends, {}, 20)).structured == 1
    assert await value(made, "takes_turns") == 1  # in the loop of another router


@pytest.mark.parametrize("tool", ["never_awaits", "will_not_be_cancelled"])
async def test_an_async_function_that_goes_on_holds_up_nobody(made, tool, monkeypatch):
    monkeypatch.setattr(own_loop, "GRACE", 0.2)
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await anyio.sleep(0.02)

    async with Router(*made) as tools, anyio.create_task_group() as group:
        group.start_soon(tick)
        started = time.monotonic()
        with pytest.raises(RunFault) as found:
            await tools.call("m", tool, {"seconds": 6}, 0.3)
        assert found.value.fault.fault_class == "timeout"
        assert (await tools.call("m", "later", {"value": 0}, 20)).structured == 10**30
        assert time.monotonic() - started < 5
        assert ticks > 5
        group.cancel_scope.cancel()


async def test_a_call_that_is_given_up_is_cleaned_up_before_its_fault(made, caplog):
    async with Router(*made) as tools:
        await tools.call("m", "later", {"value": 0}, 20)
        with pytest.raises(RunFault):
            await tools.call("m", "cleans_up", {}, 0.2)
        assert (await tools.call("m", "cleaned", {}, 20)).structured == 100
    assert caplog.text == ""


async def test_slow_functions_do_not_hold_up_others(made):
    started = time.monotonic()
    async with Router(*made) as tools, anyio.create_task_group() as group:
        for _ in range(8):
            group.start_soon(tools.call, "m", "sleeps", {"seconds": 0.3}, 20)
    assert time.monotonic() - started < 2


async def test_drift_is_found_at_the_first_call(tmp_path):
    made = plan(
        tmp_path, "def a(x: int, y: int) -> int: return x\ndef b() -> int: return 1\ndef c() -> int: return 1\n"
    )
    (tmp_path / "m.py").write_text("def a(x: int) -> int: return x\ndef b(): return 1\n")
    home = (made, tmp_path)
    fault = await refused(home, "a", x=1, y=2)
    assert (fault.fault_class, fault.message, fault.sent) == ("contract_drift", "`m.a` lost the input `y`.", False)
    told = "`m.b` is no tool any more: it does not say what it returns. Write `-> TYPE`."
    assert (await refused(home, "b")).message == told
    assert (await refused(home, "c")).message == "`m.c` is not offered any more."


async def test_a_module_that_cannot_be_loaded_is_unavailable(tmp_path):
    made = plan(tmp_path, "def a() -> int: return 1\n")
    (tmp_path / "m.py").write_text("import os\nimport no_such_module\n")
    fault = await refused((made, tmp_path), "a")
    assert (fault.fault_class, fault.sent) == ("unavailable", False)
    told = "The functions of `m` cannot be loaded: line 2: ModuleNotFoundError: No module named 'no_such_module'."
    assert fault.message == told
    assert not fault.retryable
    (tmp_path / "m.py").write_text("raise ConnectionError('not yet')\n")
    assert (await refused((made, tmp_path), "a")).retryable
    (tmp_path / "m.py").unlink()
    fault = await refused((made, tmp_path), "a")
    assert (fault.message, fault.retryable) == ("The functions of `m` cannot be loaded: there is no such file.", False)
    (tmp_path / "m.py").write_text("while True: pass")
    fault = await refused((made, tmp_path), "a", 0.5)
    assert (fault.fault_class, fault.message) == ("timeout", "`m.a` could not be loaded within 0.5 s.")
