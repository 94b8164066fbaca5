"""A step that calls a tool or a chain: attempts, waits between them, its reaction to a fault."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from .arguments import call_arguments
from .events import CancelCall, StartCall
from .fault import Fault, RunFault
from .load import LoadedCallStep

if TYPE_CHECKING:
    from .block import Block
    from .frame import Frame

JITTER: Final = 0.5
"""The share of a wait that chance may take away."""

_ANSWERED: Final = ("shape_mismatch", "result_too_large")
"""Faults of an answer that cannot be used: the call itself has happened."""


class CallActivity:
    """One execution of a call step. Ends by telling the block: settled, failed or (after `abort`) gone."""

    def __init__(self, block: Block, place: int, step: LoadedCallStep, path: str) -> None:
        self._block = block
        self._machine = block.machine
        self._place = place
        self._step = step
        self._path = path
        self._arguments: dict[str, Any] = {}
        self._attempt = 0
        self._frame: Frame | None = None
        self._waiting = False
        self._aborted = False

    def start(self) -> None:
        evaluate = partial(self._machine.evaluate, step=self._path, origin=self._step.plan.origin)
        try:
            self._arguments = call_arguments(self._step.call, self._block.scope, evaluate)
        except RunFault as found:
            self._failed(found.fault)
        else:
            self._try()

    def abort(self) -> None:
        """Gives up a wait or a read at once; a write is awaited, a called chain told to stop."""
        self._aborted = True
        if self._waiting:
            self._machine.clear_timer(f"wait:{self._call}")
            self._block.step_gone(self._place)
        elif self._frame is not None:
            self._frame.stop(Fault("cancelled", "The step was given up because another one failed."))
        elif self._step.plan.read_only:
            self._machine.calls.pop(self._call, None)
            self._machine.emit(CancelCall(self._call))
            self._block.step_gone(self._place)

    # ------------------------------------------------------------------ attempts

    @property
    def _call(self) -> str:
        return f"{self._path}#{self._attempt}"

    def _try(self) -> None:
        self._waiting = False
        self._attempt += 1
        call, policy = self._step.call, self._step.plan.policy
        if call.chain is not None:
            path = self._path if self._attempt == 1 else f"{self._path}~{self._attempt}"
            self._frame = self._block.frame.called(call.chain, path, self)
            if policy.timeout_ms is not None:
                self._machine.set_timer(f"timeout:{self._call}", policy.timeout_ms, self._too_late)
            self._frame.start(self._arguments)
            return
        assert call.tool is not None
        try:
            self._block.frame.charge()
        except RunFault as found:
            self._failed(found.fault)
            return
        self._machine.calls[self._call] = self
        effects = call.tool.plan.effects
        command = StartCall(
            call=self._call,
            step=self._path,
            tool=call.tool,
            arguments=self._arguments,
            timeout_ms=policy.timeout_ms or self._machine.loaded.plan.limits.call_ms,
            attempt=self._attempt,
            # The compiler lets a step have a retry only where it is safe, or where its author says so.
            repeatable=effects.read_only or effects.idempotent or policy.retry is not None,
        )
        self._machine.emit(command)

    def _too_late(self) -> None:
        assert self._frame is not None
        seconds = f"{(self._step.plan.policy.timeout_ms or 0) / 1000:g}"
        self._frame.stop(Fault("timeout", f"`{self._step.call.chain}` did not finish within {seconds} s.", self._path))

    # ------------------------------------------------------------------ ends of attempts

    def call_succeeded(self, value: Any) -> None:
        if not self._step.plan.read_only:
            self._machine.record_done(self._path)
        self._succeeded(value)

    def call_failed(self, fault: Fault) -> None:
        fault = fault.at(self._path, self._step.plan.origin)
        if fault.fault_class in _ANSWERED and not self._step.plan.read_only:
            self._machine.record_done(self._path)
        if self._aborted:
            self._machine.record_also(fault)
        self._failed(fault)

    def frame_done(self, value: Any, summary: str | None) -> None:
        self._frame = None
        self._machine.clear_timer(f"timeout:{self._call}")
        self._succeeded(value)

    def frame_failed(self, fault: Fault) -> None:
        self._frame = None
        self._machine.clear_timer(f"timeout:{self._call}")
        self._failed(fault)

    def _succeeded(self, value: Any) -> None:
        if self._aborted:
            self._block.step_gone(self._place)
        else:
            self._block.step_settled(self._place, value, "succeeded")

    def _failed(self, fault: Fault) -> None:
        if self._aborted:
            self._block.step_gone(self._place)
            return
        wait = self._wait_before_retry(fault)
        if wait is None:
            self._block.step_failed(self._place, fault, self._step.on_error)
        else:
            self._waiting = True
            self._machine.set_timer(f"wait:{self._call}", wait, self._try, JITTER)

    def _wait_before_retry(self, fault: Fault) -> int | None:
        """Milliseconds until the next attempt: doubled each time, up to the cap. None: there is none."""
        retry = self._step.plan.policy.retry
        if retry is None or not 0 < self._attempt <= retry.count or not fault.row.retryable:
            return None
        if retry.on and fault.fault_class not in retry.on:
            return None
        return min(retry.wait_ms << min(self._attempt - 1, 30), retry.max_wait_ms)
