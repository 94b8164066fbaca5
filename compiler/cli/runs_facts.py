"""What receipts say of each step: whether it was allowed, whether it was called, whether it is done. Three facts: a
call that was allowed need not have been made, and one that was answered need not have had its effect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stdlib.runtime.principal import Owner
from stdlib.runtime.receipt import Receipt
from stdlib.runtime.record import Record


@dataclass(frozen=True, slots=True)
class Facts:
    """Of one step, after its last attempt."""

    step: str
    allowed: str
    called: str
    done: str


def facts(receipts: Sequence[Receipt]) -> list[Facts]:
    """In the order in which the steps were called first."""
    last: dict[str, Receipt] = {}
    for each in _whole(receipts):
        if each.tool is not None and each.purpose == "step":
            last[each.step] = each
    return [Facts(step, _allowed(each), _called(each), _done(each)) for step, each in last.items()]


def people(receipts: Sequence[Receipt]) -> list[str]:
    """What was decided or answered, one sentence each."""
    lines = []
    for each in _whole(receipts):
        if each.purpose not in ("approve", "ask"):
            continue
        approval = each.approval or {}
        if each.outcome == "fault":
            said = f"nobody answered ({each.fault})"
        elif each.purpose == "ask":
            said = "answered"
        elif "approved" in approval:
            said = f"{'approved' if approval['approved'] else 'rejected'} by {approval.get('by', 'somebody')}"
        else:
            said = "its time was over"
        lines.append(f"{each.step}: {said}")
    return lines


def undone(receipts: Sequence[Receipt]) -> list[tuple[str, str]]:
    """Each step that was to be taken back, and what came of it."""
    last = {each.step: each for each in _whole(receipts) if each.purpose == "undo"}
    return [
        (step, "taken back" if each.outcome == "ok" else f"could not be taken back ({each.fault})")
        for step, each in last.items()
    ]


def _whole(receipts: Sequence[Receipt]) -> Sequence[Receipt]:
    """Each with what became known of it later."""
    return Record("", Owner(), "", receipts).receipts


def _interrupted(receipt: Receipt) -> bool:
    """It was sent, and the server ended: the gate has only refused to send it again."""
    return receipt.refused == "side_effect" and receipt.fault == "unknown_outcome"


def _allowed(receipt: Receipt) -> str:
    if receipt.refused is not None and not _interrupted(receipt):
        return f"no, refused by the gate {receipt.refused}"
    by = (receipt.approval or {}).get("by")
    return f"yes, by {by}" if by else "yes"


def _called(receipt: Receipt) -> str:
    if _interrupted(receipt):
        return "yes, when the server ended; not again"
    if receipt.refused is not None:
        return "no"
    if receipt.replayed:
        return "not again: the result is that of before"
    tries = f", attempt {receipt.attempt}" if receipt.attempt > 1 else ""
    return f"yes{tries}" if receipt.outcome == "ok" else f"yes{tries}: {receipt.fault}"


def _done(receipt: Receipt) -> str:
    if receipt.verified is not None:
        return "yes, verified" if receipt.verified else "no, not verified"
    if receipt.outcome == "ok":
        return "as the tool says"
    return "unknown" if receipt.fault == "unknown_outcome" else "no"
