"""`python -m tests.tools`: import every tool of the corpus, call each with arguments that fit and with faulty ones, and
print what became of them.

`--show NAME` tells what is wrong with the tools of this name.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import pytest

from dsl.render import render
from tests.tools import specifications, table, trial


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.tools", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--show", metavar="NAME", help="tell what is wrong with the tools of this name")
    given = parser.parse_args()
    started = time.perf_counter()
    try:
        with tempfile.TemporaryDirectory() as folder:
            corpus = specifications.read(Path(folder))
    except pytest.skip.Exception as absent:
        print(absent, file=sys.stderr)
        return 2
    typed = [tool for tool in corpus.tools if tool.refused is None and given.show in (None, tool.name)]
    outcomes = [trial.tried(corpus, tool) for tool in typed]
    print(table.imports(corpus))
    print(f"\n{table.calls(outcomes)}\n\n{time.perf_counter() - started:.1f} s")
    wrong = [outcome for outcome in outcomes if outcome.wrong]
    for outcome in wrong:
        print(f"wrong: {outcome.tool.source}.{outcome.tool.name}")
        for arguments, diagnostic in outcome.refused if given.show else ():
            print(f"  fits: {arguments}\n{render(diagnostic)}")
        for fault in outcome.missed if given.show else ():
            print(f"  {fault.kind} at {fault.path}: {fault.arguments}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
