"""Diagnostics for people: a message, the place in the source with carets, what else to know and what to write instead.

`dsl.interchange` has the forms for editors and for continuous integration.
"""

from __future__ import annotations

from collections.abc import Iterable

from dsl.diagnostics import Diagnostic, Edit, Fix, Label
from dsl.glyphs import printable
from dsl.snippet import Mark, Row, mark_of, shown_lines, snippet
from dsl.source import Source

WIDTH = 120

_SGR = {"error": "1;31", "warning": "1;33", "secondary": "1;34", "gutter": "1;34", "strong": "1", "": ""}


def render(diagnostic: Diagnostic, *, colour: bool = False, width: int = WIDTH) -> str:
    """One diagnostic, ending in a line break. `width` cuts source lines (in columns); texts are never cut."""
    severity = diagnostic.severity
    rows: list[Row] = [
        [
            (f"{severity}[{diagnostic.code}]", severity),
            (": " + printable(diagnostic.message, lines=True), "strong"),
        ]
    ]
    places = _places(diagnostic)
    numbers = [number for _, marks in places for number in shown_lines(marks)]
    gutter = len(str(max(numbers, default=1)))
    for index, (source, marks) in enumerate(places):
        mark = next((mark for mark in marks if mark.primary), marks[0])
        arrow = ":::" if index else "-->"
        if index:
            rows.append([(" " * gutter + " |", "gutter")])
        rows.append(
            [(" " * gutter + arrow + " ", "gutter"), (f"{printable(source.path)}:{mark.first}:{mark.start}", "")]
        )
        rows.append([(" " * gutter + " |", "gutter")])
        rows += snippet(source, marks, gutter, width)
    told = advice(diagnostic)
    if places and told:
        rows.append([(" " * gutter + " |", "gutter")])
    for kind, text in told:
        head = " " * gutter + " = "
        first, *rest = printable(text, lines=True).split("\n")
        rows.append([(head, "gutter"), (kind, "strong"), (": " + first, "")])
        rows += [[(" " * (len(head) + len(kind) + 2) + line, "")] for line in rest]
    styles = {**_SGR, "primary": _SGR[severity]} if colour else {}
    return "".join(_paint(row, styles) + "\n" for row in rows)


def render_all(diagnostics: Iterable[Diagnostic], *, colour: bool = False, width: int = WIDTH) -> str:
    """All of them, an empty line behind each, and what they come to; nothing where there are none."""
    found = list(diagnostics)
    if not found:
        return ""
    return "".join(render(each, colour=colour, width=width) + "\n" for each in found) + summary(found) + "\n"


def summary(diagnostics: Iterable[Diagnostic]) -> str:
    """How many there are: `2 errors, 1 warning`."""
    severities = [each.severity for each in diagnostics]
    counts = [(severities.count(severity), severity) for severity in ("error", "warning")]
    return (
        ", ".join(f"{count} {severity}{'' if count == 1 else 's'}" for count, severity in counts if count)
        or "no findings"
    )


def _places(diagnostic: Diagnostic) -> list[tuple[Source, list[Mark]]]:
    """The sources to show with their marks; the one with the mistake first, then in the order of the labels."""
    labels = list(diagnostic.secondary)
    if diagnostic.span is not None:
        labels.insert(0, Label(diagnostic.span, diagnostic.label))
    places: list[tuple[Source, list[Mark]]] = []
    for index, label in enumerate(labels):
        mark = mark_of(label, primary=index == 0 and diagnostic.span is not None)
        for source, marks in places:
            if source is label.span.source or source == label.span.source:
                marks.append(mark)
                break
        else:
            places.append((label.span.source, [mark]))
    return places


def advice(diagnostic: Diagnostic) -> list[tuple[str, str]]:
    """What else to know and to write, as (`note` or `help`, text); a fix that a help tells already is left out."""
    told = [("note", note) for note in diagnostic.notes] + [("help", text) for text in diagnostic.helps]
    for fix in diagnostic.fixes:
        text = _describe(fix)
        if not any(_says(said, fix, text) for said in diagnostic.helps):
            told.append(("help", text))
    return told


def _describe(fix: Fix) -> str:
    """A fix in words: its title, and the new text unless the title has it or it is longer than a line."""
    new = _new_text(fix.edits)
    if not new or "\n" in new or f"`{new}`" in fix.title:
        return fix.title
    return f"{fix.title.rstrip('.:')}: `{new}`"


def _says(said: str, fix: Fix, text: str) -> bool:
    """Whether a help already tells what the fix would."""
    new = _new_text(fix.edits)
    plain = [each.rstrip(".").casefold() for each in (said, fix.title, text)]
    return plain[0] in plain[1:] or (new != "" and f"`{new}`" in said)


def _new_text(edits: tuple[Edit, ...]) -> str:
    return edits[0].text.strip() if len(edits) == 1 else ""


def _paint(row: Row, styles: dict[str, str]) -> str:
    """A row as text without blanks at its end; neighbouring runs of one style share their escape sequences."""
    runs: list[tuple[str, str]] = []
    for text, style in row:
        sgr = styles.get(style, "")
        if runs and (runs[-1][1] == sgr or not text.strip()):
            runs[-1] = (runs[-1][0] + text, runs[-1][1])
        else:
            runs.append((text, sgr))
    while runs and not runs[-1][0].rstrip():
        runs.pop()
    if runs:
        runs[-1] = (runs[-1][0].rstrip(), runs[-1][1])
    return "".join(f"\x1b[{sgr}m{text}\x1b[0m" if sgr else text for text, sgr in runs)
