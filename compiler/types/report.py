"""Reporting mistakes of one file, and naming what was probably meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dsl import tree
from dsl.diagnostics import Diagnostic, Edit, Fix, Label, Sink
from dsl.source import Span


@dataclass(frozen=True, slots=True)
class Report:
    """Appends diagnostics about the nodes of one file to the sink."""

    file: tree.File
    sink: Sink

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
        """One mistake at `at`. Empty helps and notes are dropped."""
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

    def text(self, node: tree.Node) -> str:
        """The node as the author wrote it, on one line; long ones are cut with `…`."""
        written = " ".join(self.file.source.text[node.start : node.end].split())
        return written if len(written) <= 60 else written[:57].rstrip() + "…"

    def place(self, node: tree.Node, text: str) -> Label:
        """A second place with a few words."""
        return Label(self.file.span(node), text)

    def line(self, node: tree.Node) -> int:
        return self.file.source.position(node.start)[0]

    def replace(self, node: tree.Node, text: str, title: str = "") -> Fix:
        """A fix that puts `text` where the node is."""
        return Fix(title or f"Write `{text}`", (Edit(self.file.span(node), text),))

    def insert(self, offset: int, text: str, title: str) -> Fix:
        return Fix(title, (Edit(Span(self.file.source, offset, offset), text),))


def _texts(given: str | Sequence[str]) -> tuple[str, ...]:
    return tuple(t for t in ((given,) if isinstance(given, str) else given) if t)


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
