"""How well requests in people's words find the tools that serve them: `find_tools` beside a trivial search."""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from stdlib.plan import plan as p
from stdlib.serve.offer import Primitive
from stdlib.serve.session import VisibleSet
from stdlib.serve.visible import Candidate

K = 5
Search = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Row:
    """Recall at `K` of both searches over the requests of one set, and milliseconds a search took."""

    name: str
    requests: int
    tools: int
    ours: float
    trivial: float
    ms: float


def rows(requests: list[dict[str, Any]], tools: list[dict[str, Any]]) -> list[Row]:
    """One row a set, and one for all requests together at the end. Each set searches among the tools of its corpus."""
    by_corpus: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for tool in tools:
        by_corpus[tool["corpus"]].append(tool)
    searches = {corpus: (found_by_us(some), found_trivially(some)) for corpus, some in by_corpus.items()}
    sets: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for request in requests:
        sets[request["set"]].append(request)
    made = []
    for name, some in sets.items():
        corpus = some[0]["corpus"]
        ours, trivial = searches[corpus]
        began = time.perf_counter()
        recalled = sum(recall(ours(each["query"]), each["gold"]) for each in some)
        ms = (time.perf_counter() - began) * 1000 / len(some)
        beside = sum(recall(trivial(each["query"]), each["gold"]) for each in some)
        made.append(Row(name, len(some), len(by_corpus[corpus]), recalled / len(some), beside / len(some), ms))
    total = sum(row.requests for row in made)

    def mean(of: Callable[[Row], float]) -> float:
        return sum(of(row) * row.requests for row in made) / total

    whole = Row("all", total, len(tools), mean(lambda r: r.ours), mean(lambda r: r.trivial), mean(lambda r: r.ms))
    return [*made, whole]


def recall(found: Sequence[str], gold: list[list[str]]) -> float:
    """The part of what a request needs that was found; each need is met by any of its alternatives."""
    return sum(not set(found).isdisjoint(alternatives) for alternatives in gold) / len(gold)


def found_by_us(tools: list[dict[str, Any]]) -> Search:
    """The search of a server that shows these tools as they are."""
    locked = {
        tool["id"]: p.Tool(
            name=tool["name"], description=tool["description"] or "", input_schema=tool["parameters"] or {}, digest=""
        )
        for tool in tools
    }
    plan = p.Plan(name="corpus", version="1.0.0", sources={"s": p.Source(transport=p.Std(name="s"), tools=locked)})
    visible = VisibleSet(Candidate(lambda: plan, None, Primitive(key, "s", key)) for key in locked)
    index = visible.index
    return lambda query: index.find(query, K)


def found_trivially(tools: list[dict[str, Any]]) -> Search:
    """Counts the words that a request shares with name and description."""
    words = {tool["id"]: _words(f"{tool['name']} {tool['description']}") for tool in tools}

    def find(query: str) -> Sequence[str]:
        asked = _words(query)
        return sorted(words, key=lambda key: -len(asked & words[key]))[:K]

    return find


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))
