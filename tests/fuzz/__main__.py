"""`python -m tests.fuzz [--count 100000] [--seed N] [--from N] [--limit SECONDS]`: random inputs of five sorts.

Bytes, soups of words, walks through the grammar, damaged programs and towers go through loader, lexer, parser, dump,
formatter, checker, lowering and every form of the messages. An exception, a promise broken or too much CPU time is a
failure; it is made smaller and shown. `--from N --count 1` tries a single input again. Exit code 1 for failures.
"""

import argparse
import faulthandler
import sys

from tests.fuzz.campaign import Found, Result, run, show
from tests.fuzz.trial import LIMIT

STUCK = 120
"""Seconds without progress after which the process shows where it is and ends: C code does not hear the watchdog."""


def main() -> int:
    """Run a campaign and tell what was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=100_000, help="how many inputs (100000)")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives other inputs (1)")
    parser.add_argument("--from", type=int, default=0, dest="first", metavar="N", help="place of the first input (0)")
    parser.add_argument("--limit", type=float, default=LIMIT, help=f"CPU seconds for one input ({LIMIT})")
    options = parser.parse_args()

    def progress(result: Result) -> None:
        faulthandler.dump_traceback_later(STUCK, exit=True)
        show(result)

    def news(found: Found) -> None:
        sys.stderr.write(found.told())

    faulthandler.dump_traceback_later(STUCK, exit=True)
    places = range(options.first, options.first + options.count)
    result = run(options.seed, places, None, options.limit, progress, news)
    faulthandler.cancel_dump_traceback_later()
    sys.stdout.write(result.told())
    return 1 if result.found else 0


if __name__ == "__main__":
    sys.exit(main())
