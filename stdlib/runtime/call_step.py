"""A step that calls a tool or a chain: attempts, waits between them, what makes sure of the outcome, its reaction."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from .arguments import call_arguments
from .evaluate import Scope
from .events import CompleteReceipt, Happened, Purpose
from .fault import Fault, RunFault
from .keys import KeyPath, fitted
from .loaded import LoadedCall, LoadedCallStep
from .one_call import OneCall, Order
from .undo import Completed

if TYPE_CHECKING:
    from .block import Block

JITTER: Final = 0.5
"""The share of a wait that chance may take away."""

_ANSWERED: Final = ("shape_mismatch", "result_too_large")
"""Faults of an answer that cannot be used: the call itself has happened."""

_UNKNOWN: Final = ("timeout", "unavailable", "unknown_outcome", "internal")
"""Faults of a call that may have happened where it was sent."""


class CallActivity:
    """One execution of a call step. Ends by telling the block: settled, failed or (after `abort`) gone.

    The call is made, again where the policy says so; where its outcome is unknown it is reconciled. Then it has
    happened: it can be undone from now on. A verification decides whether the step has succeeded.
    """

    def __init__(self, block: Block, place: int, step: LoadedCallStep, path: str, keys: KeyPath) -> None:
        self._block = block
        self._machine = block.machine
        self._place = place
        self._step = step
        self._path = path
        self._keys = keys
        self._key = keys.key() if step.plan.key is not None else None
        self._arguments: dict[str, Any] = {}
        self._attempt = 0
        self._call: OneCall | None = None
        self._reconciling = False
        self._waiting = False
        self._aborted = False
        self._done = False
        self._doubted = False
        self._receipt: Any = None

    def start(self) -> None:
        try:
            self._arguments = self._built(self._step.call, self._block.scope)
        except RunFault as found:
            self._failed(found.fault)
        else:
            self._try()

    def abort(self) -> None:
        """Gives up a wait or a read at once; a write is awaited, a called chain told to stop."""
        self._aborted = True
        if self._waiting:
            self._machine.clear_timer(f"wait:{self._path}#{self._attempt}")
            self._gone()
        elif self._call is not None and not self._reconciling and self._call.abort():
            self._complete_receipt(None)
            self._gone()

    # ------------------------------------------------------------------ calls

    def _built(self, call: LoadedCall, scope: Scope) -> dict[str, Any]:
        evaluate = partial(self._machine.evaluate, step=self._path, origin=self._step.plan.origin)
        parameter = self._step.plan.key
        if parameter is None or self._key is None or call is not self._step.call:
            return call_arguments(call, scope, evaluate)
        schema = {} if call.tool is None else call.tool.plan.input_schema.get("properties", {}).get(parameter, {})
        return call_arguments(call, scope, evaluate, {parameter: fitted(self._key, schema)})

    def _order(self, purpose: Purpose, call: LoadedCall, arguments: dict[str, Any]) -> Order:
        plan = self._step.plan
        suffix = "" if purpose == "step" else f":{purpose}"
        effects = None if call.tool is None else call.tool.plan.effects
        repeatable = effects is not None and (effects.read_only or effects.idempotent)
        if purpose == "step":
            # The compiler lets a step have a retry only where it is safe, or where its author says so.
            repeatable = (repeatable or plan.policy.retry is not None) and self._step.reconcile is None
        keyed = purpose == "step" and call.tool is not None
        return Order(
            target=call,
            id=f"{self._path}{suffix}#{self._attempt}",
            step=self._path,
            path=f"{self._path}{suffix}" if self._attempt == 1 else f"{self._path}{suffix}~{self._attempt}",
            arguments=arguments,
            keys=self._keys if purpose == "step" else self._keys.into(purpose),
            timeout_ms=plan.policy.timeout_ms,
            read_only=plan.read_only if purpose == "step" else effects is not None and effects.read_only,
            repeatable=repeatable,
            purpose=purpose,
            attempt=self._attempt,
            key=self._key if keyed else None,
            parameter=plan.key if keyed else None,
            held=purpose == "step" and self._step.held,
        )

    def _try(self) -> None:
        self._waiting = False
        if self._aborted:
            self._gone()
            return
        self._attempt += 1
        order = self._order("step", self._step.call, self._arguments)
        self._call = OneCall(self._block.frame, order, self._happened, self._missed)
        self._call.start()

    def _missed(self, fault: Fault, key: str | None) -> None:
        self._call = None
        fault = fault.at(self._path, self._step.plan.origin)
        if fault.fault_class == "unknown_outcome" and self._step.reconcile is not None:
            self._reconcile(fault, key)
        else:
            self._failed(fault, called=True)

    # ------------------------------------------------------------------ was it done?

    def _reconcile(self, fault: Fault, key: str | None) -> None:
        """Asks what became of the call. This is part of it: it is awaited even where the run ends."""
        call = self._step.reconcile
        assert call is not None
        known = {self._step.plan.name: {"key": key or self._key}}
        try:
            arguments = self._built(call, self._block.scope.inner(known))
        except RunFault as found:
            self._unclear(fault, found.fault, None)
            return
        self._reconciling = True
        order = self._order("reconcile", call, arguments)
        found_it, unclear = partial(self._reconciled, fault), partial(self._unclear, fault)
        self._call = OneCall(self._block.frame, order, found_it, unclear)
        self._call.start()

    def _reconciled(self, fault: Fault, value: Any, _: bool) -> None:
        self._reconciling = False
        self._call = None
        if value is not None:
            if self._key is not None and self._step.call.tool is not None:
                self._machine.emit(Happened(self._key, value))
            self._happened(value, False)
            return
        cause = fault.details.get("cause", "unavailable")
        message = f"It did not happen: {fault.details.get('because', fault.message)}"
        self._failed(replace(fault, fault_class=cause, message=message, sent=False), called=True)

    def _unclear(self, fault: Fault, problem: Fault, _: str | None) -> None:
        self._reconciling = False
        self._call = None
        self._failed(replace(fault, details={**fault.details, "reconcile": problem.message}), called=True)

    def _happened(self, value: Any, replayed: bool) -> None:
        self._call = None
        self._done = True
        plan = self._step.plan
        if replayed:
            self._machine.replayed.append(self._path)
        elif self._is_write:
            self._machine.record_done(self._path)
        own = self._block.scope.inner({plan.name: value, "result": value})
        self._push(own, "It was done by an earlier call of the same request." if replayed else None)
        if self._step.receipt is not None:
            try:
                self._receipt = self._machine.evaluate(self._step.receipt, own, self._path, plan.origin)
            except RunFault as found:
                self._failed(found.fault)
                return
        if self._step.verify is not None and not self._aborted:
            self._verify(own, value)
        else:
            self._succeeded(value, None)

    def _verify(self, own: Scope, value: Any) -> None:
        verify = self._step.verify
        assert verify is not None
        try:
            arguments = self._built(verify.call, own)
        except RunFault as found:
            self._doubtful(found.fault, None)
            return
        checked = partial(self._checked, own, value)
        self._call = OneCall(self._block.frame, self._order("verify", verify.call, arguments), checked, self._doubtful)
        self._call.start()

    def _checked(self, own: Scope, value: Any, answer: Any, _: bool) -> None:
        verify, origin = self._step.verify, self._step.plan.origin
        self._call = None
        assert verify is not None
        try:
            holds = self._machine.evaluate(verify.condition, own.inner({"result": answer}), self._path, origin)
        except RunFault as found:
            self._doubtful(found.fault, None)
            return
        if holds is True:
            self._succeeded(value, True)
            return
        self._complete_receipt(False)
        self._failed(Fault("not_verified", f"It was called, but `{verify.text}` does not hold.", self._path, origin))

    def _doubtful(self, problem: Fault, _: str | None) -> None:
        self._call = None
        self._complete_receipt(False)
        message = f"It was called, but whether it is done could not be verified: {problem.message}"
        details = {"cause": problem.fault_class}
        self._failed(Fault("not_verified", message, self._path, self._step.plan.origin, details=details))

    # ------------------------------------------------------------------ ends

    @property
    def _is_write(self) -> bool:
        """Whether it does something itself: what a called chain does, the steps of that chain tell."""
        return self._step.call.tool is not None and not self._step.plan.read_only and not self._block.frame.free

    def _push(self, scope: Scope, reason: str | None) -> None:
        if self._step.undo is not None and not self._block.frame.free:
            frame = self._block.frame
            self._machine.push(Completed(self._path, self._step, scope, frame, self._keys, self._key, reason))

    def _complete_receipt(self, verified: bool | None) -> None:
        if self._receipt is not None or verified is not None:
            self._machine.emit(CompleteReceipt(f"{self._path}#{self._attempt}", self._receipt, verified))

    def _succeeded(self, value: Any, verified: bool | None) -> None:
        self._complete_receipt(verified)
        if self._aborted:
            self._block.step_gone(self._place)
        else:
            self._block.step_settled(self._place, value, "succeeded")

    def _failed(self, fault: Fault, *, called: bool = False) -> None:
        """`called`: the fault is that of an attempt, so the call may have happened."""
        if called and self._is_write and fault.fault_class in _UNKNOWN and fault.sent:
            self._doubted = True
        wait = self._wait_before_retry(fault)
        if wait is not None:
            self._machine.unwind(self._path, partial(self._wait, wait))
            return
        if called and self._is_write and fault.fault_class in _ANSWERED:
            self._machine.record_done(self._path)
            self._push(self._block.scope, "It has happened, but its answer cannot be used.")
        else:
            self._push_doubt()
        if not self._aborted:
            self._block.step_failed(self._place, fault, self._step.on_error)
            return
        if called and self._step.call.tool is not None and fault.fault_class != "budget_exceeded":
            self._machine.record_also(fault)
        self._block.step_gone(self._place)

    def _push_doubt(self) -> None:
        """An attempt that was sent and not answered may have happened, whatever became of those after it."""
        if not self._doubted or self._done:
            return
        if self._step.undo is None:
            self._machine.record_in_doubt(self._path)
        self._push(self._block.scope, "It is unknown whether it has happened.")

    def _gone(self) -> None:
        """Given up while nothing that writes is under way."""
        self._push_doubt()
        self._block.step_gone(self._place)

    def _wait(self, ms: int) -> None:
        if self._aborted:
            self._gone()
            return
        self._waiting = True
        self._machine.set_timer(f"wait:{self._path}#{self._attempt}", ms, self._try, JITTER)

    def _wait_before_retry(self, fault: Fault) -> int | None:
        """Milliseconds until the next attempt: doubled each time, up to the cap. None: there is none."""
        retry = self._step.plan.policy.retry
        if retry is None or self._aborted or self._done:
            return None
        if not 0 < self._attempt <= retry.count or not fault.may_pass:
            return None
        if retry.on and fault.fault_class not in retry.on:
            return None
        return min(retry.wait_ms << min(self._attempt - 1, 30), retry.max_wait_ms)
