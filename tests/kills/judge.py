"""What must hold of a life when it has ended, however often it was killed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from tests.kills.life import Life


def judge(life: Life) -> str:
    """How it ended, in a word. AssertionError where a promise is broken."""
    rows = life.runs()
    if not rows:
        assert not life.effects(), "something was done by a run that nobody knows of"
        return "never begun"
    for row, _ in rows:
        assert row.ended is not None, f"{row.begun.run} has not ended"
        assert row.state in ("succeeded", "failed")
    _keys_are_used_once(life)
    if life.again:
        return "asked again"
    assert len(rows) == 1
    ((row, receipts),) = rows
    assert row.ended is not None
    fault = row.ended.fault
    _nothing_is_done_twice(life)
    if life.chain == "order":
        if fault is None:
            _everything_was_done(life)
        else:
            _everything_is_accounted_for(life, fault)
    written = {(each.step, each.purpose, each.attempt) for each in receipts if not each.completes and not each.replayed}
    kept = [each for each in receipts if not each.completes]
    assert len(written) == len(kept), "two receipts tell of one attempt"
    return "succeeded" if fault is None else str(fault["class"])


def _made(life: Life) -> dict[str, Any]:
    return {each.id: each for each in life.effects() if each.tool in ("book", "pay")}


def _cancelled(life: Life) -> Counter[str]:
    return Counter(each.id for each in life.effects() if each.tool == "cancel")


def _keys_are_used_once(life: Life) -> None:
    """Whoever asks again with the same key has the same payment."""
    cancelled = _cancelled(life)
    standing = Counter(each.key for each in _made(life).values() if each.key and not cancelled[each.id])
    assert all(count == 1 for count in standing.values()), f"paid twice: {standing}"


def _nothing_is_done_twice(life: Life) -> None:
    assert all(each.tool != "asked again" for each in life.effects()), "the runtime asked again by itself"
    for tool in ("book", "pay"):
        counts = Counter(each.item for each in _made(life).values() if each.tool == tool)
        assert all(count == 1 for count in counts.values()), f"{tool} was done twice: {counts}"
    assert all(count == 1 for count in _cancelled(life).values()), "cancelled twice"
    assert sum(each.tool == "ship" for each in life.effects()) <= 1, "shipped twice"


def _everything_was_done(life: Life) -> None:
    n = life.arguments["n"]
    items = sorted((each.tool, each.item) for each in _made(life).values())
    wanted = [("book", -1), *(("book", item) for item in range(n)), ("pay", -2), *(("pay", i) for i in range(n))]
    assert items == sorted(wanted), f"something is missing: {items}"
    assert not _cancelled(life)
    assert {each.tool for each in life.effects()} >= {"note", "ship"}


def _everything_is_accounted_for(life: Life, fault: Mapping[str, Any]) -> None:
    """Each effect that still stands is named by the fault; what it says was taken back was taken back."""
    cancelled = _cancelled(life)
    made = {_path(each.tool, each.item): each for each in _made(life).values()}
    named = {*fault["done"], *(each["step"] for each in fault.get("not_undone", ()))}
    also = {each["step"] for each in fault.get("details", {}).get("also", ())}
    unknown = {fault.get("step")} if fault["class"] == "unknown_outcome" else set()
    assert fault["class"] in ("unknown_outcome", "unavailable", "tool_error"), fault  # unavailable: it did not happen
    for path, each in made.items():
        if not cancelled[each.id]:
            assert path in named | unknown | also, f"{path} stands, and {fault} does not say so"
    for path in fault.get("undone", ()):
        assert path in made, f"{path} is said to be undone, but it was never done"
        assert cancelled[made[path].id] == 1, f"{path} is said to be undone, but it stands"
    in_doubt = {each["step"] for each in fault.get("not_undone", ()) if "unknown" in each["reason"]}
    for path in fault["done"]:
        if path in made and path not in in_doubt:
            assert not cancelled[made[path].id], f"{path} is said to stand, but it was cancelled"
    if any(each.tool == "ship" for each in life.effects()):
        assert "shipped" in named | unknown, f"shipped, and {fault} does not say so"


def _path(tool: str, item: int | None) -> str:
    if item == -1:
        return "first"
    if item == -2:
        return "fee"
    return f"bought[{item}].{'booked' if tool == 'book' else 'payment'}"
