"""The protocol's server over an engine: lists, calls, resources. Nothing that goes wrong here reaches a client as
an exception's text."""

from __future__ import annotations

import logging
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, urlsplit

from ..plan.catalogue import Catalogue
from ..runtime.clean import compact
from ..runtime.events import Progress
from ..runtime.fault import Fault, RunFault
from ..runtime.principal import Principal
from ..runtime.run import Caller
from ..runtime.world import OnProgress
from .answers import fault_answer
from .asking import Asker, read_state
from .engine import Engine
from .offer import Primitive, chain_tool, handle_tools, primitive_tool, primitives, resume_tool
from .options import Options
from .visible import visible

if TYPE_CHECKING:
    import mcp_types as t
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel.server import Server

STRICT: Final = "chainc/strict"
"""In the `_meta` of a call: true where the arguments have the form of a strict schema."""

REQUEST_KEY: Final = "chainc/request_key"
"""In the `_meta` of a call: calls with the same key are one request."""

RESUME: Final = "resume_run"
STATE_TTL_S: Final = 86_400.0
"""How long a client may take to repeat a request with its user's answers, in seconds."""

TEMPLATE: Final = "chainc://handle/{id}{?path,offset,limit}"
LIST_TTL_MS: Final = 300_000

log = logging.getLogger("chainc.serve")


class Handlers:
    """What the server answers. The list of tools is made once; a tool that is not in it cannot be called."""

    def __init__(self, catalogue: Catalogue, engine: Engine, options: Options) -> None:
        self._engine = engine
        self._options = options
        self._chains = {entry.id for entry in visible(catalogue, options)}
        self._primitives: dict[str, Primitive] = {}
        self._tools: list[t.Tool] = [chain_tool(entry) for entry in visible(catalogue, options)]
        if options.profile == "all":
            taken = {tool.name for tool in self._tools}
            self._primitives = {each.name: each for each in primitives(engine.plan) if each.name not in taken}
            self._tools += [primitive_tool(engine.plan, each) for each in self._primitives.values()]
        if options.handles:
            self._tools += handle_tools()

    async def list_tools(
        self, _: ServerRequestContext[Any], params: t.PaginatedRequestParams | None
    ) -> t.ListToolsResult:
        """All of them on one page: many clients never ask for a second one."""
        import mcp_types as t

        _no_cursor(params)
        return t.ListToolsResult(tools=[*self._tools, resume_tool()] if self._resumes else self._tools)

    @cached_property
    def _resumes(self) -> bool:
        """Whether there is something to resume: a chain that may wait for a person."""
        return RESUME not in self._chains and self._engine.waits(self._chains)

    async def call_tool(
        self, context: ServerRequestContext[Any], params: t.CallToolRequestParams
    ) -> t.CallToolResult | t.InputRequiredResult:
        import mcp_types as t
        from mcp import MCPError

        name, arguments, meta = params.name, params.arguments or {}, context.meta or {}
        strict = self._options.strict or meta.get(STRICT) is True
        key = meta.get(REQUEST_KEY)
        request_key = key if isinstance(key, str) and key else None
        caller = Caller(strict_nulls=strict, request_key=request_key, on_progress=_progress_to(context))
        try:
            if name in self._chains or (name == RESUME and self._resumes):
                asker, state = Asker(context), read_state(params.request_state)
                if state is not None:
                    return await self._engine.continue_chain(*state, params.input_responses, caller, asker)
                if name == RESUME and name not in self._chains:
                    return await self._engine.resume_run(arguments, caller, asker)
                return await self._engine.call_chain(name, arguments, caller, asker)
            if name in self._primitives:
                return await self._engine.call_primitive(self._primitives[name], arguments, caller)
            if self._options.handles and name == "handle_read":
                return await self._engine.read_handle(arguments, caller.principal.owner)
            if self._options.handles and name == "handle_describe":
                return await self._engine.describe_handle(arguments, caller.principal.owner)
        except Exception as error:
            log.error("a mistake of ours in a call of `%s`", name, exc_info=error)
            return fault_answer(Fault("internal", f"`{name}` could not be called; this is a mistake in the server."))
        unknown = Fault("unknown_tool", f"There is no tool `{name[:80]}` here.")
        raise MCPError(code=t.INVALID_PARAMS, message=unknown.message, data={"fault": unknown.to_json()})

    async def list_resources(
        self, _: ServerRequestContext[Any], params: t.PaginatedRequestParams | None
    ) -> t.ListResourcesResult:
        """None: ids of handles are secrets of those who have them."""
        import mcp_types as t

        _no_cursor(params)
        return t.ListResourcesResult(resources=[])

    async def list_templates(
        self, _: ServerRequestContext[Any], params: t.PaginatedRequestParams | None
    ) -> t.ListResourceTemplatesResult:
        import mcp_types as t

        _no_cursor(params)
        template = t.ResourceTemplate(
            uri_template=TEMPLATE,
            name="handle",
            title="A page of a handle",
            description="The value behind a handle, like `handle_read` gives it.",
            mime_type="application/json",
        )
        return t.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(
        self, _: ServerRequestContext[Any], params: t.ReadResourceRequestParams
    ) -> t.ReadResourceResult:
        import mcp_types as t
        from mcp import MCPError

        uri = str(params.uri)
        try:
            found = await self._engine.handle_page(Principal().owner, **_handle_query(uri))
        except RunFault as problem:
            data = {"uri": uri, "fault": problem.fault.to_json()}
            raise MCPError(code=t.INVALID_PARAMS, message=problem.fault.message, data=data) from None
        text = compact(found)
        content = t.TextResourceContents(uri=uri, mime_type="application/json", text=text)
        return t.ReadResourceResult(contents=[content])


def build_server(catalogue: Catalogue, engine: Engine, options: Options) -> Server[Any]:
    """The protocol's server, for any transport."""
    from mcp.server.caching import CacheHint
    from mcp.server.lowlevel.server import Server
    from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity

    handlers = Handlers(catalogue, engine, options)
    hint = CacheHint(ttl_ms=LIST_TTL_MS, scope="public")
    server: Server[Any] = Server(
        catalogue.name,
        version=catalogue.version,
        instructions=_INSTRUCTIONS if options.handles else None,
        cache_hints={"tools/list": hint, "resources/templates/list": hint, "server/discover": hint},
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
    )
    security = RequestStateSecurity.ephemeral(ttl=STATE_TTL_S)
    server.middleware.append(RequestStateBoundary(security, default_audience=catalogue.name))
    return server


_INSTRUCTIONS: Final = (
    "Each tool is a whole workflow. A result that would be too large stays here under a handle: read it in pages with "
    "handle_read, or pass its id to a tool that takes such a handle. A failed call answers with a fault: `next` says "
    "what to do, `done` what has already happened."
)


def _progress_to(context: ServerRequestContext[Any]) -> OnProgress:
    """Tells progress to the client; it never goes back, as the protocol demands."""
    told = -1.0

    async def tell(progress: Progress) -> None:
        nonlocal told
        if progress.finished > told:
            told = progress.finished
            await context.session.report_progress(progress.finished, progress.total, progress.message)

    return tell


def _handle_query(uri: str) -> dict[str, Any]:
    """The arguments of a page. Raises the fault `invalid_input` for a URI that is none of ours."""
    parts = urlsplit(uri)
    if parts.scheme != "chainc" or parts.netloc != "handle" or not parts.path.strip("/"):
        raise RunFault(Fault("invalid_input", f"There is no resource {uri[:200]}."))
    query: dict[str, Any] = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    for name in ("offset", "limit"):
        if name in query:
            if not query[name].isdecimal():
                raise RunFault(Fault("invalid_input", f"`{name}` must be a whole number."))
            query[name] = int(query[name])
    known: dict[str, Any] = {name: value for name, value in query.items() if name in ("path", "offset", "limit")}
    return {"handle": parts.path.strip("/"), **known}


def _no_cursor(params: t.PaginatedRequestParams | None) -> None:
    """There is one page; a cursor is none that this server gave."""
    import mcp_types as t
    from mcp import MCPError

    if params is not None and params.cursor is not None:
        raise MCPError(code=t.INVALID_PARAMS, message="There is no such page.")
