"""How fast a long file is read and checked: `python -m tests.bench.parse [--lines N] [--repeat N]`.

CPU time of this process (not of the clock on the wall), of the same ordinary program for everything that is measured;
plain lark reads it with the same grammar in the same run, because machines differ and a ratio does not.
"""

import argparse
import gc
import platform
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from compiler.check import check
from dsl.diagnostics import Sink
from dsl.lexer import lex
from dsl.parser import parse
from dsl.source import Source
from dsl.table import table
from tests.bench.program import program
from tests.compiler.world import project
from tests.dsl.plain_lark import contextual_lark, lark_behind_our_lexer

GOAL = 20_000
"""Lines a second for lex + parse + tree."""

LEX = "lex"
TREE = "lex + parse + tree"
CHECK = "check (names, types, graphs)"
LARK = "plain lark, its contextual lexer, its trees"
MIXED = "plain lark behind our lexer, its trees"


@dataclass(frozen=True, slots=True)
class Row:
    """CPU seconds of each repeat."""

    name: str
    lines: int
    seconds: tuple[float, ...]

    @property
    def best(self) -> float:
        """Lines a second of the quickest repeat."""
        return self.lines / min(self.seconds)

    @property
    def usual(self) -> float:
        """Lines a second of the median."""
        return self.lines / median(self.seconds)


def measure(lines: int, repeat: int) -> dict[str, Row]:
    """A row for each of the five names above. Repeats take turns, so that a busy machine slows all of them alike."""
    text = program(lines)
    source = Source("program.chain", text)
    sink = Sink()
    loaded = project({source.path: text}, sink)
    check(loaded, sink)
    if sink.has_errors:
        raise AssertionError(f"the program is not in order: {next(iter(sink))}")
    table()
    plain, mixed = contextual_lark(), lark_behind_our_lexer()
    todo: dict[str, Callable[[], object]] = {
        LEX: lambda: lex(source),
        TREE: lambda: parse(source, Sink()),
        CHECK: lambda: check(loaded, Sink()),
        LARK: lambda: plain.parse(text),
        MIXED: lambda: mixed.parse(text),
    }
    seconds: dict[str, list[float]] = {name: [] for name in todo}
    for _ in range(repeat):
        for name, action in todo.items():
            seconds[name].append(_cpu(action))
    return {name: Row(name, text.count("\n"), tuple(each)) for name, each in seconds.items()}


def _cpu(action: Callable[[], object]) -> float:
    gc.collect()
    start = time.process_time()
    made = action()  # kept until the time is taken: to let go of it is not part of the work
    taken = time.process_time() - start
    del made
    return taken


def report(rows: dict[str, Row]) -> str:
    """A table of the rows, and what it says about the goal."""
    first = next(iter(rows.values()))
    told = [
        f"{first.lines:,} lines, CPU time of {len(first.seconds)} repeats, Python {platform.python_version()}",
        "",
        f"{'':<46}{'best':>9}{'median':>11}{'best':>13}{'median':>11}",
    ]
    told += [
        f"{row.name:<46}{min(row.seconds) * 1000:>6.1f} ms{median(row.seconds) * 1000:>8.1f} ms"
        f"{row.best:>9,.0f} l/s{row.usual:>7,.0f} l/s"
        for row in rows.values()
    ]
    ours = rows[TREE]
    met = "reached" if ours.usual >= GOAL else "MISSED"
    told += [
        "",
        f"{TREE}: {ours.usual / rows[LARK].usual:.1f} times as fast as plain lark, "
        f"{ours.usual / rows[MIXED].usual:.1f} times as fast as lark behind our lexer (medians)",
        f"goal of {GOAL:,} lines/s for {TREE}: {met}, {ours.usual / GOAL:.2f} times",
    ]
    return "\n".join(told) + "\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.parse", description=__doc__)
    parser.add_argument("--lines", type=int, default=5000, help="at least so many lines (5000)")
    parser.add_argument("--repeat", type=int, default=9, help="how often everything is measured (9)")
    options = parser.parse_args(argv)
    sys.stdout.write(report(measure(options.lines, options.repeat)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
