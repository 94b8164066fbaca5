"""`python -m tests.graphs`: compile the call graphs of the corpus, as they are and with faults, and print the tables.

`--every N` seeds faults in every Nth graph only; `--show ID` prints the chain of one graph and what the compiler says.
"""

from __future__ import annotations

import argparse
import sys
import time

import pytest

from dsl.render import render
from tests.graphs import table, trial
from tests.graphs.writing import Text


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.graphs", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--every", type=int, default=1, metavar="N", help="seed faults in every Nth graph only")
    parser.add_argument("--show", metavar="ID", help="print the chain of one graph and what the compiler says")
    given = parser.parse_args()
    started = time.perf_counter()
    try:
        corpus = trial.read()
    except pytest.skip.Exception as absent:
        print(absent, file=sys.stderr)
        return 2
    if given.show is not None:
        return _show(corpus, given.show)
    plain = trial.as_they_are(corpus, corpus.graphs)
    print(table.as_they_are(plain))
    between = time.perf_counter()
    faulty = trial.with_faults(corpus, [outcome.graph for outcome in plain if outcome.accepted][:: given.every])
    print(f"\n{table.with_faults(faulty)}\n")
    ended = time.perf_counter()
    print(f"{len(plain)} graphs in {between - started:.1f} s, {len(faulty)} faults in {ended - between:.1f} s")
    wrong = [outcome for outcome in (*plain, *faulty) if trial.is_wrong(outcome)]
    for outcome in wrong:
        print(f"wrong: {outcome.graph.id} {outcome.kind}: {outcome.verdict.reasons or 'fits'}")
    return 1 if wrong else 0


def _show(corpus: trial.Corpus, name: str) -> int:
    for graph in corpus.graphs:
        if graph.id == name:
            text = Text(graph).text
            print(text)
            for each in trial.compiled(corpus, text):
                print(render(each))
    return 0


if __name__ == "__main__":
    sys.exit(main())
