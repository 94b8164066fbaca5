"""Compiles the graphs, as they are and with faults, and holds what the compiler says against the oracle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from compiler.check import check
from compiler.lower import lower
from compiler.project import LockedSource, Module, Project, Settings
from dsl import tree
from dsl.diagnostics import Diagnostic, Sink
from dsl.parser import parse
from dsl.source import Source
from tests.corpus import load
from tests.graphs.faults import Fault, seeded
from tests.graphs.oracle import Verdict, judge
from tests.graphs.specifications import Tools, locked, specifications
from tests.graphs.translation import translate
from tests.graphs.wiring import Graph
from tests.graphs.writing import Text

Caret = Literal["exact", "same place", "elsewhere"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one graph. `kind` is empty for the graph as it is; `errors` are the compiler's."""

    graph: Graph
    kind: str
    verdict: Verdict
    text: str
    errors: tuple[Diagnostic, ...]
    caret: Caret = "elsewhere"

    @property
    def accepted(self) -> bool:
        return not self.errors

    @property
    def contradicts(self) -> bool:
        return bool(self.verdict.reasons)

    @property
    def decided(self) -> bool:
        """Whether the specifications decide about the graph."""
        return self.contradicts or not self.verdict.unknown


@dataclass(frozen=True, slots=True)
class Corpus:
    """The graphs of the corpus, wired, and the sources that their tools come from."""

    graphs: tuple[Graph, ...]
    tools: Mapping[str, Tools]
    sources: Mapping[str, LockedSource]


def is_wrong(outcome: Outcome) -> bool:
    """Whether the compiler and the oracle disagree. Where no specification decides, a graph without a fault must
    compile, and one with a fault may or may not."""
    return outcome.accepted == outcome.contradicts and (outcome.decided or not outcome.kind)


def read() -> Corpus:
    """All graphs; skips the test where there is no corpus."""
    tools = specifications()
    graphs = tuple(translate(raw, tools[raw["source"]]) for raw in load("graphs.jsonl"))
    return Corpus(graphs, tools, locked(tools))


def as_they_are(corpus: Corpus, graphs: Sequence[Graph]) -> list[Outcome]:
    """Every graph without a fault."""
    return [_outcome(corpus, graph, "", judge(graph), Text(graph)) for graph in graphs]


def with_faults(corpus: Corpus, graphs: Sequence[Graph]) -> list[Outcome]:
    """One fault of each kind in every graph."""
    found: list[Outcome] = []
    for graph in graphs:
        for fault in seeded(graph, corpus.tools[graph.origin]):
            text = Text(fault.graph)
            outcome = _outcome(corpus, fault.graph, fault.kind, fault.verdict, text)
            found.append(_placed(outcome, fault, text))
    return found


def compiled(corpus: Corpus, text: str) -> Sink:
    """Parse, check and, where nothing is wrong, lower one file."""
    sink = Sink()
    file = parse(Source("graph.chain", text), sink)
    imports = {item.name.text: item.name.text for item in file.items if isinstance(item, tree.Import)}
    module = Module(file.source.path, file, {}, imports)
    project = Project(".", Settings("graphs", "1.0.0"), {module.path: module}, (module.path,), corpus.sources)
    program = check(project, sink)
    if not sink.has_errors:
        lower(program)
    return sink


def _outcome(corpus: Corpus, graph: Graph, kind: str, verdict: Verdict, text: Text) -> Outcome:
    errors = tuple(each for each in compiled(corpus, text.text) if each.severity == "error")
    return Outcome(graph, kind, verdict, text.text, errors)


def _placed(outcome: Outcome, fault: Fault, text: Text) -> Outcome:
    """`exact`: an error begins at the most exact place of the fault; `same place`: at another place of it."""
    starts = [error.span.start for error in outcome.errors if error.span is not None]
    places = [text.place(part) for part in fault.places]
    hits = [any(begin <= start < end for start in starts) for begin, end in places]
    return replace(outcome, caret="exact" if hits[0] else "same place" if any(hits) else "elsewhere")
