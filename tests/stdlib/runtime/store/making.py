"""What tests of stores put into them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable
from dataclasses import replace
from typing import Any

import pytest

from stdlib.runtime.events import CallSucceeded
from stdlib.runtime.fault import RunFault
from stdlib.runtime.principal import Owner
from stdlib.runtime.receipt import Receipt
from stdlib.runtime.store.decisions import Awaited, Decision
from stdlib.runtime.store.journal import Begun, Ended, Happening

ANNE = Owner("north", "anne")
BOB = Owner("north", "bob")
EVE = Owner("south", "anne")
"""Another tenant's principal of the same name."""

PLAN = '{"plan": "text"}'
DONE = Ended(2_000.0, {"value": 1}, None)
FAILED = Ended(2_000.0, None, {"class": "timeout"})


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


async def fault_of(action: Awaitable[Any]) -> tuple[str, str]:
    with pytest.raises(RunFault) as found:
        await action
    return found.value.fault.fault_class, found.value.fault.message


async def body(*chunks: bytes) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


def begun(run: str, **fields: Any) -> Begun:
    return replace(Begun(run, "c", "d1", ANNE, 1_000.0, {}), **fields)


def answered(call: str, value: Any = None) -> Happening:
    return Happening(CallSucceeded(call, value), 1_001.5)


def receipt(run: str, step: str, **fields: Any) -> Receipt:
    plain = Receipt(
        run=run,
        step=step,
        at=1_001.25,
        principal="anne",
        tenant="north",
        purpose="step",
        version="v1",
        outcome="ok",
    )
    return replace(plain, **fields)


def question(run: str = "r1", step: str = "ok", digest: str = "q1", **fields: Any) -> Awaited:
    plain = Awaited(run, "c", step, "approve", "Send it?", "editors", [1], digest, ANNE, 1_000_600.0)
    return replace(plain, **fields)


def decision(run: str = "r1", step: str = "ok", digest: str = "q1", **fields: Any) -> Decision:
    return replace(Decision(run, step, digest, True, "bob", "Yes.", 1_000_001.0), **fields)
