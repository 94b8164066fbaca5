"""`python -m tests.mutation`: mutates the good programs, checks every mutant, and lets the reference interpreter judge.

Exit code 1 where the compiler raises, accepts what faults (in the reference interpreter or, once lowered, in the real
runtime), or points elsewhere too often.
"""

from __future__ import annotations

import argparse
import logging
import sys

from tests.mutation.mutate.rules import mutants
from tests.mutation.table import Table
from tests.mutation.trial import good, subjects, try_out

ENOUGH = 0.95
"""The share of caught mutants whose message must stand at the change or the fault, and of those that must show the
changed line by caret or label."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="how many mutants (2000)")
    parser.add_argument("--runs", type=int, default=50, help="how often the reference interpreter runs each (50)")
    parser.add_argument("--executions", type=int, default=4, help="how often accepted ones run in the real runtime (4)")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives other mutants")
    parser.add_argument("--samples", type=int, default=10, help="how many broken promises are shown (10)")
    parser.add_argument("--places", action="store_true", help="also what points at the changed lines, by kind and code")
    parser.add_argument("--only", default="", help="mutate this program alone")
    options = parser.parse_args()
    logging.getLogger("chainc").setLevel(logging.CRITICAL)  # the table tells
    programs = [each for each in subjects() if options.only in each.name]
    bad = [each.name for each in programs if not _is_good(each, 4 * options.runs, options.seed)]
    if bad:
        print(f"these programs are not good to begin with: {', '.join(bad)}")
        return 1
    drawn = mutants(programs, options.count, options.seed)
    table = Table(
        [try_out(subject, mutation, options.runs, options.seed, options.executions) for subject, mutation in drawn]
    )
    places = table.places() if options.places else ()
    for line in (*table.text(), "", *places, *table.samples(options.samples, options.places)):
        print(line)
    return 0 if table.kept and min(table.placed, table.pointed) >= ENOUGH else 1


def _is_good(subject, runs: int, seed: int) -> bool:
    diagnostics, verdict = good(subject, runs, seed)
    if diagnostics or verdict.shape is not None:
        said = verdict.shape.message if verdict.shape is not None else ""
        print(subject.name, *(each.code for each in diagnostics), said)
    return not diagnostics and verdict.shape is None and verdict.finished > 0


if __name__ == "__main__":
    sys.exit(main())
