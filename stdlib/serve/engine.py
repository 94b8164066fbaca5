"""Does the calls of clients: chains, primitives, handles. The plan is loaded by the first call that needs it."""

from __future__ import annotations

import json
import logging
from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyio.abc import TaskGroup

from ..connect.router import Router
from ..plan.plan import Plan
from ..plan.reach import chains_with, is_wait
from ..runtime.arguments import record_of
from ..runtime.clean import clean, compact
from ..runtime.decode import Undecodable, decode, fits
from ..runtime.fault import Fault, RunFault, fault
from ..runtime.loaded import LoadedPlan
from ..runtime.page import outline, page
from ..runtime.principal import Owner
from ..runtime.result import NOTHING, ToolAnswer
from ..runtime.run import Caller, Result, resume_run, run_chain
from ..runtime.store import Store
from ..runtime.store.handles import LARGE_RESULT, Label
from ..runtime.store.journal import Begun
from ..runtime.world import Ambient
from .answers import answer, ended_answer, fault_answer, value_answer
from .asking import Asker, take_answers
from .attend import attend, take_told_answers
from .offer import Primitive
from .options import Options
from .plans import Served
from .waiting import WaitingRun, WaitingRuns

if TYPE_CHECKING:
    import mcp_types as t

log = logging.getLogger("chainc.serve")


class Engine:
    """`folder` has `plan.json` and, for strict clients, `openai.decoders.json`. `group` outlives every call."""

    def __init__(self, folder: Path, options: Options, group: TaskGroup, store: Store) -> None:
        self._folder = folder
        self._options = options
        self._group = group
        self._older: dict[str, Served] = {}
        self.store = store
        self.runs = WaitingRuns(group, store.decisions)

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
        await self.runs.close(lets_go=self.store.is_lasting)
        for served in [*self._older.values(), *([self._served] if "_served" in self.__dict__ else [])]:
            served.close()

    # ------------------------------------------------------------------ runs that were interrupted

    async def adopt(self) -> None:
        """Goes on with the runs that nobody drives any more, each under the plan that it was begun with."""
        try:
            adopted = await self.store.journal.adopt()
        except Exception as error:
            log.error("interrupted runs cannot be looked up", exc_info=error)
            return
        for begun in adopted:
            try:
                served = await self._pinned(begun.plan)
                if begun.chain not in served.loaded.chains:
                    raise LookupError(begun.chain)
            except Exception as error:
                log.error("%s cannot go on: its plan cannot be loaded", begun.run, exc_info=error)
                continue
            log.warning("going on with %s of `%s`, which was interrupted", begun.run, begun.chain)
            self.runs.begin(begun.run, begun.owner, begun.chain, partial(self._resumed, served, begun))

    async def _resumed(self, served: Served, begun: Begun, run: WaitingRun) -> Result:
        return await resume_run(
            served.loaded,
            begun,
            tools=served.tools,
            store=self.store,
            people=run,
            caller=Caller(on_progress=run.report),
            leash=run.leash,
        )

    async def _pinned(self, digest: str) -> Served:
        if self.loaded.digest == digest:
            return self._served
        if digest not in self._older:
            text = await self.store.journal.plan(digest)
            if text is None:
                raise LookupError(digest)
            self._older[digest] = self._serving(text)
        return self._older[digest]

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
        )
        if not self.loaded.chains[chain_id].waits:
            return answer(await call(caller=caller))

        async def work(run: WaitingRun) -> Result:
            return await call(
                caller=replace(caller, on_progress=run.report), people=run, run_id=run.id, leash=run.leash
            )

        run = self.runs.begin(Ambient().new_id(), caller.principal.owner, chain_id, work)
        return await self._attend(run, caller, asker)

    async def continue_chain(
        self, run_id: str, seen: Mapping[str, str], responses: Mapping[str, Any] | None, caller: Caller, asker: Asker
    ) -> t.CallToolResult | t.InputRequiredResult:
        """A request that is repeated with the answers of the client's user."""
        run = self.runs.find(run_id, caller.principal.owner)
        if run is None:
            return await self._ended(run_id, caller)
        take_answers(run, seen, responses)
        return await self._attend(run, caller, asker)

    async def _attend(
        self, run: WaitingRun, caller: Caller, asker: Asker, *, owns: bool = True
    ) -> t.CallToolResult | t.InputRequiredResult:
        run.on_progress = caller.on_progress
        return await attend(self.runs, run, asker, owns=owns)

    async def resume_run(
        self, arguments: dict[str, Any], caller: Caller, asker: Asker, chains: Container[str] | None = None
    ) -> t.CallToolResult | t.InputRequiredResult:
        """Collects what became of a run that waits; answers to its questions may come with it. `chains`: those whose
        runs the caller may still see, None: all of them."""
        try:
            given = _known(arguments, "run", "answers")
            run_id = _text(given.get("run"), "run")
        except RunFault as problem:
            return fault_answer(problem.fault)
        run = self.runs.find(run_id, caller.principal.owner)
        if run is None:
            return await self._ended(run_id, caller, chains)
        if chains is not None and run.chain not in chains:
            return fault_answer(_no_run(run_id))
        wrong = None if given.get("answers") is None else take_told_answers(run, given["answers"])
        if wrong is not None:
            return fault_answer(wrong)
        return await self._attend(run, caller, asker, owns=False)

    async def _ended(self, run_id: str, caller: Caller, chains: Container[str] | None = None) -> t.CallToolResult:
        """What the store knows of the end of a run."""
        row = await self.store.journal.run(run_id)
        if row is None or row.begun.owner != caller.principal.owner or row.ended is None:
            return fault_answer(_no_run(run_id))
        if chains is not None and row.begun.chain not in chains:
            return fault_answer(_no_run(run_id))
        return ended_answer(row.ended)

    async def call_primitive(self, tool: Primitive, arguments: dict[str, Any], caller: Caller) -> t.CallToolResult:
        """Hands a call through: the same arguments, the tool's own answer; too much of it goes under a handle."""
        loaded = self.loaded.tools[tool.source, tool.key]
        try:
            arguments = record_of(arguments)
            mismatch = loaded.input.mismatch(arguments)
            if mismatch is not None:
                raise fault("invalid_input", mismatch.sentence("The whole of the arguments"))
            timeout = self.plan.limits.call_ms / 1000
            found = await self.tools.call(tool.source, tool.key, arguments, timeout)
            return await self._handed_through(loaded.label, found, caller)
        except RunFault as problem:
            return fault_answer(problem.fault)

    async def _handed_through(self, label: str, found: ToolAnswer, caller: Caller) -> t.CallToolResult:
        import mcp_types as t

        content = [clean(block) for block in found.content]
        structured = None if found.structured is NOTHING else clean(found.structured)
        size = len(compact([content, structured]).encode())
        if size > self.plan.limits.inline_bytes:
            value = structured if structured is not None else content
            kept = Label(LARGE_RESULT, plan=self.loaded.digest)
            handle = await self.store.handles.put(caller.principal.owner, kept, value)
            message = f"{label} answered {size} bytes; at most {self.plan.limits.inline_bytes} go into an answer."
            advice = f'Read it in pages: handle_read with handle "{handle.id}" (and a path, offset or limit).'
            details = {"handle": handle.to_json()}
            return fault_answer(Fault("result_too_large", message, next=advice, details=details), handle)
        given = {"content": content, "isError": found.is_error}
        if isinstance(structured, dict) and not found.is_error:
            given["structuredContent"] = structured
        return t.CallToolResult.model_validate(given, by_name=False)

    # ------------------------------------------------------------------ handles

    async def read_handle(self, arguments: dict[str, Any], owner: Owner) -> t.CallToolResult:
        """`handle_read`; its arguments are checked here, so that a mistake is told in our words."""
        try:
            return value_answer(await self.handle_page(owner, **_known(arguments, "handle", "path", "offset", "limit")))
        except RunFault as problem:
            return fault_answer(problem.fault)

    async def describe_handle(self, arguments: dict[str, Any], owner: Owner) -> t.CallToolResult:
        try:
            handle_id = _text(_known(arguments, "handle").get("handle"), "handle")
            handle = await self.store.handles.describe(owner, handle_id)
            value = await self.store.handles.value(owner, handle_id)
            return value_answer({"handle": handle.to_json(), **outline(value)})
        except RunFault as problem:
            return fault_answer(problem.fault)

    async def handle_page(
        self, owner: Owner, handle: Any = None, path: Any = "", offset: Any = 0, limit: Any = None
    ) -> dict[str, Any]:
        """One page of a handle's value. Raises `RunFault`."""
        value = await self.store.handles.value(owner, _text(handle, "handle"))
        path = _text("" if path is None else path, "path")
        first = _count(0 if offset is None else offset, "offset")
        most = None if limit is None else _count(limit, "limit")
        return page(value, path, first, most, self.plan.limits.inline_bytes)


def _no_run(run_id: str) -> Fault:
    advice = "If its result is still wanted, call the tool again; what it had done stands in its own fault."
    return Fault("invalid_input", f"There is no run `{run_id[:80]}` here that could go on.", next=advice)


def _known(arguments: dict[str, Any], *names: str) -> dict[str, Any]:
    unknown = next((name for name in arguments if name not in names), None)
    if unknown is not None:
        raise fault("invalid_input", f"There is no input `{unknown}`; there are: {', '.join(names)}.")
    return arguments


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise fault("invalid_input", f"`{name}` must be a text.")
    return value


def _count(value: Any, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise fault("invalid_input", f"`{name}` must be a whole number.")
    return value
