"""One call of a tool or a chain, once: its place among the others, its budget, its answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from .events import CancelCall, Purpose, StartCall
from .fault import Fault
from .keys import KeyPath
from .loaded import LoadedCall, LoadedTool

if TYPE_CHECKING:
    from .frame import Frame


@dataclass(frozen=True, slots=True)
class Order:
    """What to call and how. `id`: unique in the run. `step`: the path of the step that it is for; `path`: that of a
    called chain's own steps, and `keys` the way there. `read_only`: it may be given up at any time."""

    target: LoadedCall
    id: str
    step: str
    path: str
    arguments: dict[str, Any]
    keys: KeyPath
    timeout_ms: int | None
    read_only: bool
    repeatable: bool
    purpose: Purpose = "step"
    attempt: int = 1
    key: str | None = None
    parameter: str | None = None
    held: bool = False


class OneCall:
    """`succeeded` gets the value and whether it was replayed; `failed` the fault and the key that was sent."""

    def __init__(
        self,
        frame: Frame,
        order: Order,
        succeeded: Callable[[Any, bool], None],
        failed: Callable[[Fault, str | None], None],
        *,
        free: bool = False,
    ) -> None:
        self.frame = frame
        self._machine = frame.machine
        self._order = order
        self._succeeded = succeeded
        self._failed = failed
        self._free = free
        self._under_way = False
        self._refused = False
        self._called: Frame | None = None

    def start(self) -> None:
        if self._tool is not None:
            self._machine.slots.admit(self)
            return
        order, chain = self._order, self._order.target.chain
        assert chain is not None
        self._called = self.frame.called(chain, order.path, order.keys, self, free=self._free)
        if order.timeout_ms is not None:
            self._machine.set_timer(f"timeout:{order.id}", order.timeout_ms, self._too_late)
        self._called.start(order.arguments)

    def go(self) -> None:
        """Calls the tool. Where the budget is at its end, nothing is called: the chain is stopped, then this fails."""
        order, tool = self._order, self._tool
        assert tool is not None
        over = None if self._free else self.frame.charge(tool.plan.cost, order.step)
        if over is not None:
            self._refused = True
            self._machine.post(partial(self._failed, over, None))
            return
        self.frame.enter()
        self._under_way = True
        self._machine.calls[order.id] = self
        command = StartCall(
            call=order.id,
            step=order.step,
            tool=tool,
            arguments=order.arguments,
            timeout_ms=order.timeout_ms or self._machine.loaded.plan.limits.call_ms,
            attempt=order.attempt,
            repeatable=order.repeatable,
            purpose=order.purpose,
            key=order.key,
            parameter=order.parameter,
            held=order.held,
        )
        self._machine.emit(command)

    def abort(self) -> bool:
        """Gives up at once what has not begun or only reads (True); a write is awaited, a called chain told to stop."""
        if self._called is not None:
            self._called.stop(Fault("cancelled", "The step was given up because another one failed."))
            return False
        if self._refused or (self._under_way and not self._order.read_only):
            return False
        return self.give_up()

    def give_up(self) -> bool:
        """Waits no longer, whatever it does (True); a called chain is told to stop and awaited."""
        if self._called is not None:
            self._called.stop(Fault("timeout", "There was no time left."))
            return False
        if self._under_way:
            self._machine.calls.pop(self._order.id, None)
            self._machine.emit(CancelCall(self._order.id))
            self._leave()
        else:
            self._machine.slots.drop(self)
        return True

    @property
    def _tool(self) -> LoadedTool | None:
        target = self._order.target
        if target.chain is not None:
            return self._machine.loaded.stand_ins.get(target.chain)
        return target.tool

    def _leave(self) -> None:
        self._under_way = False
        self._machine.slots.left(self.frame)

    def _too_late(self) -> None:
        assert self._called is not None
        seconds = f"{(self._order.timeout_ms or 0) / 1000:g}"
        message = f"`{self._order.target.chain}` did not finish within {seconds} s."
        self._called.stop(Fault("timeout", message, self._order.step))

    # ------------------------------------------------------------------ answers

    def call_succeeded(self, value: Any, size: int, replayed: bool) -> None:
        if not self._free:
            self.frame.charge_bytes(size, self._order.step)
        self._leave()
        self._succeeded(value, replayed)

    @property
    def writes(self) -> str | None:
        return None if self._order.read_only else self._order.step

    def call_failed(self, fault: Fault, key: str | None) -> None:
        self._leave()
        self._failed(fault, key)

    def frame_done(self, value: Any, summary: str | None) -> None:
        self._ended()
        self._succeeded(value, False)

    def frame_failed(self, fault: Fault) -> None:
        self._ended()
        self._failed(fault, self._order.key)

    def _ended(self) -> None:
        self._called = None
        self._machine.clear_timer(f"timeout:{self._order.id}")
