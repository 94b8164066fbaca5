"""Diagnostics for programs: for editors (the Language Server Protocol's shape) and for GitHub's annotations."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from dsl.diagnostics import Diagnostic, Fix
from dsl.render import advice
from dsl.source import Source, Span

_SEVERITY = {"error": 1, "warning": 2}
_NOWHERE = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}


def as_lsp(diagnostic: Diagnostic) -> dict[str, Any]:
    """One diagnostic as LSP 3.17 `Diagnostic`: lines and characters count from 0, characters are UTF-16 units.

    Beyond the protocol it has `file` (null where the mistake has no place), and in `data` the notes, the helps and the
    fixes with their edits (LSP `TextEdit`, each with its `file`).
    """
    span = diagnostic.span
    related = [
        {"location": {"uri": quote(label.span.source.path), "range": _range(label.span)}, "message": label.text}
        for label in diagnostic.secondary
    ]
    return {
        "file": span.source.path if span else None,
        "range": _range(span) if span else _NOWHERE,
        "severity": _SEVERITY[diagnostic.severity],
        "code": diagnostic.code,
        "source": "chainc",
        "message": diagnostic.message,
        "relatedInformation": related,
        "data": {
            "label": diagnostic.label,
            "notes": list(diagnostic.notes),
            "helps": list(diagnostic.helps),
            "fixes": [_fix(fix) for fix in diagnostic.fixes],
        },
    }


def to_json(diagnostics: Iterable[Diagnostic]) -> str:
    """A JSON array of `as_lsp` values. Pure ASCII, so that lone surrogates and any terminal do no harm."""
    return json.dumps([as_lsp(each) for each in diagnostics], indent=2) + "\n"


def to_github(diagnostics: Iterable[Diagnostic]) -> str:
    """Workflow commands, one a line: `::error file=…,line=…,col=…,title=E0401::message`. Columns count from 1."""
    return "".join(_command(each) + "\n" for each in diagnostics)


def _command(diagnostic: Diagnostic) -> str:
    properties: list[tuple[str, object]] = []
    if diagnostic.span is not None:
        source = diagnostic.span.source
        line, column = source.position(diagnostic.span.start)
        last, end = source.position(diagnostic.span.end)
        properties += [("file", source.path), ("line", line), ("endLine", last), ("col", column)]
        if last == line:  # GitHub refuses an end column on another line.
            properties.append(("endColumn", max(end, column)))
    properties.append(("title", diagnostic.code))
    told = ",".join(f"{name}={_escape_property(str(value))}" for name, value in properties)
    message = "\n".join([diagnostic.message, *(f"{kind}: {text}" for kind, text in advice(diagnostic))])
    return f"::{diagnostic.severity} {told}::{_escape(message)}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")


def _fix(fix: Fix) -> dict[str, Any]:
    edits = [{"file": edit.span.source.path, "range": _range(edit.span), "newText": edit.text} for edit in fix.edits]
    return {"title": fix.title, "edits": edits}


def _range(span: Span) -> dict[str, Any]:
    return {"start": _position(span.source, span.start), "end": _position(span.source, max(span.start, span.end))}


def _position(source: Source, offset: int) -> dict[str, int]:
    line, column = source.position(offset)
    before = source.line(line)[: column - 1]
    units = len(before) if before.isascii() else len(before.encode("utf-16-le", "surrogatepass")) // 2
    return {"line": line - 1, "character": units}
