"""Wiring faults, one a graph and kind, seeded by the graph's name so that every run has the same ones.

A fault changes the wired graph after its translation, so that no conversion makes up for it. Where a graph offers
several, one that contradicts the specifications is taken before one that does not.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from tests.graphs.argument_faults import different_tool, missing_argument, misspelt_argument, wrong_literal
from tests.graphs.oracle import Verdict, judge
from tests.graphs.reference_faults import different_call, later_call, unguarded_field, wrong_field, wrong_type
from tests.graphs.seeding import Seeder
from tests.graphs.specifications import Tools
from tests.graphs.wiring import Graph
from tests.graphs.writing import Part

MOST_TRIED = 24
"""So many candidates of a kind are looked at."""

KINDS: Mapping[str, Seeder] = {
    "wrong field": wrong_field,
    "missing argument": missing_argument,
    "reference to a later call": later_call,
    "wrong type": wrong_type,
    "wrong literal": wrong_literal,
    "different call": different_call,
    "unguarded field": unguarded_field,
    "misspelt argument": misspelt_argument,
    "different tool": different_tool,
}


@dataclass(frozen=True, slots=True, eq=False)
class Fault:
    """A graph with a fault. `places`: the parts of it to which a caret may point, the most exact one first."""

    kind: str
    graph: Graph
    verdict: Verdict
    places: tuple[Part, ...]


def seeded(graph: Graph, tools: Tools) -> Iterator[Fault]:
    """One fault of every kind that has a place in the graph."""
    for kind, seeder in KINDS.items():
        best: Fault | None = None
        for faulty, places in islice(seeder(graph, tools, random.Random(f"{graph.id} {kind}")), MOST_TRIED):
            verdict = judge(faulty)
            if verdict.reasons:
                best = Fault(kind, faulty, verdict, places)
                break
            if best is None or (best.verdict.unknown and not verdict.unknown):
                best = Fault(kind, faulty, verdict, places)
        if best is not None:
            yield best
