"""Reporting mistakes of one file, and naming what was probably meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dsl import tree
from dsl.diagnostics import Diagnostic, Edit, Fix, Label, Sink
from dsl.source import Span
from stdlib.values.show import show
from stdlib.values.types import Type

# Where parts of a file were skipped, what is missing may stand there.
_OF_WHAT_IS_MISSING = frozenset(
    {"E0202", "E0300", "E0304", "E0310", "E0311", "E0402", "E0403", "E0703", "W0310", "W0611"}
)


@dataclass(frozen=True, slots=True)
class Report:
    """Appends diagnostics about the nodes of one file to the sink. `told`: places with a syntax mistake."""

    file: tree.File
    sink: Sink
    told: tuple[tuple[int, int], ...] = ()

    def __call__(
        self,
        code: str,
        at: tree.Node,
        message: str,
        *,
        label: str = "",
        helps: str | Sequence[str] = (),
        notes: str | Sequence[str] = (),
        also: Sequence[Label] = (),
        fixes: Sequence[Fix] = (),
    ) -> None:
        """One mistake at `at`. Empty helps and notes are dropped, and so is what follows from a syntax mistake."""
        if any(start <= at.start and at.end <= end for start, end in self.told):
            return
        if code in _OF_WHAT_IS_MISSING and not self.file.complete:
            return
        self.sink.add(
            Diagnostic(
                code=code,
                message=message,
                span=self.file.span(at),
                label=label,
                secondary=tuple(also),
                notes=_texts(notes),
                helps=_texts(helps),
                fixes=tuple(fixes),
            )
        )

    def said(self, code: str, within: tree.Node) -> bool:
        """Whether a diagnostic of this code stands inside the node."""
        return any(
            d.code == code
            and d.span is not None
            and d.span.source is self.file.source
            and within.start <= d.span.start
            and d.span.end <= within.end
            for d in self.sink
        )

    def text(self, node: tree.Node) -> str:
        """The node as the author wrote it, on one line; long ones are cut with `…`."""
        written = " ".join(self.file.source.text[node.start : node.end].split())
        return written if len(written) <= 60 else written[:57].rstrip() + "…"

    def place(self, node: tree.Node, text: str) -> Label:
        """A second place with a few words."""
        return Label(self.file.span(node), text)

    def replace(self, node: tree.Node, text: str, title: str = "") -> Fix:
        """A fix that puts `text` where the node is."""
        return Fix(title or f"Write `{text}`", (Edit(self.file.span(node), text),))

    def insert(self, offset: int, text: str, title: str) -> Fix:
        return Fix(title, (Edit(Span(self.file.source, offset, offset), text),))


def report_for(file: tree.File, sink: Sink) -> Report:
    """Reports about a file that was parsed into the same sink; places with a syntax mistake are left alone."""
    told = tuple(
        (d.span.start, d.span.end)
        for d in sink
        if d.code.startswith(("E00", "E01")) and d.span is not None and d.span.source is file.source
    )
    return Report(file, sink, told)


def _texts(given: str | Sequence[str]) -> tuple[str, ...]:
    return tuple(t for t in ((given,) if isinstance(given, str) else given) if t)


def shown(t: Type) -> str:
    """A type for a message: of long records only the first fields."""
    return show(t, 3)


def near(name: str, names: Iterable[str]) -> str | None:
    """The one of `names` that was probably meant: same but for case and `_`, else the closest spelling."""
    known = list(dict.fromkeys(names))
    plain = _plain(name)
    for other in known:
        if _plain(other) == plain:
            return other
    import difflib

    close = difflib.get_close_matches(name, known, 1, 0.6)
    if close:
        return close[0]
    folded = {_plain(other): other for other in reversed(known)}
    close = difflib.get_close_matches(plain, list(folded), 1, 0.7)
    return folded[close[0]] if close else None


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """`Did you mean …?`, or nothing."""
    other = near(name, names)
    return f"Did you mean `{other}`?" if other else ""


def listing(lead: str, names: Iterable[str], most: int = 8) -> str:
    """`It has: a, b, c.`; long lists are cut with `…`; nothing where there are no names."""
    known = list(names)
    if not known:
        return ""
    shown = ", ".join(f"`{n}`" for n in known[:most])
    return f"{lead}: {shown}{', …' if len(known) > most else ''}."


def mended(name: str, names: Iterable[str], lead: str) -> str:
    """What was probably meant, else what there is."""
    known = list(names)
    return did_you_mean(name, known) or listing(lead, known)
