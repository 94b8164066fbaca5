"""What is told of a run that has not ended and does not go on here: another process that uses the store has it, or
will have it."""

from __future__ import annotations

from typing import Any, Final

from ..runtime.fault import Fault
from ..runtime.receipt import timestamp
from ..runtime.store.decisions import Awaited, Decisions
from ..runtime.store.journal import RunRow

_INTERRUPTED: Final = "`{}` was interrupted, and goes on when its server starts again."


async def elsewhere(row: RunRow, decisions: Decisions) -> Fault:
    """`row`: of a run of the caller's. Who reads that there is no such run calls again, and does it twice."""
    begun = row.begun
    awaits = [_told(each) for each in await decisions.awaited() if each.run == begun.run]
    if row.state == "interrupted":
        what = _INTERRUPTED.format(begun.chain)
    elif awaits:
        asked = "; ".join(f"{each.get('by', 'the user')}: {each['question']}" for each in awaits)
        what = f"`{begun.chain}` waits for people, in another process of this server. {asked}"
    else:
        what = f"`{begun.chain}` goes on in another process of this server."
    return _later(begun.chain, begun.run, what, awaits)


def interrupted(chain: str, run: str) -> Fault:
    """Of a run that this server lets go of because it ends."""
    return _later(chain, run, _INTERRUPTED.format(chain), [])


def no_run(run: str) -> Fault:
    advice = "If its result is still wanted, call the tool again; what it had done stands in its own fault."
    return Fault("invalid_input", f"There is no run `{run[:80]}` here that could go on.", next=advice)


def _later(chain: str, run: str, what: str, awaits: list[dict[str, Any]]) -> Fault:
    return Fault(
        "input_required" if awaits else "unavailable",
        what,
        awaits[0]["step"] if awaits else None,
        next=f'Do not call `{chain}` again. Call resume_run with run "{run}" later.',
        details={"run": run, **({"awaits": awaits} if awaits else {})},
        lasting=True,
    )


def _told(asked: Awaited) -> dict[str, Any]:
    told: dict[str, Any] = {"step": asked.step, "kind": asked.kind, "question": asked.text}
    if asked.by is not None:
        told["by"] = asked.by
    return told | {"until": timestamp(asked.until)}
