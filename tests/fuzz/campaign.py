"""Many inputs, and what came of them."""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tests.fuzz.inputs import make
from tests.fuzz.shrink import shrink
from tests.fuzz.trial import LIMIT, Action, Failure, attempt


@dataclass(slots=True)
class Found:
    """Failures of one group: how many, the place of the first in the campaign, and the smallest input known."""

    failure: Failure
    first: int
    smallest: str | bytes
    count: int = 1

    def told(self) -> str:
        """For people: what, where, how to have it again."""
        where = "".join(f"    {frame}\n" for frame in self.failure.where[-6:])
        return f"{self.failure.what} ({self.count} times, first at {self.first})\n{where}    input: {self.smallest!r}\n"


@dataclass(slots=True)
class Result:
    """How many inputs of each sort were tried, the CPU seconds, the slowest one, and the failures by group."""

    tried: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    slowest: tuple[float, int] = (0.0, -1)
    found: dict[tuple[str, str], Found] = field(default_factory=dict)

    def told(self) -> str:
        """For people."""
        sorts = ", ".join(f"{count} {sort}" for sort, count in sorted(self.tried.items()))
        failures = sum(each.count for each in self.found.values())
        return (
            "".join(each.told() + "\n" for each in self.found.values())
            + f"{self.tried.total()} inputs ({sorts}) in {self.seconds:.0f} s of CPU, "
            f"the slowest {self.slowest[0]:.2f} s (at {self.slowest[1]}); "
            f"{failures} failures in {len(self.found)} groups\n"
        )


def run(
    seed: int,
    places: Iterable[int],
    action: Action | None = None,
    limit: float = LIMIT,
    progress: Callable[[Result], None] | None = None,
    news: Callable[[Found], None] | None = None,
) -> Result:
    """Try the inputs at these places of a campaign; the first one of each group of failures is made smaller.

    `progress` hears of every thousandth input, `news` of every new group.
    """
    result = Result()
    for number, place in enumerate(places):
        sort, given = make(seed, place)
        start = time.process_time()
        failure = attempt(given, action, limit)
        taken = time.process_time() - start
        result.tried[sort] += 1
        result.seconds += taken
        result.slowest = max(result.slowest, (taken, place))
        if failure is not None and failure.group in result.found:
            result.found[failure.group].count += 1
        elif failure is not None:
            found = result.found[failure.group] = _smaller(failure, place, given, action, limit)
            if news:
                news(found)
        if progress and number % 1000 == 999:
            progress(result)
    return result


def _smaller(failure: Failure, place: int, given: str | bytes, action: Action | None, limit: float) -> Found:
    def fails(trial: str | bytes) -> bool:
        again = attempt(trial, action, limit)
        return again is not None and again.group == failure.group

    smallest = shrink(given, fails, 40 if failure.what == "Slow" else 600)
    return Found(attempt(smallest, action, limit) or failure, place, smallest)


def show(result: Result) -> None:
    """A line of progress on stderr."""
    failures = sum(each.count for each in result.found.values())
    sys.stderr.write(f"{result.tried.total()} inputs, {result.seconds:.0f} s of CPU, {failures} failures\n")
    sys.stderr.flush()
