"""Does the calls of clients: chains, primitives, handles. The plan is loaded by the first call that needs it."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyio.abc import TaskGroup

from ..connect.router import Router
from ..plan.plan import Http, OpenApi, Plan, Source, Stdio
from ..runtime.clean import clean, compact
from ..runtime.decode import Undecodable, decode, fits
from ..runtime.events import Progress
from ..runtime.fault import Fault, RunFault, fault
from ..runtime.handles import LARGE_RESULT, MemoryHandles
from ..runtime.load import LoadedPlan, load_plan
from ..runtime.page import outline, page
from ..runtime.result import NOTHING, ToolAnswer
from ..runtime.run import Caller, run_chain
from .answers import answer, fault_answer, value_answer
from .offer import Primitive
from .options import Options

if TYPE_CHECKING:
    import mcp_types as t

OnProgress = Callable[[Progress], Awaitable[None]]

log = logging.getLogger("chainc.serve")


class Engine:
    """`folder` has `plan.json` and, for strict clients, `openai.decoders.json`. `group` outlives every call."""

    def __init__(self, folder: Path, options: Options, group: TaskGroup) -> None:
        self._folder = folder
        self._options = options
        self._group = group
        self.handles = MemoryHandles()

    @cached_property
    def plan(self) -> Plan:
        plan = Plan.model_validate_json((self._folder / "plan.json").read_bytes())
        sources = {name: _moved(source, self._options.sources.get(name)) for name, source in plan.sources.items()}
        return plan.model_copy(update={"sources": sources})

    @cached_property
    def loaded(self) -> LoadedPlan:
        return load_plan(self.plan)

    @cached_property
    def tools(self) -> Router:
        return Router(self.plan, self._folder / "sources", self._group)

    @cached_property
    def decoders(self) -> Mapping[str, Any]:
        """How the strict form of a chain's arguments is read, by chain; none where the bundle has none."""
        file = self._folder / "openai.decoders.json"
        programs: Mapping[str, Any] = json.loads(file.read_bytes())["tools"] if file.is_file() else {}
        return programs

    def close(self) -> None:
        """Ends the connections to sources, where there are any."""
        if "tools" in self.__dict__:
            self.tools.close()

    # ------------------------------------------------------------------ calls

    async def call_chain(
        self, chain_id: str, arguments: dict[str, Any], *, strict: bool, on_progress: OnProgress | None
    ) -> t.CallToolResult:
        """`strict`: the arguments have the form of the strict schema, or null for what is left out."""
        program = self.decoders.get(chain_id) if strict else None
        if program is not None and fits(program, arguments):
            try:
                arguments = decode(program, arguments)
            except Undecodable as found:
                return fault_answer(Fault("invalid_input", f"The arguments cannot be read: {found}."))
        result = await run_chain(
            self.loaded,
            chain_id,
            arguments,
            tools=self.tools,
            handles=self.handles,
            caller=Caller(strict_nulls=strict, on_progress=on_progress),
        )
        return answer(result)

    async def call_primitive(self, tool: Primitive, arguments: dict[str, Any]) -> t.CallToolResult:
        """Hands a call through: the same arguments, the tool's own answer; too much of it goes under a handle."""
        loaded = self.loaded.tools[tool.source, tool.key]
        try:
            mismatch = loaded.input.mismatch(arguments)
            if mismatch is not None:
                raise fault("invalid_input", mismatch.sentence("The whole of the arguments"))
            timeout = self.plan.limits.call_ms / 1000
            found = await self.tools.call(tool.source, tool.key, arguments, timeout)
            return self._handed_through(loaded.label, found)
        except RunFault as problem:
            return fault_answer(problem.fault)

    def _handed_through(self, label: str, found: ToolAnswer) -> t.CallToolResult:
        import mcp_types as t

        content = [clean(block) for block in found.content]
        structured = None if found.structured is NOTHING else clean(found.structured)
        size = len(compact([content, structured]).encode())
        if size > self.plan.limits.inline_bytes:
            value = structured if structured is not None else content
            handle = self.handles.put(LARGE_RESULT, value, None, None)
            message = f"{label} answered {size} bytes; at most {self.plan.limits.inline_bytes} go into an answer."
            return fault_answer(Fault("result_too_large", message, details={"handle": handle.to_json()}), handle)
        given = {"content": content, "isError": found.is_error}
        if isinstance(structured, dict) and not found.is_error:
            given["structuredContent"] = structured
        return t.CallToolResult.model_validate(given, by_name=False)

    # ------------------------------------------------------------------ handles

    def read_handle(self, arguments: dict[str, Any]) -> t.CallToolResult:
        """`handle_read`; its arguments are checked here, so that a mistake is told in our words."""
        try:
            return value_answer(self.handle_page(**_known(arguments, "handle", "path", "offset", "limit")))
        except RunFault as problem:
            return fault_answer(problem.fault)

    def describe_handle(self, arguments: dict[str, Any]) -> t.CallToolResult:
        try:
            handle_id = _text(_known(arguments, "handle").get("handle"), "handle")
            handle = self.handles.describe(handle_id)
            return value_answer({"handle": handle.to_json(), **outline(self.handles.get(handle_id))})
        except RunFault as problem:
            return fault_answer(problem.fault)

    def handle_page(self, handle: Any = None, path: Any = "", offset: Any = 0, limit: Any = None) -> dict[str, Any]:
        """One page of a handle's value. Raises `RunFault`."""
        value = self.handles.get(_text(handle, "handle"))
        path = _text("" if path is None else path, "path")
        first = _count(0 if offset is None else offset, "offset")
        most = None if limit is None else _count(limit, "limit")
        return page(value, path, first, most, self.plan.limits.inline_bytes)


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


def _moved(source: Source, where: str | tuple[str, ...] | None) -> Source:
    if where is None:
        return source
    if isinstance(where, str) and isinstance(source.transport, OpenApi):
        return source.model_copy(update={"transport": source.transport.model_copy(update={"base_url": where})})
    if isinstance(where, str):
        headers = source.transport.headers if isinstance(source.transport, Http) else {}
        return source.model_copy(update={"transport": Http(url=where, headers=headers)})
    env = source.transport.env if isinstance(source.transport, Stdio) else ()
    return source.model_copy(update={"transport": Stdio(command=where[0], args=where[1:], env=env)})
