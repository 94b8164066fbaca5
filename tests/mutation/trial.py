"""One mutant: what the compiler says, what the reference interpreter finds, and whether the two agree."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

from dsl import tree
from dsl.diagnostics import Diagnostic, Sink
from dsl.parser import parse
from dsl.source import Source, Span
from tests.compiler.world import SOURCES, checked
from tests.mutation.mutate.edit import Mutation, Subject
from tests.mutation.reference.judge import Verdict, judge
from tests.mutation.reference.program import Offered, Program, read_sources

FOLDER: Final = Path(__file__).parent
MORE_SOURCES: Final = FOLDER / "sources"
_LONG_PLACE: Final = 6
"""Lines; a place that spans more of them points at nothing."""


@dataclass(slots=True)
class Trial:
    """`parses`: without an error of syntax. `crash`: the traceback of an exception in the compiler or the runtime.
    `mishap`: what an accepted mutant does in the real runtime that it should not.
    """

    subject: Subject
    mutation: Mutation
    parses: bool = False
    diagnostics: list[Diagnostic] = field(default_factory=list)
    verdict: Verdict | None = None
    crash: str = ""
    mishap: str | None = None

    @property
    def text(self) -> str:
        return self.mutation.apply(self.subject.text)

    @property
    def errors(self) -> list[Diagnostic]:
        return [each for each in self.diagnostics if each.severity == "error"]

    @property
    def accepted(self) -> bool:
        return self.parses and not self.errors and not self.crash

    @property
    def faults(self) -> bool:
        return self.verdict is not None and self.verdict.shape is not None

    @property
    def on_the_line(self) -> bool:
        """Whether the caret of an error stands where the text was changed."""
        return self._changed(self._spans())

    @property
    def labelled(self) -> bool:
        """Whether a label of an error stands where the text was changed."""
        return self._changed(label.span for each in self.errors for label in each.secondary)

    @property
    def where_it_fails(self) -> bool:
        """Whether an error stands where the reference interpreter fails: a guard is missed where it was needed."""
        if self.verdict is None or self.verdict.shape is None:
            return False
        node = self.verdict.shape.node
        for span in self._spans():
            place = Span(span.source, node.start, node.end)
            if self._first_line(span) == self._first_line(place) or _inside(span, place):
                return True
            if _inside(place, span) and span.text.count("\n") < _LONG_PLACE:
                return True
        return False

    def _changed(self, spans: Iterable[Span]) -> bool:
        lines = self.mutation.lines(self.subject.text)
        return any(span.source.path == self.subject.name and self._first_line(span) in lines for span in spans)

    def _spans(self) -> list[Span]:
        found = (each.span for each in self.errors)
        return [span for span in found if span is not None and span.source.path == self.subject.name]

    def _first_line(self, span: Span) -> int:
        return span.source.position(span.start)[0]


def _inside(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def subjects() -> list[Subject]:
    """The good programs."""
    folder = FOLDER / "programs"
    others = tuple((f"sub/{path.name}", _read(path)) for path in sorted((folder / "sub").glob("*.chain")))
    texts = {path.name: _read(path) for path in sorted(folder.glob("*.chain"))}
    return [Subject(name, text, others if '"./sub/' in text else ()) for name, text in texts.items()]


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def known_sources() -> Mapping[str, Mapping[str, Offered]]:
    return read_sources((SOURCES, MORE_SOURCES))


def try_out(subject: Subject, mutation: Mutation, runs: int, seed: int, executions: int = 0) -> Trial:
    """Parses, checks and, where it parses, runs a mutant; an accepted one in the real runtime, too, so many times.

    Never raises for what the compiler does.
    """
    trial = Trial(subject, mutation)
    files = {subject.name: trial.text, **dict(subject.others)}
    try:
        trees, trial.parses = _parsed(files)
        program, trial.diagnostics = checked(files, MORE_SOURCES)
        if trial.accepted and executions:
            from tests.mutation.executed import mishap

            home = Program(trees, known_sources(), subject.name).main
            trial.mishap = mishap(program, home, executions, seed)
    except Exception:
        trial.crash = traceback.format_exc()
        return trial
    if trial.parses:
        trial.verdict = judge(trees, subject.name, known_sources(), runs, seed)
    return trial


def _parsed(files: Mapping[str, str]) -> tuple[dict[str, tree.File], bool]:
    sink = Sink()
    trees = {path: parse(Source(path, text), sink) for path, text in files.items()}
    return trees, not sink.has_errors


def good(subject: Subject, runs: int, seed: int, executions: int = 0) -> tuple[Sequence[Diagnostic], Verdict]:
    """What is said about a program that is not mutated."""
    trial = try_out(subject, Mutation("none", "", ()), runs, seed, executions)
    assert trial.verdict is not None, trial.crash
    assert trial.mishap is None, trial.mishap
    return trial.diagnostics, trial.verdict
