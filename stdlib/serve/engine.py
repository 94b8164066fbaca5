"""Does the calls of clients: chains, primitives, handles. The plan is loaded by the first call that needs it."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
from anyio.abc import TaskGroup

from ..connect.router import Router
from ..plan.plan import Plan
from ..plan.reach import chains_with, is_wait
from ..runtime.client_call import refused
from ..runtime.decode import Undecodable, decode, fits
from ..runtime.fault import Fault, RunFault
from ..runtime.gates.breaker import Breaker
from ..runtime.gates.budget import Usage
from ..runtime.gates.consent import Consents
from ..runtime.gates.gates import Gates
from ..runtime.gates.mask import Mask
from ..runtime.gates.principal import Principals
from ..runtime.handle_page import HandlePages
from ..runtime.leash import Detached, Leash
from ..runtime.loaded import LoadedPlan
from ..runtime.principal import Owner
from ..runtime.run import Caller, Result, resume_run, run_chain
from ..runtime.run_tool import run_tool
from ..runtime.store import Store
from ..runtime.store.journal import Begun
from ..runtime.world import Ambient, World
from .adoption import Adoption
from .answers import answer, ended_answer, fault_answer
from .asking import Asker, take_answers
from .attend import attend, take_told_answers
from .elsewhere import elsewhere, interrupted, no_run
from .handle_calls import HandleCalls
from .inputs import known_inputs, read_text
from .offer import Primitive, primitives
from .options import Options
from .plans import OlderPlans, Served
from .waiting import WaitingRun, WaitingRuns, Work

if TYPE_CHECKING:
    import mcp_types as t

_NAME_MOST = 200

log = logging.getLogger("chainc.serve")


class Engine:
    """`folder` has `plan.json` and, for strict clients, `openai.decoders.json`. `group` outlives every call.
    `principals`: everybody who may call, None: whoever does."""

    def __init__(
        self,
        folder: Path,
        options: Options,
        group: TaskGroup,
        store: Store,
        principals: Principals | None = None,
        ambient: Ambient | None = None,
    ) -> None:
        self._folder = folder
        self._principals = principals
        self._usage, self._breaker = Usage(), Breaker()
        self._options = options
        self._ambient = ambient or Ambient()
        self._group = group
        self._leashes: list[Leash] = []
        self._quiet: anyio.Event | None = None
        self.store = store
        self.runs = WaitingRuns(group, store.decisions, self._ambient.clock)
        older = OlderPlans(lambda: self._served, lambda text: self._serving(text), store.journal)
        self._adoption = Adoption(store.journal, older, self.runs, self._resumed)

    @cached_property
    def _served(self) -> Served:
        return self._serving((self._folder / "plan.json").read_text("utf-8"))

    def _serving(self, text: str) -> Served:
        return Served(text, self._options.sources, self._folder / "sources", self._group)

    @property
    def plan(self) -> Plan:
        return self._served.plan

    @property
    def loaded(self) -> LoadedPlan:
        return self._served.loaded

    @property
    def tools(self) -> Router:
        return self._served.tools

    @property
    def mask(self) -> Mask:
        return self._gates.mask

    @cached_property
    def handles(self) -> HandleCalls:
        limits = self.plan.limits
        pages = HandlePages(self.store.handles, limits.inline_bytes, limits.result_bytes, self.mask)
        return HandleCalls(pages, self.mask)

    @cached_property
    def _gates(self) -> Gates:
        known = self.plan.chains.keys() | {each.name for each in primitives(self.plan)}
        for name in self._options.ask_first:
            if name not in known:
                log.warning("`%s`, which the user is to be asked about first, is neither a chain nor a tool here", name)
        return self._gates_of(self.loaded)

    def _gates_of(self, loaded: LoadedPlan) -> Gates:
        consents = Consents(self._options.consent, self._options.ask_first)
        return Gates(loaded, self._principals, consents, self._usage, self._breaker)

    @cached_property
    def decoders(self) -> Mapping[str, Any]:
        """How the strict form of a chain's arguments is read, by chain; none where the bundle has none."""
        file = self._folder / "openai.decoders.json"
        programs: Mapping[str, Any] = json.loads(file.read_bytes())["tools"] if file.is_file() else {}
        return programs

    def waits(self, chains: Iterable[str]) -> bool:
        """Whether one of these chains may wait for a person."""
        return not chains_with(self.plan.chains, is_wait).isdisjoint(chains)

    async def close(self) -> None:
        """Lets go of the runs that wait, then ends the connections to sources."""
        await self._adoption.waited()  # else runs would begin that nobody lets go
        try:
            await self.runs.close(lets_go=self.store.is_lasting)
            if self._leashes:
                self._quiet = anyio.Event()
                await self._quiet.wait()
        finally:
            self._adoption.close()
            if "_served" in self.__dict__:
                self._served.close()

    def let_go(self) -> None:
        """The server is about to end: runs that last begin nothing new, where their store keeps them."""
        if self.store.is_lasting:
            self.runs.let_go()
            for leash in self._leashes:
                leash.detach()

    @contextmanager
    def _counted(self) -> Iterator[Leash]:
        """A call that its request does itself: one that is given up may still take back what it had done."""
        leash = Leash()
        self._leashes.append(leash)
        try:
            yield leash
        finally:
            self._leashes.remove(leash)
            if self._quiet is not None and not self._leashes:
                self._quiet.set()

    async def adopt(self) -> None:
        """Goes on with the runs that nobody drives any more, each under the plan that it was begun with."""
        await self._adoption.run()

    async def _find(self, run_id: str, owner: Owner) -> WaitingRun | None:
        """A run that goes on here; one that was interrupted is there when all of them are."""
        run = self.runs.find(run_id, owner)
        if run is None and await self._adoption.waited():
            run = self.runs.find(run_id, owner)
        return run

    async def _resumed(self, served: Served, begun: Begun, run: WaitingRun) -> Result:
        return await resume_run(
            served.loaded,
            begun,
            tools=served.tools,
            store=self.store,
            people=run,
            caller=Caller(on_progress=run.report),
            ambient=self._ambient,
            leash=run.leash,
            gates=self._gates_of(served.loaded),
        )

    # ------------------------------------------------------------------ calls

    async def call_chain(
        self, chain_id: str, arguments: dict[str, Any], caller: Caller, asker: Asker
    ) -> t.CallToolResult | t.InputRequiredResult:
        """With `caller.strict_nulls` the arguments have the form of the strict schema, or null for what is left out."""
        program = self.decoders.get(chain_id) if caller.strict_nulls else None
        if program is not None and fits(program, arguments):
            try:
                arguments = decode(program, arguments)
            except Undecodable as found:
                return fault_answer(Fault("invalid_input", f"The arguments cannot be read: {found}."))
        call = partial(
            run_chain,
            self.loaded,
            chain_id,
            arguments,
            tools=self.tools,
            store=self.store,
            ambient=self._ambient,
            gates=self._gates,
        )
        asks = caller.can_be_asked and self._gates.consents.wanted(chain_id, None)
        if not asks and not self.loaded.chains[chain_id].waits:
            return await self._call_directly(chain_id, call, caller)

        async def work(run: WaitingRun) -> Result:
            return await call(
                caller=replace(caller, on_progress=run.report), people=run, run_id=run.id, leash=run.leash
            )

        return await self._begin(chain_id, caller, asker, work)

    async def _call_directly(
        self, chain_id: str, call: Callable[..., Awaitable[Result]], caller: Caller
    ) -> t.CallToolResult:
        """While its request waits. Where the server ends meanwhile, a run that lasts is let go."""
        run = self._ambient.new_id()
        with self._counted() as leash:
            held = leash if self.loaded.chains[chain_id].lasts else None
            try:
                return answer(await call(caller=caller, run_id=run, leash=held), self.mask)
            except Detached:
                return fault_answer(interrupted(chain_id, run), mask=self.mask)

    async def _begin(
        self, name: str, caller: Caller, asker: Asker, work: Work
    ) -> t.CallToolResult | t.InputRequiredResult:
        run = self.runs.begin(self._ambient.new_id(), caller.principal.owner, name, work)
        return await self._attend(run, caller, asker)

    async def continue_chain(
        self, run_id: str, seen: Mapping[str, str], responses: Mapping[str, Any] | None, caller: Caller, asker: Asker
    ) -> t.CallToolResult | t.InputRequiredResult:
        """A request that is repeated with the answers of the client's user."""
        run = await self._find(run_id, caller.principal.owner)
        if run is None:
            return await self._ended(run_id, caller)
        take_answers(run, seen, responses)
        return await self._attend(run, caller, asker)

    async def _attend(
        self, run: WaitingRun, caller: Caller, asker: Asker, *, owns: bool = True
    ) -> t.CallToolResult | t.InputRequiredResult:
        run.on_progress = caller.on_progress
        try:
            return await attend(self.runs, run, asker, owns=owns, mask=self.mask)
        finally:
            if run.on_progress is caller.on_progress:  # a request that was answered hears no more of it
                run.on_progress = None

    async def resume_run(
        self, arguments: dict[str, Any], caller: Caller, asker: Asker, chains: Container[str] | None = None
    ) -> t.CallToolResult | t.InputRequiredResult:
        """Collects what became of a run that waits; answers to its questions may come with it. `chains`: those whose
        runs the caller may still see, None: all of them."""
        try:
            given = known_inputs(arguments, "run", "answers")
            run_id = read_text(given.get("run"), "run")
        except RunFault as problem:
            return fault_answer(problem.fault, mask=self.mask)
        run = await self._find(run_id, caller.principal.owner)
        if run is None:
            return await self._ended(run_id, caller, chains)
        if chains is not None and run.chain not in chains:
            return fault_answer(no_run(run_id))
        wrong = None if given.get("answers") is None else take_told_answers(run, given["answers"])
        if wrong is not None:
            return fault_answer(wrong)
        return await self._attend(run, caller, asker, owns=False)

    async def _ended(self, run_id: str, caller: Caller, chains: Container[str] | None = None) -> t.CallToolResult:
        """What the store knows of a run that does not go on here."""
        row = await self.store.journal.run(run_id)
        if row is None or row.begun.owner != caller.principal.owner:
            return fault_answer(no_run(run_id))
        if chains is not None and row.begun.chain not in chains:
            return fault_answer(no_run(run_id))
        if row.ended is None:
            return fault_answer(await elsewhere(row, self.store.decisions), mask=self.mask)
        if row.ended.wire == {} and row.begun.chain not in self.loaded.chains:
            return fault_answer(
                Fault("invalid_input", "This call was answered; what a tool itself answers is not kept.")
            )
        return ended_answer(row.ended, self.mask)

    async def call_primitive(
        self, name: str, tool: Primitive, scopes: frozenset[str], arguments: Any, caller: Caller, asker: Asker
    ) -> t.CallToolResult | t.InputRequiredResult:
        """A tool of a source, as clients see it by this name."""
        loaded = self.loaded.tools[tool.source, tool.key]
        call = partial(
            run_tool,
            self.loaded,
            name,
            loaded,
            arguments,
            tools=self.tools,
            store=self.store,
            gates=self._gates,
            caller=caller,
            ambient=self._ambient,
            scopes=scopes,
        )
        if not caller.can_be_asked or not self._gates.consents.wanted(name, loaded):
            with self._counted():
                return answer(await call(), self.mask)

        async def work(run: WaitingRun) -> Result:
            return await call(people=run, run_id=run.id)

        return await self._begin(name, caller, asker, work)

    async def refused(self, name: str, arguments: Any, caller: Caller, fault: Fault) -> None:
        """Writes down that a call was refused because the caller does not see such a tool."""
        world = World(self.tools, self.store, self._gates, caller.who())
        await refused(world, name[:_NAME_MOST], arguments, world.ambient.new_id(), fault)
