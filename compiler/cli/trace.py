"""The timeline of a run, from its receipts: when each call began, how long it took, and how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from dsl.glyphs import glyphs
from stdlib.runtime.receipt import Receipt

_COLUMNS: Final = 100
"""Of anything that is no terminal."""
_BAR: Final = (12, 48)
"""The narrowest and the widest bar."""
_GIVEN_UP: Final = ("tool", "bytes", "try")
"""Columns that a narrow terminal has no room for, the first one first."""
_RIGHT: Final = ("at", "took", "try", "bytes")


@dataclass(frozen=True, slots=True)
class Row:
    """One call, or the answer of a person. `at` and `ms`: milliseconds, from the beginning of the first one on."""

    at: int
    ms: int
    step: str
    tool: str
    attempt: int
    bytes: int
    outcome: str

    def cells(self) -> dict[str, str]:
        return {
            "at": _seconds(self.at),
            "took": _seconds(self.ms),
            "step": self.step,
            "tool": self.tool,
            "try": str(self.attempt),
            "bytes": _size(self.bytes) if self.bytes else "",
            "outcome": self.outcome,
        }


def timeline(receipts: Sequence[Receipt]) -> list[Row]:
    """A row a call, in the order in which they began. What became known of a call later belongs to its row."""
    calls: dict[tuple[str, str, int], Receipt] = {}
    verified: dict[tuple[str, str, int], bool] = {}
    for receipt in receipts:
        name = receipt.step, receipt.purpose, receipt.attempt
        if name not in calls or not receipt.completes:
            calls[name] = receipt
        if receipt.verified is not None:
            verified[name] = receipt.verified
    began = min((receipt.at for receipt in calls.values()), default=0.0)
    rows = [_row(receipt, verified.get(name), began) for name, receipt in calls.items()]
    return sorted(rows, key=lambda row: row.at)


def text(receipts: Sequence[Receipt], *, width: int | None = None, marks: bool = True) -> str:
    """The timeline for people: a table, with a bar behind each call where the columns leave room for it."""
    rows = timeline(receipts)
    if not rows:
        return "Nothing was called.\n"
    room = _COLUMNS if width is None else width
    table = [{name: name for name in rows[0].cells()}, *(row.cells() for row in rows)]
    columns = list(table[0])
    for name in _GIVEN_UP:
        if _length(table, columns) > room:
            columns.remove(name)
    bar = min(room - _length(table, columns) - 3, _BAR[1])
    span = max(max(row.at + row.ms for row in rows), 1)
    lines = [_total(rows, span)]
    for line, row in zip(table, [None, *rows], strict=True):
        written = "  ".join(_padded(line[name], _widest(table, name), name in _RIGHT) for name in columns)
        if row is not None and bar >= _BAR[0]:
            written += f"  {_bar(row, span, bar, marks)}"
        lines.append(_cut(written.rstrip(), room))
    return "".join(f"{line}\n" for line in lines)


def as_json(run: str | None, receipts: Sequence[Receipt]) -> dict[str, Any]:
    """The timeline for machines: the rows of the text, then the receipts themselves."""
    rows = [
        {name: getattr(row, name) for name in ("at", "ms", "step", "tool", "attempt", "bytes", "outcome")}
        for row in timeline(receipts)
    ]
    return {"run": run, "calls": rows, "receipts": [receipt.to_json() for receipt in receipts]}


def _row(receipt: Receipt, verified: bool | None, began: float) -> Row:
    outcome = "ok" if receipt.outcome == "ok" else receipt.fault or "fault"
    if receipt.replayed:
        outcome += ", as before"
    if verified is not None:
        outcome += ", verified" if verified else ", not verified"
    if receipt.purpose == "approve" and receipt.approval is not None and receipt.outcome == "ok":
        outcome = "approved" if receipt.approval.get("approved") else "rejected"
    return Row(
        at=round((receipt.at - began) * 1000),
        ms=receipt.ms,
        step=receipt.step if receipt.purpose in ("step", "approve", "ask") else f"{receipt.step}: {receipt.purpose}",
        tool=receipt.tool or receipt.purpose,
        attempt=receipt.attempt,
        bytes=receipt.bytes,
        outcome=outcome,
    )


def _total(rows: list[Row], span: int) -> str:
    failed = sum(row.outcome.split(",")[0] not in ("ok", "approved", "rejected") for row in rows)
    faults = f", {failed} failed" if failed else ""
    return f"{len(rows)} {'call' if len(rows) == 1 else 'calls'}{faults}, {_seconds(span)}"


def _bar(row: Row, span: int, width: int, marks: bool) -> str:
    """At least one cell; an answer of a person is a point in time."""
    start = min(row.at * width // span, width - 1)
    end = max(start + 1, min(round((row.at + row.ms) * width / span), width))
    return " " * start + ("█" if marks else "#") * (end - start)


def _seconds(ms: int) -> str:
    return f"{ms / 1000:.3f} s"


def _size(count: int) -> str:
    for unit in ("B", "kB", "MB"):
        if count < 1000 or unit == "MB":
            break
        count = round(count / 1000)
    return f"{count} {unit}"


def _length(table: list[dict[str, str]], columns: list[str]) -> int:
    return sum(_widest(table, name) + 2 for name in columns) - 2


def _widest(table: list[dict[str, str]], name: str) -> int:
    return max(_width(line[name]) for line in table)


def _width(written: str) -> int:
    return sum(width for _, width in glyphs(written))


def _padded(written: str, width: int, right: bool) -> str:
    space = " " * (width - _width(written))
    return space + written if right else written + space


def _cut(line: str, room: int) -> str:
    shown, used = "", 0
    for glyph, width in glyphs(line):
        if used + width > room:
            break
        shown, used = shown + glyph, used + width
    return shown
