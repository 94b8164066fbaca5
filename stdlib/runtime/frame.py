"""A chain being executed: its inputs, its block, its limits of time and calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from .arguments import bind_inputs, check_inner
from .block import Block
from .evaluate import Evaluate, Scope
from .fault import Fault, RunFault
from .load import LoadedChain

if TYPE_CHECKING:
    from .machine import Machine


class FrameOwner(Protocol):
    """Who called the chain: the machine, or a step of another chain."""

    def frame_done(self, value: Any, summary: str | None) -> None: ...

    def frame_failed(self, fault: Fault) -> None: ...


class Frame:
    """`path` is that of the calling step, empty for the chain that the client called."""

    def __init__(self, machine: Machine, chain: LoadedChain, caller: Frame | None, path: str, owner: FrameOwner):
        self.machine = machine
        self.chain = chain
        self.caller = caller
        self.path = path
        self.owner = owner
        self.calls = 0
        self._timer = f"timeout:{path}:{chain.plan.id}"
        self._block = Block(machine, chain.block, None, {}, self, path, self, chain.plan.origin)

    @property
    def is_root(self) -> bool:
        return self.caller is None

    def called(self, chain_id: str, path: str, owner: FrameOwner) -> Frame:
        """A frame for a chain that a step of this one calls."""
        return Frame(self.machine, self.machine.loaded.chains[chain_id], self, path, owner)

    def start(self, given: Mapping[str, Any]) -> None:
        """Runs with arguments: accepted ones of a client, or those that another chain computed."""
        plan = self.chain.plan
        try:
            if not self.is_root:
                check_inner(self.chain, given)
            bind_inputs(self.chain, given, self._block.values, self._block.scope, self._evaluate)
        except RunFault as found:
            self.stop(found.fault)
            return
        if plan.budget.time_ms is not None:
            self.machine.set_timer(self._timer, plan.budget.time_ms, self._too_late)
        self._block.start()

    def stop(self, fault: Fault) -> None:
        """Ends the run of the chain: reads are given up, writes awaited; then the owner hears of the fault."""
        self._block.stop(fault)

    def charge(self) -> None:
        """Counts one call of a tool here and in every chain above. Raises the fault `budget_exceeded`."""
        frame: Frame | None = self
        while frame is not None:
            most = frame.chain.plan.budget.calls
            if most is not None and frame.calls >= most:
                message = f"`{frame.chain.plan.id}` may make {most} calls of tools and needs more."
                raise RunFault(Fault("budget_exceeded", message))
            frame = frame.caller
        frame = self
        while frame is not None:
            frame.calls += 1
            frame = frame.caller

    def block_done(self, _: Block, value: Any) -> None:
        self.machine.clear_timer(self._timer)
        plan, summary = self.chain.plan, None
        try:
            mismatch = self.chain.output.mismatch(value)
            if mismatch is not None:
                message = f"The output of `{plan.id}` has another form: {mismatch.sentence('the whole of it')}"
                raise RunFault(Fault("shape_mismatch", message, None, plan.origin, details={"path": mismatch.path}))
            if self.chain.summary is not None and self.is_root:
                summary = str(self._evaluate(self.chain.summary, self._block.scope))
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
