"""What the runtime adds to the calls of a chain: `python -m tests.bench.overhead [--steps N] [--repeat N]`.

A chain of steps that do nothing, compiled and run as a user's is, beside code written by hand that calls the same
functions and reads the same results. Both take turns in one process, because machines differ and a ratio does not.

The functions are Python's (called in threads, as a loop that others share must; and coroutines), and those of a server
over stdio, which the code by hand calls with the client of the official SDK, whose check of results it keeps.
"""

import argparse
import asyncio
import gc
import json
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from compiler import driver
from compiler.cli.servers import at_home
from compiler.sources.sync import sync
from dsl.diagnostics import Sink
from stdlib.connect.router import Router
from stdlib.runtime.load import load_plan
from stdlib.runtime.run import run_chain
from stdlib.runtime.store.memory import MemoryStore
from tests.bench import steps

GOAL: Final = 1.10
"""Most times what code written by hand takes, over stdio, one call after the other."""

THREADS, COROUTINES, STDIO = "functions in threads", "coroutines", "a server over stdio"
IN_TURN, AT_ONCE = "one after the other", "all at once"

TOOLS: Final = {THREADS: "here.same", COROUTINES: "here.same_later", STDIO: "there.same"}
"""The tool of each peer."""

Case = tuple[str, str]
"""What is called, and in which order."""

Work = Callable[[int], Awaitable[object]]
"""Calls all steps with a number; gives what the last one gave, or where all ran at once, what each gave."""


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds of one round: on the wall, and CPU of this process."""

    wall: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Row:
    """Rounds of a chain and of the code by hand, in pairs that ran next to each other."""

    steps: int
    chain: tuple[Took, ...]
    hand: tuple[Took, ...]

    def each(self, rounds: Sequence[Took]) -> tuple[float, float]:
        """Microseconds of one step, wall and CPU; medians."""
        scale = 1e6 / self.steps
        return median(one.wall for one in rounds) * scale, median(one.cpu for one in rounds) * scale

    @property
    def ratio(self) -> tuple[float, float]:
        """How many times the hand-written code's time the chain takes, wall and CPU; medians of the pairs."""
        pairs = list(zip(self.chain, self.hand, strict=True))
        return median(a.wall / b.wall for a, b in pairs), median(a.cpu / b.cpu for a, b in pairs)


# ------------------------------------------------------------------ the chains


def project(root: Path, count: int) -> Path:
    """A project with a chain for each case, its sources locked."""
    (root / "lib").mkdir()
    shutil.copy(steps.__file__, root / "lib" / "steps.py")
    server = f"mcp = {{ command = {json.dumps(sys.executable)}, args = [{json.dumps(steps.__file__)}] }}"
    (root / "chainc.toml").write_text(
        '[project]\nname = "overhead"\nversion = "1.0.0"\nlanguage = "1"\nchains = ["*.chain"]\n'
        f'[sources.here]\npython = {{ file = "lib/steps.py" }}\n[sources.there]\n{server}\n'
    )
    reads = " { effects read_only, idempotent }\n"
    head = (
        f'import here from python "here" {{\n  tool same{reads}  tool same_later{reads}}}\n'
        f'import there from mcp "there" {{\n  tool same{reads}}}\n'
    )
    chains = [_chain(peer, order, count) for peer, order in _cases()]
    (root / "steps.chain").write_text(head + "".join(chains))
    sink = Sink()
    sync(root, (), sink, write=True, ask=None)
    _no_mistake(sink)
    return root


def _chain(peer: str, order: str, count: int) -> str:
    """Steps s1, s2, …: each calls with what the one before gave, or all with the input. A number alone comes from the
    server as the field `result`."""
    gave = ".result" if peer == STDIO else ""
    lines = [f"chain {name((peer, order))} {{", "  input value: integer"]
    for number in range(1, count + 1):
        given = f"s{number - 1}{gave}" if order == IN_TURN and number > 1 else "value"
        lines.append(f"  step s{number} = {TOOLS[peer]}(value: {given})")
    every = ", ".join(f"s{number}{gave}" for number in range(1, count + 1))
    output = f"integer = s{count}{gave}" if order == IN_TURN else f"list<integer> = [{every}]"
    return "\n".join([*lines, f"  output {output}", "}", ""])


def name(case: Case) -> str:
    """What the chain of a case is called."""
    peer, order = case
    return f"{TOOLS[peer].replace('.', '_')}_{'in_turn' if order == IN_TURN else 'at_once'}"


def _no_mistake(sink: Sink) -> None:
    if sink.has_errors:
        raise AssertionError(f"the chains are not in order: {[each.message for each in sink]}")


@asynccontextmanager
async def chains(root: Path) -> AsyncGenerator[dict[Case, Work]]:
    """The chains of the project, over connections that stay open."""
    sink = Sink()
    made = driver.plan(root, sink)
    _no_mistake(sink)
    assert made is not None
    plan = at_home(made[0], root)
    loaded, store = load_plan(plan), MemoryStore()
    async with Router(plan, root) as tools:

        def work(case: Case) -> Work:
            async def run(value: int) -> object:
                ended = await run_chain(loaded, name(case), {"value": value}, tools=tools, store=store)
                if ended.fault is not None:
                    raise AssertionError(f"{name(case)} failed: {ended.fault.message}")
                return ended.value

            return run

        yield {case: work(case) for case in _cases()}


# ------------------------------------------------------------------ by hand


@asynccontextmanager
async def by_hand(count: int) -> AsyncGenerator[dict[Case, Work]]:
    """What somebody would write who has no chains."""
    from mcp import Client, StdioServerParameters

    async with Client(StdioServerParameters(command=sys.executable, args=[steps.__file__])) as client:

        async def in_thread(value: int) -> int:
            return await asyncio.to_thread(steps.same, value)

        async def there(value: int) -> int:
            result = await client.call_tool("same", {"value": value})
            if result.is_error or result.structured_content is None:
                raise AssertionError(f"the server failed: {result.content}")
            return int(result.structured_content["result"])

        def in_turn(call: Callable[[int], Awaitable[int]]) -> Work:
            async def run(value: int) -> int:
                for _ in range(count):
                    value = await call(value)
                return value

            return run

        def at_once(call: Callable[[int], Awaitable[int]]) -> Work:
            async def run(value: int) -> list[int]:
                return await asyncio.gather(*(call(value) for _ in range(count)))

            return run

        calls = {THREADS: in_thread, COROUTINES: steps.same_later, STDIO: there}
        yield {(peer, order): (in_turn if order == IN_TURN else at_once)(calls[peer]) for peer, order in _cases()}


def _cases() -> list[Case]:
    return [(peer, order) for peer in TOOLS for order in (IN_TURN, AT_ONCE)]


# ------------------------------------------------------------------ measuring


async def measure(count: int, repeat: int) -> dict[Case, Row]:
    """A row for each case. Every chain and its peer run once before anything is measured."""
    with tempfile.TemporaryDirectory() as folder:
        root = await asyncio.to_thread(project, Path(folder), count)
        async with chains(root) as ours, by_hand(count) as theirs:
            rows: dict[Case, Row] = {}
            gc.collect()
            gc.freeze()  # what is there for good is not searched again in each round
            for case in _cases():
                for work in (ours[case], theirs[case]):
                    await _took(work)
                pairs = [(await _took(ours[case]), await _took(theirs[case])) for _ in range(repeat)]
                rows[case] = Row(count, tuple(a for a, _ in pairs), tuple(b for _, b in pairs))
            return rows


async def _took(work: Work) -> Took:
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    given = await work(7)
    took = Took(time.perf_counter() - wall, time.process_time() - cpu)
    if given not in (7, [7] * (len(given) if isinstance(given, list) else 0)):
        raise AssertionError(f"the steps gave {given}")
    return took


def report(rows: dict[Case, Row]) -> str:
    """A table of the rows, and what it says about the goal."""
    first = next(iter(rows.values()))
    told = [
        f"{first.steps} steps that do nothing, microseconds a step, medians of {len(first.chain)} rounds, "
        f"Python {platform.python_version()}",
        "",
        f"{'':<42}{'wall':>28}{'CPU of this process':>28}",
        f"{'':<42}{'chain':>10}{'by hand':>9}{'ratio':>9}{'chain':>10}{'by hand':>9}{'ratio':>9}",
    ]
    for (peer, order), row in rows.items():
        (wall, cpu), (hand_wall, hand_cpu), (times, cpu_times) = row.each(row.chain), row.each(row.hand), row.ratio
        told.append(
            f"{f'{peer}, {order}':<42}{wall:>10.1f}{hand_wall:>9.1f}{times:>9.2f}"
            f"{cpu:>10.1f}{hand_cpu:>9.1f}{cpu_times:>9.2f}"
        )
    ours = rows[STDIO, IN_TURN].ratio[0]
    met = "reached" if ours <= GOAL else "MISSED"
    told += ["", f"goal of at most {GOAL:.2f} times for {STDIO}, {IN_TURN}: {met}, {ours:.2f} times (wall)"]
    return "\n".join(told) + "\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.overhead", description=__doc__)
    parser.add_argument("--steps", type=int, default=20, help="of each chain (20)")
    parser.add_argument("--repeat", type=int, default=51, help="how often everything is measured (51)")
    options = parser.parse_args(argv)
    sys.stdout.write(report(asyncio.run(measure(options.steps, options.repeat))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
