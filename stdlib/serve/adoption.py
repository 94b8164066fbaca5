"""Runs that were interrupted: the next server goes on with them."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from functools import partial

import anyio

from ..runtime.run import Result
from ..runtime.store.journal import Begun, Journal
from .plans import OlderPlans, Served
from .waiting import WaitingRun, WaitingRuns

log = logging.getLogger("chainc.serve")

GoOn = Callable[[Served, Begun, WaitingRun], Awaitable[Result]]


class Adoption:
    """Takes over, once, the runs of a store that nobody drives any more. `go_on`: drives one to its end."""

    def __init__(self, journal: Journal, plans: OlderPlans, runs: WaitingRuns, go_on: GoOn) -> None:
        self._journal = journal
        self._plans = plans
        self._runs = runs
        self._go_on = go_on
        self._done: anyio.Event | None = None

    async def run(self) -> None:
        """Each run under the plan that it was begun with; one that cannot go on here is left to others."""
        self._done = anyio.Event()
        try:
            await self._adopt()
        finally:
            self._done.set()

    async def waited(self) -> bool:
        """Waits until all that was interrupted goes on; false where nothing is, or was, adopted."""
        if self._done is None:
            return False
        await self._done.wait()
        return True

    def close(self) -> None:
        self._plans.close()

    async def _adopt(self) -> None:
        try:
            adopted = await self._journal.adopt()
        except Exception as error:
            log.error("interrupted runs cannot be looked up", exc_info=error)
            return
        for begun in adopted:
            try:
                served = await self._plans.pin(begun.plan)
                if begun.chain not in served.loaded.chains:
                    raise LookupError(begun.chain)
            except Exception as error:
                log.error("%s cannot go on: its plan cannot be loaded", begun.run, exc_info=error)
                self._plans.unpin(begun.plan)
                await self._give_back(begun)
                continue
            log.warning("going on with %s of `%s`, which was interrupted", begun.run, begun.chain)
            self._runs.begin(begun.run, begun.owner, begun.chain, partial(self._drive, served, begun))

    async def _drive(self, served: Served, begun: Begun, run: WaitingRun) -> Result:
        try:
            return await self._go_on(served, begun, run)
        finally:
            self._plans.unpin(begun.plan)

    async def _give_back(self, begun: Begun) -> None:
        """Another version of the server may be able to go on with it."""
        try:
            await self._journal.give_back(begun.run)
        except Exception as error:
            log.error("%s cannot be left to others", begun.run, exc_info=error)
