"""A store with some runs, for commands that look into it."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import anyio

from stdlib.runtime.principal import Owner
from stdlib.runtime.store.handles import Label
from stdlib.runtime.store.journal import Ended
from stdlib.runtime.store.sqlite import SqliteStore
from tests.stdlib.runtime.store.making import ANNE, PLAN, begun, question, receipt

HOUR = 3600.0
DAY = 86_400.0
FAULT = {
    "code": "F0009",
    "class": "timeout",
    "message": "The bank did not answer.",
    "step": "pay",
    "done": ["note"],
    "undone": ["hold"],
    "not_undone": [{"step": "mail", "reason": "it has no undo"}],
    "next": "Call again later.",
}
ID = "run_" + "ab" * 16


def fill(path: Path) -> None:
    """`ID` failed today, `old` succeeded 40 days ago, `waits` and `lone` are parked and nobody drives them."""

    async def write() -> None:
        store = SqliteStore.open(path)
        now = time.time()
        old, today = now - 40 * DAY, now - 2 * HOUR
        await store.journal.keep(
            begun("old", chain="read", started=old),
            Ended(old + 1, {"iban": "DE00"}, None),
            [receipt("old", "s", at=old)],
        )
        paid = receipt(ID, "pay", at=today + 3, tool="bank.pay", ms=1500, key="k1", arguments="d" * 64)
        said = {"digest": "e" * 64, "approved": True, "by": "bob", "comment": "fine with me"}
        written = [
            receipt(ID, "hold", at=today, tool="bank.hold", arguments="d" * 64, receipt={"iban": "DE00"}),
            receipt(ID, "go", at=today + 1, purpose="approve", approval=said),
            receipt(ID, "note", at=today + 2, tool="log.note", verified=True),
            receipt(ID, "bad", at=today + 2, tool="log.send", outcome="fault", fault="denied", refused="resource"),
            receipt(ID, "pay", at=today + 2, tool="bank.pay", outcome="fault", fault="rate_limited"),
            receipt(ID, "pay", at=paid.at, tool="bank.pay", outcome="fault", fault="unknown_outcome", attempt=2),
            receipt(ID, "hold", at=today + 5, tool="bank.free", purpose="undo"),
            receipt(ID, "lock", at=today + 5, tool="bank.open", purpose="undo", outcome="fault", fault="unavailable"),
        ]
        await store.journal.keep(begun(ID, chain="refund", started=today), Ended(today + 6.5, None, FAULT), written)
        for run, owner in (("waits", ANNE), ("lone", Owner())):
            await store.journal.begin(begun(run, chain="refund", plan="f" * 64, owner=owner, started=now - 60), PLAN)
            await store.journal.park(run, True)
        asks = question("waits", "go", digest="1234567890ab" + "0" * 52, text="Refund?", by="bosses", show={"sum": 5})
        until = now + HOUR
        await store.decisions.await_decision(replace(asks, until=until))
        own = question("lone", "go", digest="fedcba987654" + "0" * 52, text="Go on?", by=None, show=None)
        await store.decisions.await_decision(replace(own, until=until, requester=Owner()))
        await store.handles.put(ANNE, Label("rows", expires_ms=3_600_000, plan="c" * 64), [1])
        await store.close()

    anyio.run(write)
