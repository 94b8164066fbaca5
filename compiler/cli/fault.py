"""A fault of a run as people at a terminal see it: as a diagnostic at the step in the workflow's text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiler.cli.place import Place
from dsl.diagnostics import Diagnostic
from dsl.source import Source, Span

if TYPE_CHECKING:
    from stdlib.plan.model import Origin
    from stdlib.runtime.fault import Fault


def diagnostic(fault: Fault, where: Place) -> Diagnostic:
    """The fault with its place, and what was done and taken back before it."""
    told = fault.to_json()
    notes = [f"Already done, and it stays so: {', '.join(fault.done)}."] if fault.done else []
    if fault.undone:
        notes.append(f"Taken back: {', '.join(fault.undone)}.")
    notes += [f"Not taken back: {each['step']}. {each['reason']}" for each in fault.not_undone]
    (seen,) = where.seen(
        [
            Diagnostic(
                code=told["code"],
                message=f"{fault.fault_class}: {fault.message}",
                span=_span(fault.origin, where) if fault.origin else None,
                label=f"in `{fault.step}`" if fault.step else "",
                notes=tuple(notes),
                helps=(told["next"],),
            )
        ]
    )
    return seen


def _span(origin: Origin, where: Place) -> Span | None:
    """From where something starts to the end of its line."""
    from compiler.loader.files import Folder

    text = Folder(where.root).text(origin.file) if where.root else None
    if not isinstance(text, str):
        return None
    lines = text.split("\n")
    start = sum(len(line) + 1 for line in lines[: origin.line - 1]) + origin.column - 1
    return Span(Source(origin.file, text), start, start + len(lines[origin.line - 1].rstrip()) - origin.column + 1)
