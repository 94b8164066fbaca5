"""A block of bindings being executed: the body of a chain, or the body of a loop for one item."""

from __future__ import annotations

import heapq
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Protocol

from ..plan.model import Origin
from ..plan.plan import Binding, Let, Require
from .call_step import CallActivity
from .evaluate import Scope
from .fault import Fault, RunFault, bounded
from .keys import KeyPath
from .loaded import LoadedBlock, LoadedCallStep, LoadedLet, LoadedMapStep, LoadedReaction, LoadedRequire, LoadedStep
from .map_step import MapActivity
from .reaction import reacted, reworded
from .wait_step import WaitActivity

if TYPE_CHECKING:
    from .frame import Frame
    from .machine import Machine


OutcomeName = Literal["succeeded", "skipped", "failed"]
"""How a step ended; `failed` where its reaction went on."""


class Activity(Protocol):
    """A step being executed."""

    def start(self) -> None: ...

    def abort(self) -> None: ...


class BlockOwner(Protocol):
    """The frame of a chain, or the step that loops."""

    def block_done(self, block: Block, value: Any) -> None: ...

    def block_failed(self, block: Block, fault: Fault) -> None: ...


class Block:
    """Starts a binding as soon as what it needs has settled; of several the one that is written first.

    The first fault that no reaction catches stops the block: nothing more is started, steps that run are told to stop,
    and when they have, the owner hears of it. `values`: the names to begin with (inputs, a loop variable). `flat`: the
    only binding has the path of the block itself.
    """

    def __init__(
        self,
        machine: Machine,
        loaded: LoadedBlock,
        outer: Scope | None,
        values: dict[str, Any],
        frame: Frame,
        path: str,
        keys: KeyPath,
        owner: BlockOwner,
        origin: Origin,
        *,
        flat: bool = False,
    ) -> None:
        self.machine = machine
        self.loaded = loaded
        self.values = values
        self.outcomes: dict[str, OutcomeName] = {}
        own = Scope(values, self.outcomes, machine.run) if outer is None else outer.inner(values, self.outcomes)
        self.scope = own
        self.frame = frame
        self.path = path
        self._keys = keys
        self._owner = owner
        self._origin = origin
        self._flat = flat
        self._waits_for = list(loaded.needs)
        self._ready = [place for place, count in enumerate(loaded.needs) if not count]
        self._unsettled = len(loaded.bindings)
        self._running: dict[int, Activity | None] = {}
        self._fault: Fault | None = None
        self._ended = False

    @property
    def is_root(self) -> bool:
        """Whether this is the body of the chain that the client called."""
        return self.frame.is_root and self._owner is self.frame

    def start(self) -> None:
        self.machine.post(self._advance)

    def stop(self, fault: Fault) -> None:
        """The first fault counts; after the end nothing happens."""
        if self._fault is None and not self._ended:
            self._fault = fault
            for place in sorted(self._running):
                activity = self._running.get(place)
                if activity is not None:
                    activity.abort()
            self._check_end()

    def path_of(self, name: str) -> str:
        if self._flat:
            return self.path
        return f"{self.path}.{name}" if self.path else name

    def _place_of(self, binding: Binding) -> str:
        """The path by which the author knows a binding: a `require` has no name, a guard is that of a section."""
        if isinstance(binding, Require):
            return self.path
        return self.path_of(binding.name.removesuffix(".when") if isinstance(binding, Let) else binding.name)

    def _keys_of(self, name: str) -> KeyPath:
        return self._keys if self._flat else self._keys.into(name)

    # ------------------------------------------------------------------ what activities tell

    def step_settled(self, place: int, value: Any, outcome: OutcomeName) -> None:
        self._running.pop(place, None)
        name = self.loaded.bindings[place].plan.name
        self.outcomes[name] = outcome
        self._settle(place, value)
        if self.is_root:
            self.report_progress(f"{name} {'skipped' if outcome == 'skipped' else 'done'}")
        self.machine.post(self._advance)

    def step_failed(self, place: int, fault: Fault, reaction: LoadedReaction) -> None:
        """Reacts as the step says. What it had done before it failed is taken back before the run goes on."""
        step = self.loaded.bindings[place].plan
        path = self.path_of(step.name)
        if reaction.kind != "fail":
            self._running[place] = None
            self.machine.unwind(path, partial(self._recovered, place, reaction))
            return
        try:
            fault = reworded(self.machine, fault.at(path, step.origin), reaction, self.scope, path, step.origin)
        except RunFault as found:
            fault = found.fault
        self._running.pop(place, None)
        self.stop(fault)
        self._check_end()

    def _recovered(self, place: int, reaction: LoadedReaction) -> None:
        step = self.loaded.bindings[place].plan
        if self._fault is not None:
            self.step_gone(place)
            return
        try:
            value = reacted(self.machine, reaction, self.scope, self.path_of(step.name), step.origin)
        except RunFault as found:
            self._running.pop(place, None)
            self.stop(found.fault)
            self._check_end()
        else:
            self.step_settled(place, value, "failed")

    def step_gone(self, place: int) -> None:
        """A step that was told to stop has stopped."""
        self._running.pop(place, None)
        self._check_end()

    def report_progress(self, message: str, part: float = 0.0) -> None:
        """In steps of the chain that the client called; `part`: of the step that is under way."""
        self.machine.report_progress(message, len(self.outcomes) + part, self.loaded.steps)

    # ------------------------------------------------------------------ going on

    def _advance(self) -> None:
        while self._ready and self._fault is None:
            place = heapq.heappop(self._ready)
            try:
                self._begin(place)
            except RunFault as found:
                binding = self.loaded.bindings[place].plan
                self.stop(found.fault.at(self._place_of(binding), binding.origin))
        self._check_end()

    def _begin(self, place: int) -> None:
        binding = self.loaded.bindings[place]
        path, origin = self._place_of(binding.plan), binding.plan.origin
        evaluate = partial(self.machine.evaluate, step=path, origin=origin)
        match binding:
            case LoadedLet():
                self._settle(place, evaluate(binding.value, self.scope))
            case LoadedRequire():
                if evaluate(binding.condition, self.scope) is not True:
                    message = bounded(str(evaluate(binding.message, self.scope)))
                    raise RunFault(Fault("precondition", message, path or None, origin))
                self._settle(place, None)
            case _:
                if binding.when is not None and evaluate(binding.when, self.scope) is not True:
                    self.step_settled(place, None, "skipped")
                else:
                    activity = self._activity(place, binding, path)
                    self._running[place] = activity
                    activity.start()

    def _activity(self, place: int, step: LoadedStep, path: str) -> Activity:
        if isinstance(step, LoadedCallStep):
            return CallActivity(self, place, step, path, self._keys_of(step.plan.name))
        if isinstance(step, LoadedMapStep):
            return MapActivity(self, place, step, path, self._keys_of(step.plan.name))
        return WaitActivity(self, place, step, path)

    def _settle(self, place: int, value: Any) -> None:
        self.values[self.loaded.bindings[place].plan.name] = value
        self._unsettled -= 1
        for dependent in self.loaded.dependents[place]:
            self._waits_for[dependent] -= 1
            if not self._waits_for[dependent]:
                heapq.heappush(self._ready, dependent)

    def _check_end(self) -> None:
        if self._ended or self._running:
            return
        if self._fault is None and not self._unsettled:
            try:
                value = self.machine.evaluate(self.loaded.result, self.scope, self.path, self._origin)
            except RunFault as found:
                self._fault = found.fault
            else:
                self._ended = True
                self.machine.post(partial(self._owner.block_done, self, value))
        if self._fault is not None:
            self._ended = True
            self.machine.post(partial(self._owner.block_failed, self, self._fault))
