"""`python -m tests.faults`: the cases of the tables again and again, in drawn orders, over connections that live long.

Every outcome is judged as the table says. Afterwards nothing may be left behind, and the process may not have grown.
Exit code 1 where one of that fails.
"""

from __future__ import annotations

import argparse
import logging
import resource
import sys
import time
from collections.abc import Awaitable, Callable
from random import Random

import anyio

from stdlib.plan import plan as p
from tests.faults import test_http, test_openapi, test_stdio
from tests.faults.bench import Case, both, judge, plan_of, runs
from tests.faults.left import nothing_left
from tests.servers.far import far
from tests.servers.service import Told, over, service

GROWTH = 40
"""Most megabytes that the process may grow after the first tenth of the rounds."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=300, help="calls over each way (300)")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives other orders")
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    return anyio.run(_all, options.rounds, options.seed)


async def _all(rounds: int, seed: int) -> int:
    broken = 0
    ways: dict[str, Callable[[Random, int], Awaitable[list[str]]]] = {
        "stdio": _stdio,
        "http": _http,
        "openapi": _openapi,
    }
    for name, way in ways.items():
        started = time.perf_counter()
        problems: list[str] = []
        try:
            async with nothing_left():
                problems = await way(Random(seed), rounds)
        except AssertionError as error:
            problems.append(str(error))
        print(f"{name}: {rounds} calls in {time.perf_counter() - started:.1f} s, {len(problems)} problems")
        for each in problems[:5]:
            print(f"  {each}")
        broken += len(problems)
    return 1 if broken else 0


async def _drawn(chance: Random, rounds: int, plan: p.Plan, cases: list[Case]) -> list[str]:
    """Drawn cases one after the other; each second one of those that only read."""
    problems: list[str] = []
    before = 0
    async with runs(plan) as each:
        for number in range(rounds):
            place, tool = chance.randrange(len(cases)), chance.choice(("read", "write"))
            try:
                judge(cases[place], tool, await each.run(f"{tool}{place}"))
            except AssertionError as error:
                problems.append(f"{cases[place].name}, {tool}: {error}")
            if number == rounds // 10:
                before = _size()
    if _size() - before > GROWTH:
        problems.append(f"it grew by {_size() - before} MB")
    return problems


def _chains(cases: list[Case]) -> list[p.Chain]:
    """`readN` and `writeN` for the Nth case."""
    pairs = ((place, made) for place, case in enumerate(cases) for made in both(case))
    return [made.model_copy(update={"id": f"{made.id}{place}"}) for place, made in pairs]


async def _stdio(chance: Random, rounds: int) -> list[str]:
    cases = list(test_stdio.CASES)
    return await _drawn(chance, rounds, plan_of(None, *_chains(cases)), cases)


async def _http(chance: Random, rounds: int) -> list[str]:
    cases = list(test_http.CASES)
    async with far() as server:
        return await _drawn(chance, rounds, plan_of(p.Http(url=server.url), *_chains(cases)), cases)


async def _openapi(chance: Random, rounds: int) -> list[str]:
    """The service answers each request as the case of its number says."""
    problems: list[str] = []
    rows = [row for row in test_openapi.TABLE if row[0].code != 302]
    kinds = {never: both(Case("", {}, None, None, never)) for never in (False, True)}
    chains = [made.model_copy(update={"id": f"{made.id}{never}"}) for never, pair in kinds.items() for made in pair]
    async with service() as served, runs(over(served, *chains)) as each:
        for _ in range(rounds):
            (told, read, write), tool = chance.choice(rows), chance.choice(("read", "write"))
            served.script = [*[Told("fine")] * len(served.requests), told]
            never = told.do in ("hang", "trickle")
            case = Case(told.do, {"value": len(served.requests) + 1}, read, write, never)
            try:
                judge(case, tool, await each.run(f"{tool}{never}"))
            except AssertionError as error:
                problems.append(f"{told}, {tool}: {error}")
    return problems


def _size() -> int:
    """Megabytes at the peak."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


if __name__ == "__main__":
    sys.exit(main())
