"""A step that does its body for every item of a list: so many at once, results in the order of the items."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from .fault import Fault, RunFault
from .keys import KeyPath, item_keys
from .loaded import LoadedMapStep
from .reaction import reacted, reworded

if TYPE_CHECKING:
    from .block import Block

_DROPPED: Final = object()


class MapActivity:
    """One execution of a loop. Ends by telling the block: settled, failed or (after `abort`) gone."""

    def __init__(self, block: Block, place: int, step: LoadedMapStep, path: str, keys: KeyPath) -> None:
        self._block = block
        self._machine = block.machine
        self._place = place
        self._step = step
        self._path = path
        self._keys = keys
        self._items: list[Any] = []
        self._item_keys: list[str] | None = None
        self._results: list[Any] = []
        self._next = 0
        self._finished = 0
        self._running: dict[Block, int] = {}
        self._fault: Fault | None = None
        self._aborted = False
        self._told = False

    def start(self) -> None:
        plan = self._step.plan
        try:
            self._items = self._list()
        except RunFault as found:
            self._stop(found.fault)
            return
        self._results = [_DROPPED] * len(self._items)
        if self._step.keyed:
            self._item_keys = item_keys(self._items)
        if plan.policy.timeout_ms is not None:
            self._machine.set_timer(f"timeout:{self._path}", plan.policy.timeout_ms, self._too_late)
        self._machine.post(self._fill)

    def abort(self) -> None:
        """Tells every item that runs to stop; gone when they have."""
        self._aborted = True
        self._stop(Fault("cancelled", "The step was given up because another one failed."))

    # ------------------------------------------------------------------ what items tell

    def block_done(self, block: Block, value: Any) -> None:
        self._results[self._running.pop(block)] = value
        self._item_ended()

    def block_failed(self, block: Block, fault: Fault) -> None:
        place = self._running[block]
        reaction, path, origin = self._step.on_item_error, f"{self._path}[{place}]", self._step.plan.origin
        fault = fault.at(path, origin)
        if self._fault is None and reaction.kind != "fail":
            self._machine.unwind(path, partial(self._recovered, block, path))
            return
        del self._running[block]
        if self._fault is not None:
            self._check_end()
            return
        try:
            fault = reworded(self._machine, fault, reaction, block.scope, path, origin)
        except RunFault as found:
            fault = found.fault
        self._stop(fault)

    def _recovered(self, block: Block, path: str) -> None:
        """What an item had done before it failed was taken back."""
        place = self._running.pop(block)
        reaction, origin = self._step.on_item_error, self._step.plan.origin
        if self._fault is not None:
            self._check_end()
            return
        try:
            if reaction.kind == "use":
                self._results[place] = reacted(self._machine, reaction, block.scope, path, origin)
        except RunFault as found:
            self._stop(found.fault)
        else:
            self._item_ended()

    # ------------------------------------------------------------------ going on

    def _list(self) -> list[Any]:
        plan = self._step.plan
        items = self._machine.evaluate(self._step.items, self._block.scope, self._path, plan.origin)
        if not isinstance(items, list):
            raise RunFault(Fault("shape_mismatch", f"`{plan.name}` loops over something that is no list."))
        most = plan.policy.max_items
        if len(items) > most:
            raise RunFault(
                Fault("budget_exceeded", f"`{plan.name}` has {len(items)} items to do; at most {most} may be.")
            )
        return items

    def _fill(self) -> None:
        from .block import Block

        step = self._step
        while self._fault is None and self._next < len(self._items) and len(self._running) < step.plan.policy.parallel:
            place, self._next = self._next, self._next + 1
            values = {step.plan.variable: self._items[place]}
            block = Block(
                self._machine,
                step.block,
                self._block.scope,
                values,
                self._block.frame,
                f"{self._path}[{place}]",
                self._keys if self._item_keys is None else self._keys.into(self._item_keys[place]),
                self,
                step.plan.origin,
                flat=step.single,
            )
            self._running[block] = place
            block.start()
        self._check_end()

    def _item_ended(self) -> None:
        self._finished += 1
        total = len(self._items)
        if self._block.is_root and self._finished * 100 // total != (self._finished - 1) * 100 // total:
            self._block.report_progress(f"{self._step.plan.name}: {self._finished} of {total}", self._finished / total)
        self._fill()

    def _stop(self, fault: Fault) -> None:
        if self._fault is None and not self._told:
            self._fault = fault
            for block in list(self._running):
                block.stop(fault)
        self._check_end()

    def _too_late(self) -> None:
        seconds = f"{(self._step.plan.policy.timeout_ms or 0) / 1000:g}"
        self._stop(Fault("timeout", f"`{self._step.plan.name}` did not finish within {seconds} s.", self._path))

    def _check_end(self) -> None:
        if self._told or self._running or (self._fault is None and self._next < len(self._items)):
            return
        self._told = True
        self._machine.clear_timer(f"timeout:{self._path}")
        if self._aborted:
            self._block.step_gone(self._place)
        elif self._fault is not None:
            self._block.step_failed(self._place, self._fault, self._step.on_error)
        else:
            values = [value for value in self._results if value is not _DROPPED]
            self._block.step_settled(self._place, values, "succeeded")
