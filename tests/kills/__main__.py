"""`python -m tests.kills`: kills chains with side effects at random moments and lets other processes go on, until every
request has ended; then it counts what was done. Exit code 1 where a promise is broken: a side effect done twice, or
lost without a word."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

from tests.kills.trial import lives


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=1000, help="how many kills (1000)")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives other moments")
    given = parser.parse_args()
    began, ends, kills, requests = time.perf_counter(), Counter[str](), 0, 0
    with tempfile.TemporaryDirectory(prefix="chainc-kills-") as folder:
        try:
            for life, end in lives(Path(folder), given.seed):
                requests += 1
                kills += len(life.kills)
                ends[end] += 1
                if kills >= given.kills:
                    break
        except AssertionError:
            traceback.print_exc()
            return 1
    print(f"{requests} requests, killed {kills} times, in {time.perf_counter() - began:.0f} s; each has ended:")
    for end, count in ends.most_common():
        print(f"{count:8} {end}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
