"""`python -m tests.dags`: draws programs, compiles them, runs them in virtual time, and holds them against a plain
sequential interpreter. Exit code 1 where a promise of the language is broken; then the smallest such program is shown.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter
from random import Random

from stdlib.runtime.fault import Fault
from tests.dags.sketch import draw
from tests.dags.text import text_of
from tests.dags.trial import compiled, try_out


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.dags", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--count", type=int, default=1000, help="how many programs (1000)")
    parser.add_argument("--runs", type=int, default=4, help="how often each runs, the last time cancelled (4)")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives other programs")
    given = parser.parse_args()
    started, endings, broken = time.perf_counter(), Counter[str](), []
    calls = 0
    for number in range(given.count):
        chance = Random(f"{given.seed}/{number}")
        program = draw(chance)
        try:
            loaded = compiled(program)
            for run in range(given.runs):
                ride = try_out(program, loaded, chance, cancel=run == given.runs - 1)
                ending = ride.ending
                endings[ending.fault_class if isinstance(ending, Fault) else "a result"] += 1
                calls += len(ride.flights)
        except Exception:
            broken.append((len(text_of(program)), number, text_of(program), traceback.format_exc(limit=-2)))
    seconds = time.perf_counter() - started
    print(f"{given.count} programs, {endings.total()} runs, {calls} calls in {seconds:.1f} s")
    for name, count in endings.most_common():
        print(f"{count:8} ended with {name}")
    if broken:
        _, number, text, problem = min(broken)
        print(f"{len(broken)} broken; the smallest is number {number}:\n\n{text}\n{problem}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
