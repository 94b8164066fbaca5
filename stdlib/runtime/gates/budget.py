"""Gate 5: what a principal, and a session, may use in a while. (What one run may use, its chain says: see `frame`.)

Counted in this process: a server that is started again begins anew, and each of several replicas counts for itself.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

from ..events import CallSucceeded
from ..receipt import timestamp
from ..run_result import Result
from .passing import Inside, Passing, refusal
from .window import Window

if TYPE_CHECKING:
    from ...plan.plan import Allowance
    from ..world import World

KEPT: Final = 10_000
"""Most principals and sessions whose use is remembered; those that are idle are forgotten first."""

_UNITS: Final = {
    "calls": "calls of tools",
    "bytes": "bytes of results",
    "time_ms": "of calls of tools",
    "cost": "in cost",
}


class Usage:
    """The windows of principals and sessions."""

    def __init__(self) -> None:
        self._windows: dict[str, OrderedDict[tuple[str, ...], Window]] = {
            "principal": OrderedDict(),
            "session": OrderedDict(),
        }

    def window(self, kind: str, key: tuple[str, ...], allowance: Allowance, now: float) -> Window:
        """`kind`: principal or session; many sessions of one principal never push a principal out."""
        windows = self._windows[kind]
        found = windows.get(key)
        if found is None:
            if len(windows) >= KEPT:
                _shed(windows, now)
            found = windows[key] = Window(allowance.window_ms / 1000)
        windows.move_to_end(key)
        return found


def _shed(windows: OrderedDict[tuple[str, ...], Window], now: float) -> None:
    for key in [key for key, window in windows.items() if window.idle(now)]:
        del windows[key]
    while len(windows) >= KEPT:
        windows.popitem(last=False)


class _Share:
    """One allowance and its window."""

    def __init__(self, whose: str, allowance: Allowance, window: Window) -> None:
        self._whose = whose
        self._allowance = allowance
        self.window = window

    def check(self, passing: Passing, now: float) -> None:
        """Raises `budget_exceeded`. What is unknown before a call (bytes, time) must not be used up already."""
        most = self._allowance
        if passing.by_client and most.parallel is not None and self.window.running >= most.parallel:
            message = f"{self._whose} may have {most.parallel} calls under way at once."
            raise refusal("budget", "budget_exceeded", message, next="Wait until one of them has ended.")
        cost = 0.0 if passing.tool is None else passing.tool.plan.cost
        calls = 1 if passing.by_client or passing.command is not None else 0
        for what, adds in (("calls", calls), ("bytes", 1), ("time_ms", 1), ("cost", cost)):
            limit = getattr(most, what)
            if limit is None or self.window.total(what, now) + adds <= limit:
                continue
            if adds > limit:
                message = f"{passing.label} costs {adds:g}; {self._whose} may use {limit:g} in {_span(most.window_ms)}."
                raise refusal("budget", "budget_exceeded", message, next="Use another tool, or ask for a larger limit.")
            free = self.window.free_at(what, limit - adds, now)
            raise self._spent(what, limit, free, now)

    def _spent(self, what: str, limit: float, free: float, now: float) -> Exception:
        shown = _span(int(limit)) if what == "time_ms" else f"{limit:g}"
        wait = math.ceil(max(free - now, 1))
        return refusal(
            "budget",
            "budget_exceeded",
            f"{self._whose} has used what it may use in {_span(self._allowance.window_ms)}: {shown} {_UNITS[what]}.",
            next=f"Call again in {_span(wait * 1000)}.",
            details={"limit": what, "free_at": timestamp(now + wait)},
        )


def _shares(world: World, now: float) -> list[_Share]:
    limits, usage, who = world.gates.loaded.plan.limits, world.gates.usage, world.who
    found: list[_Share] = []
    owner = (who.owner.tenant, who.owner.principal)
    if _limits(limits.principal):
        whose = f"The principal `{who.owner.principal}`"
        found.append(_Share(whose, limits.principal, usage.window("principal", owner, limits.principal, now)))
    if _limits(limits.session):
        window = usage.window("session", (who.session, *owner), limits.session, now)
        found.append(_Share("This session", limits.session, window))
    return found


def _limits(allowance: Allowance) -> bool:
    """A window alone limits nothing."""
    return any(getattr(allowance, what) is not None for what in (*_UNITS, "parallel"))


async def budget(passing: Passing, onward: Inside) -> Any:
    """Refuses with `budget_exceeded`; the fault says when there is room again."""
    world = passing.world
    clock = world.ambient.clock
    started = clock()
    shares = [] if passing.settles else _shares(world, started)
    if not shares:
        return await onward(passing)
    for share in shares:
        share.check(passing, started)
    called = passing.command is not None
    for share in shares:
        share.window.running += passing.by_client
        if called and passing.tool is not None:
            share.window.add(started, calls=1, cost=passing.tool.plan.cost)
    done: Any = None
    try:
        done = await onward(passing)
        return done
    finally:
        ended = clock()
        for share in shares:
            share.window.running -= passing.by_client
            if called:
                _account(share.window, passing, done, started, ended)


def _account(window: Window, passing: Passing, done: Any, started: float, ended: float) -> None:
    """What became known by the call. The result of an earlier one costs nothing."""
    if isinstance(done, CallSucceeded) and done.replayed and passing.tool is not None:
        window.add(ended, calls=-1, cost=-passing.tool.plan.cost)
        return
    size = 0
    if isinstance(done, CallSucceeded):
        size = done.bytes
    elif isinstance(done, Result):
        size = sum(each.bytes for each in done.receipts)
    window.add(ended, bytes=size, time_ms=max(0.0, (ended - started) * 1000))


def _span(ms: int) -> str:
    for unit, length in (("h", 3_600_000), ("m", 60_000), ("s", 1000)):
        if ms >= length:
            return f"{math.ceil(ms / length * 10) / 10:g} {unit}"
    return f"{ms} ms"
