"""A chain being executed: its inputs, its block, what it may use."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from .arguments import bind_inputs, check_inner
from .block import Block
from .complete import completed
from .evaluate import Evaluate, Scope
from .fault import Fault, RunFault
from .held import Held
from .keys import KeyPath
from .loaded import REQUEST_KEY, LoadedChain

if TYPE_CHECKING:
    from .machine import Machine


class FrameOwner(Protocol):
    """Who called the chain: the machine, or a step of another chain."""

    def frame_done(self, value: Any, summary: str | None) -> None: ...

    def frame_failed(self, fault: Fault) -> None: ...


class Frame:
    """`path` is that of the calling step, empty for the chain that the client called. `keys`: the way here.

    `free`: it takes something back; that costs nothing of the budget and is not taken back itself. `_line`: this frame
    and those above it.
    """

    def __init__(
        self,
        machine: Machine,
        chain: LoadedChain,
        caller: Frame | None,
        path: str,
        keys: KeyPath,
        owner: FrameOwner,
        *,
        free: bool = False,
    ) -> None:
        self.machine = machine
        self.chain = chain
        self.caller = caller
        self.owner = owner
        self.path = path
        self.free: bool = free or (caller is not None and caller.free)
        self._keys = keys
        self._calls = 0
        self._bytes = 0
        self._cost = Decimal(0)
        self._busy = 0
        self._timer = f"timeout:{path}:{chain.plan.id}"
        self._block: Block | None = None
        self._line: tuple[Frame, ...] = (self,) if caller is None else (self, *caller._line)

    @property
    def is_root(self) -> bool:
        return self.caller is None

    def called(self, chain_id: str, path: str, keys: KeyPath, owner: FrameOwner, *, free: bool) -> Frame:
        """A frame for a chain that a step of this one calls."""
        return Frame(self.machine, self.machine.loaded.chains[chain_id], self, path, keys, owner, free=free)

    def start(self, given: Mapping[str, Any]) -> None:
        """Runs with arguments: accepted ones of a client, or those that another chain computed."""
        plan = self.chain.plan
        given, keys = self._own_keys(given)
        block = self._block = Block(self.machine, self.chain.block, None, {}, self, self.path, keys, self, plan.origin)
        try:
            if not self.is_root:
                check_inner(self.chain, given)
            bind_inputs(self.chain, given, block.values, block.scope, self._evaluate)
        except RunFault as found:
            self.stop(found.fault)
            return
        if plan.budget.time_ms is not None:
            self.machine.set_timer(self._timer, plan.budget.time_ms, self._too_late)
        block.start()

    def _own_keys(self, given: Mapping[str, Any]) -> tuple[Mapping[str, Any], KeyPath]:
        """A request key that the caller sends begins a way of its own."""
        if not self.chain.takes_request_key or REQUEST_KEY not in given:
            return given, self._keys
        rest = {name: value for name, value in given.items() if name != REQUEST_KEY}
        key = given[REQUEST_KEY]
        return rest, self._keys if key is None else KeyPath(str(key), (self.chain.plan.id,))

    def stop(self, fault: Fault) -> None:
        """Ends the run of the chain: reads are given up, writes awaited; then the owner hears of the fault."""
        if self._block is not None:
            self._block.stop(fault)

    # ------------------------------------------------------------------ budget

    def charge(self, cost: float, step: str) -> Fault | None:
        """Counts one call of a tool here and in every chain above. A fault: the budget of one of them is at its end,
        and that one is being stopped."""
        if self.free:
            return None
        price = Decimal(repr(cost))
        for frame in self._line:
            budget, name = frame.chain.plan.budget, frame.chain.plan.id
            if budget.calls is not None and frame._calls >= budget.calls:
                return frame._end(f"`{name}` may make {budget.calls} calls of tools and needs more.", step)
            if budget.cost is not None and frame._cost + price > Decimal(repr(budget.cost)):
                return frame._end(f"`{name}` may cost {budget.cost:g} and needs more.", step)
        for frame in self._line:
            frame._calls += 1
            frame._cost += price
        return None

    def charge_bytes(self, size: int, step: str) -> None:
        """Counts what a tool answered; where it is too much, the chain is being stopped."""
        for frame in () if self.free else self._line:
            frame._bytes += size
            most = frame.chain.plan.budget.bytes
            if most is not None and frame._bytes > most:
                message = f"`{frame.chain.plan.id}` may take in {most} bytes of results and got {frame._bytes}."
                frame._end(message, step)

    def _end(self, message: str, step: str) -> Fault:
        fault = Fault("budget_exceeded", message, step, self.chain.plan.origin)
        self.machine.post(partial(self.stop, fault))
        return fault

    def has_room(self) -> bool:
        """Whether one more call may run at once."""
        for frame in self._line:
            most = frame.chain.plan.budget.parallel
            if most is not None and frame._busy >= most:
                return False
        return True

    def enter(self) -> None:
        for frame in self._line:
            frame._busy += 1

    def leave(self) -> None:
        for frame in self._line:
            frame._busy -= 1

    # ------------------------------------------------------------------ the end

    def block_done(self, block: Block, value: Any) -> None:
        self.machine.clear_timer(self._timer)
        plan, summary = self.chain.plan, None
        try:
            mismatch = None if isinstance(value, Held) else self.chain.output.mismatch(value)
            if mismatch is not None:
                value = completed(value, self.chain.output.schema)
                mismatch = self.chain.output.mismatch(value)
            if mismatch is not None:
                message = f"The output of `{plan.id}` has another form: {mismatch.sentence('the whole of it')}"
                raise RunFault(Fault("shape_mismatch", message, None, plan.origin, details={"path": mismatch.path}))
            if self.chain.summary is not None and self.is_root:
                summary = str(self._evaluate(self.chain.summary, block.scope))
        except RunFault as found:
            self.owner.frame_failed(found.fault)
        else:
            self.owner.frame_done(value, summary)

    def block_failed(self, _: Block, fault: Fault) -> None:
        self.machine.clear_timer(self._timer)
        self.owner.frame_failed(fault)

    def _too_late(self) -> None:
        plan = self.chain.plan
        seconds = f"{(plan.budget.time_ms or 0) / 1000:g}"
        self.stop(Fault("timeout", f"`{plan.id}` did not finish within {seconds} s.", None, plan.origin))

    def _evaluate(self, expression: Evaluate, scope: Scope) -> Any:
        return self.machine.evaluate(expression, scope, self.path, self.chain.plan.origin)
