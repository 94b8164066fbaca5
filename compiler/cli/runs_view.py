"""Runs as commands show them, and how a run is named."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from compiler.cli.exits import Usage

if TYPE_CHECKING:
    from stdlib.runtime.store import Store
    from stdlib.runtime.store.decisions import Awaited
    from stdlib.runtime.store.journal import RunRow

STATES: Final = ("running", "parked", "interrupted", "succeeded", "failed")
DIGEST: Final = 12
"""So many signs of a digest are shown."""

_MOST: Final = 1_000_000
_ID: Final = re.compile(r"run_[0-9a-f]{32}")
_SHORT: Final = 12
_SHOWN: Final = 4000


async def find_run(store: Store, name: str) -> RunRow:
    """The run of this id, or whose id begins so. Raises Usage where there is none, or more than one."""
    row = await store.journal.run(name)
    if row is not None:
        return row
    found = [each for each in await store.journal.runs(limit=_MOST) if each.begun.run.startswith(name)]
    if len(found) > 1:
        raise Usage(f"there are {len(found)} runs whose id begins with `{name}`.", "Give more of it.")
    if not found:
        raise Usage(f"there is no run `{name}`.", "`chainc runs list` shows those that there are.")
    return found[0]


def short(run: str) -> str:
    """The beginning of an id: enough to name the run."""
    return run[:_SHORT] if _ID.fullmatch(run) else run


def as_json(row: RunRow, awaited: Iterable[Awaited], now: float) -> dict[str, Any]:
    """A run for machines; what is not known is left out."""
    from stdlib.runtime.receipt import timestamp

    begun, ended = row.begun, row.ended
    told: dict[str, Any] = {
        "run": begun.run,
        "state": row.state,
        "chain": begun.chain,
        "version": begun.version,
        "tenant": begun.owner.tenant,
        "principal": begun.owner.principal,
        "plan": begun.plan,
        "started": timestamp(begun.started),
        "ended": None if ended is None else timestamp(ended.at),
        "ms": round(_took(row, now) * 1000),
        "fault": None if ended is None else ended.fault,
        "awaits": [question_json(each) for each in awaited if each.run == begun.run],
    }
    return {name: value for name, value in told.items() if value not in (None, [])}


def question_json(asked: Awaited) -> dict[str, Any]:
    from stdlib.runtime.receipt import timestamp

    told = {
        "step": asked.step,
        "kind": asked.kind,
        "question": asked.text,
        "by": asked.by,
        "show": asked.show,
        "digest": asked.digest,
        "requester": {"tenant": asked.requester.tenant, "principal": asked.requester.principal},
        "until": timestamp(asked.until),
    }
    return {name: value for name, value in told.items() if value is not None}


def question_text(asked: Awaited) -> str:
    """A question with all that somebody must see who decides it; what is shown is bounded."""
    requester = asked.requester
    lines = [f"{asked.step}: {asked.text}"]
    if asked.show is not None:
        shown = json.dumps(asked.show, ensure_ascii=False, indent=2)
        more = len(shown) - _SHOWN
        lines.append(shown if more <= 0 else f"{shown[:_SHOWN]}… ({more} more characters)")
    lines += [
        f"decided by  {asked.by or 'the user of the client'}",
        f"asked for   {requester.tenant}/{requester.principal}, by the chain {asked.chain}",
        f"until       {moment(asked.until)}",
        f"digest      {asked.digest[:DIGEST]}",
    ]
    return "\n".join(lines)


def row_text(row: RunRow, awaited: Sequence[Awaited], now: float) -> list[str]:
    """The cells of a run in a list: id, state, chain, whose, when, how long, and what there is to say of it."""
    begun = row.begun
    return [
        short(begun.run),
        row.state,
        begun.chain,
        whose(row),
        moment(begun.started),
        lasting(_took(row, now)),
        _note(row, [each for each in awaited if each.run == begun.run]),
    ]


def whose(row: RunRow) -> str:
    owner = row.begun.owner
    return owner.principal if owner.tenant == owner.principal else f"{owner.tenant}/{owner.principal}"


def moment(seconds: float) -> str:
    """Seconds since the epoch, in UTC."""
    return time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(seconds))


def lasting(seconds: float) -> str:
    """How long something lasts, by its two greatest units."""
    if seconds < 60:
        return f"{max(seconds, 0):.1f} s"
    minutes, hours, days = int(seconds // 60), int(seconds // 3600), int(seconds // 86400)
    if minutes < 60:
        return f"{minutes} m {int(seconds % 60)} s"
    return f"{hours} h {minutes % 60} m" if hours < 48 else f"{days} d {hours % 24} h"


def took(row: RunRow, now: float) -> str:
    return lasting(_took(row, now))


def _took(row: RunRow, now: float) -> float:
    return (now if row.ended is None else row.ended.at) - row.begun.started


def _note(row: RunRow, awaited: Sequence[Awaited]) -> str:
    if row.ended is not None and row.ended.fault is not None:
        return str(row.ended.fault.get("class", "fault"))
    return "; ".join(f"awaits {each.by or 'the user'} at {each.step}: {each.text}" for each in awaited)
