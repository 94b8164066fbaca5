"""What the compiler has to say: the model. Rendering lives in `dsl.render`, the codes in `dsl.codes`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from dsl.source import Span

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Label:
    """A place with a few words beside it."""

    span: Span
    text: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the span by `text` (an empty span inserts)."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that mend the mistake; only offered where the mending is certain."""

    title: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One mistake, one message.

    `code` is a row of `dsl.codes` (E… error, W… warning). `span` is None where a
    mistake has no place in a source (a missing file, a command that cannot start).
    """

    code: str
    message: str
    span: Span | None
    label: str = ""
    secondary: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    helps: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()

    @property
    def severity(self) -> Severity:
        return "warning" if self.code.startswith("W") else "error"


class Sink:
    """Collects diagnostics; every stage appends to it and never raises for a user's mistake."""

    __slots__ = ("_seen", "_items")

    def __init__(self) -> None:
        self._items: list[Diagnostic] = []
        self._seen: set[tuple[str, str, int, int, str]] = set()

    def add(self, diagnostic: Diagnostic) -> None:
        """Take one in; the same message at the same place is kept once."""
        span = diagnostic.span
        where = (span.source.path, span.start, span.end) if span else ("", -1, -1)
        key = (diagnostic.code, *where, diagnostic.message)
        if key not in self._seen:
            self._seen.add(key)
            self._items.append(diagnostic)

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        for diagnostic in diagnostics:
            self.add(diagnostic)

    def __iter__(self) -> Iterator[Diagnostic]:
        """Sorted by file, offset and code."""
        return iter(sorted(self._items, key=_order))

    def __len__(self) -> int:
        return len(self._items)

    @property
    def has_errors(self) -> bool:
        return any(d.severity == "error" for d in self._items)


def _order(d: Diagnostic) -> tuple[str, int, str, str]:
    return (d.span.source.path, d.span.start, d.code, d.message) if d.span else ("", -1, d.code, d.message)
