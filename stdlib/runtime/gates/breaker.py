"""The circuit breaker: a client that makes the same call again, after it has failed twice in the same way, is told so
instead.

It counts calls of clients, not a step's retries, per session. A success, or another fault, begins anew; other arguments
are another call. What only a person can change does not count.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from ...values.canonical import JsonError
from ...values.digest import digest
from ..fault import Fault
from ..receipt import timestamp

FAILURES: Final = 2
OPEN_S: Final = 300.0
"""How long a call is not made any more after its last failure, in seconds."""

SHORT_S: Final = 30.0
"""The same for faults that may pass without anybody's doing (`retryable`, `precondition`)."""

_KEPT: Final = 10_000
"""Most calls that are remembered."""

_NOT_COUNTED: Final = ("input_required", "consent_required", "cancelled", "budget_exceeded", "circuit_open")
_BY_PEOPLE: Final = ("person", "consent")

Key = tuple[str, str, str]


@dataclass(slots=True)
class _Failures:
    fault_class: str
    count: int
    until: float


class Breaker:
    """Remembers failures of a server's sessions."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._known: OrderedDict[Key, _Failures] = OrderedDict()

    def check(self, session: str, name: str, arguments: Any) -> Fault | None:
        """The fault `circuit_open`, where the call must not be made now."""
        if not self._known:
            return None
        found = self._known.get(_key(session, name, arguments))
        now = self._clock()
        if found is None or found.count < FAILURES or not _counts(found, now):
            return None
        return Fault(
            "circuit_open",
            f"`{name}` failed {found.count} times with these arguments, each time with `{found.fault_class}`, and is "
            "not called again with them now.",
            next=f"Change the arguments or ask the user. The same call is possible again at {timestamp(found.until)}.",
            details={"cause": found.fault_class, "until": timestamp(found.until)},
            sent=False,
            refused="breaker",
        )

    def note(self, session: str, name: str, arguments: Any, fault: Fault | None) -> None:
        """How a call has ended."""
        if fault is None:
            if self._known:
                self._known.pop(_key(session, name, arguments), None)
            return
        if fault.fault_class in _NOT_COUNTED or fault.refused in _BY_PEOPLE:
            return
        key, now = _key(session, name, arguments), self._clock()
        found = self._known.pop(key, None)
        same = found is not None and found.fault_class == fault.fault_class and _counts(found, now)
        count = found.count + 1 if found is not None and same else 1
        self._known[key] = _Failures(fault.fault_class, count, now + _open_s(fault))
        if len(self._known) > _KEPT:
            self._known.popitem(last=False)


def _counts(found: _Failures, now: float) -> bool:
    """Its time is not over; nor is it so far away that the clock was wrong, and was put right."""
    return now < found.until <= now + 2 * OPEN_S


def _open_s(fault: Fault) -> float:
    return SHORT_S if fault.may_pass or fault.fault_class == "precondition" else OPEN_S


def _key(session: str, name: str, arguments: Any) -> Key:
    try:
        return session, name, digest(arguments)
    except (JsonError, ValueError, TypeError, RecursionError):
        return session, name, repr(type(arguments))
