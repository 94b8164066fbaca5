"""Taking back what was done: the completed steps that have an undo, the last one first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from .arguments import call_arguments
from .evaluate import Scope
from .fault import Fault, RunFault
from .keys import KeyPath
from .loaded import LoadedCallStep
from .one_call import OneCall, Order

if TYPE_CHECKING:
    from .frame import Frame
    from .machine import Machine


@dataclass(frozen=True, slots=True)
class Completed:
    """A step that was done and has an undo. `scope` sees its result. `reason`: why it cannot be taken back."""

    path: str
    step: LoadedCallStep
    scope: Scope
    frame: Frame
    keys: KeyPath
    key: str | None = None
    reason: str | None = None


def within(path: str, outer: str) -> bool:
    """Whether a step belongs to another one: its attempts, its items, the steps of the chain that it calls."""
    return not outer or path == outer or (path.startswith(outer) and path[len(outer)] in ".[~:")


class Undoing:
    """Undoes some completed steps one after the other, within the time for it; then goes on."""

    def __init__(self, machine: Machine, name: str, entries: list[Completed], then: Callable[[], None]) -> None:
        self._machine = machine
        self._timer = f"undo:{name}"
        self._entries = entries
        self._then = then
        self._current: tuple[Completed, OneCall] | None = None

    def start(self) -> None:
        self._machine.set_timer(self._timer, self._machine.loaded.plan.limits.undo_ms, self._too_late)
        self._next()

    def _next(self) -> None:
        self._current = None
        while self._entries:
            entry = self._entries.pop()
            if entry.reason is not None:
                self._machine.record_not_undone(entry.path, entry.reason)
                continue
            try:
                call = self._call(entry)
            except RunFault as found:
                self._machine.record_not_undone(entry.path, found.fault.message)
                continue
            self._current = entry, call
            call.start()
            return
        self._machine.clear_timer(self._timer)
        self._machine.post(self._then)

    def _call(self, entry: Completed) -> OneCall:
        step, target = entry.step, entry.step.undo
        assert target is not None
        evaluate = partial(self._machine.evaluate, step=entry.path, origin=step.plan.origin)
        limits, own = self._machine.loaded.plan.limits, step.plan.policy.timeout_ms
        order = Order(
            target=target,
            id=f"{entry.path}:undo#1",
            step=entry.path,
            path=f"{entry.path}:undo",
            arguments=call_arguments(target, entry.scope, evaluate),
            keys=entry.keys.into("undo"),
            timeout_ms=min(own or limits.call_ms, limits.undo_ms),
            read_only=False,
            repeatable=False if target.tool is None else target.tool.plan.effects.idempotent,
            purpose="undo",
        )
        return OneCall(entry.frame, order, self._succeeded, self._failed, free=True)

    def _succeeded(self, value: Any, replayed: bool) -> None:
        assert self._current is not None
        entry, _ = self._current
        self._machine.record_undone(entry.path, entry.key)
        self._next()

    def _failed(self, fault: Fault, key: str | None) -> None:
        assert self._current is not None
        self._machine.record_not_undone(self._current[0].path, fault.message)
        self._next()

    def _too_late(self) -> None:
        """What is left stays as it is; a tool that does not answer is waited for no longer."""
        left, self._entries = self._entries, []
        seconds = f"{self._machine.loaded.plan.limits.undo_ms / 1000:g}"
        ended = False
        if self._current is not None:
            entry, call = self._current
            ended = call.give_up()
            if ended:
                reason = f"It is unknown whether it was taken back: no answer within {seconds} s."
                self._machine.record_not_undone(entry.path, reason)
        for entry in reversed(left):
            self._machine.record_not_undone(entry.path, entry.reason or f"The {seconds} s for it were over.")
        if ended:
            self._next()
