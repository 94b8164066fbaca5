"""The protocol's server over an engine: lists, calls, resources. Nothing that goes wrong here reaches a client as
an exception's text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

from ..plan.catalogue import Catalogue
from ..plan.reach import chains_with, is_wait
from ..runtime.broken import broken
from ..runtime.events import Progress
from ..runtime.fault import Fault, RunFault
from ..runtime.principal import Principal
from ..runtime.run import Caller
from ..runtime.world import OnProgress
from .answers import fault_answer
from .asking import Asker, read_state
from .discovery import DESCRIBE, FIND, describe_tool, discovery_tools, find_tools, unknown_tool
from .engine import Engine
from .offer import HANDLE_DESCRIBE, HANDLE_READ, RESUME_RUN, handle_tools, resume_tool
from .options import Options
from .resources import handle_template, read, registry_resource
from .session import Sessions, SessionState, WrongChoice
from .visible import candidates

if TYPE_CHECKING:
    import mcp_types as t
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel.server import Server
    from mcp.server.subscriptions import SubscriptionBus

    Context = ServerRequestContext[Any]

STRICT: Final = "chainc/strict"
"""In the `_meta` of a call: true where the arguments have the form of a strict schema."""

REQUEST_KEY: Final = "chainc/request_key"
"""In the `_meta` of a call: calls with the same key are one request."""

STATE_TTL_S: Final = 86_400.0
"""How long a client may take to repeat a request with its user's answers, in seconds."""

LIST_TTL_MS: Final = 300_000


class Handlers:
    """What the server answers. What a request does not see is not there for it, whatever it asks."""

    def __init__(
        self,
        catalogue: Catalogue,
        engine: Engine,
        options: Options,
        principal_of: Callable[[Context], Principal] | None,
    ) -> None:
        self._engine = engine
        self._options = options
        self._sessions = Sessions(candidates(catalogue, lambda: engine.plan, options.choice), principal_of)

    @cached_property
    def _waiting(self) -> frozenset[str]:
        """The chains that may wait for a person."""
        return frozenset(chains_with(self._engine.plan.chains, is_wait))

    @cached_property
    def _own_tools(self) -> dict[str, t.Tool]:
        return {tool.name: tool for tool in (*discovery_tools(), *handle_tools(), resume_tool())}

    def _own(self, session: SessionState) -> dict[str, t.Tool]:
        """The tools that the server has by itself, as far as they are of use to this request."""
        searches, handles = self._searches(session), self._options.handles
        resumes = not self._waiting.isdisjoint(session.permitted.tools)
        useful = {
            FIND: searches,
            DESCRIBE: searches,
            HANDLE_READ: handles,
            HANDLE_DESCRIBE: handles,
            RESUME_RUN: resumes,
        }
        return {name: tool for name, tool in self._own_tools.items() if useful[name]}

    def _searches(self, session: SessionState) -> bool:
        return len(session.visible.tools) > self._options.discovery_above

    async def list_tools(self, context: Context, params: t.PaginatedRequestParams | None) -> t.ListToolsResult:
        """All of them on one page: many clients never ask for a second one."""
        import mcp_types as t

        _no_cursor(params)
        session = await self._enter(context, lists=True)
        tools = [] if self._searches(session) else [each.tool for each in session.visible.tools.values()]
        return t.ListToolsResult(tools=[*tools, *self._own(session).values()], **self._caching(session))

    def _caching(self, session: SessionState) -> dict[str, Any]:
        """What a request chose by itself holds for it alone."""
        scope: Literal["private", "public"] = "private" if self._sessions.is_private(session) else "public"
        return {"ttl_ms": 0 if session.choices else LIST_TTL_MS, "cache_scope": scope}

    async def call_tool(
        self, context: Context, params: t.CallToolRequestParams
    ) -> t.CallToolResult | t.InputRequiredResult:
        session = await self._enter(context)
        name = params.name
        try:
            if name in session.visible.tools or name in self._own(session):
                told = await self._call(context, session, params)
                _written(told)
                return told
        except Exception as error:
            return fault_answer(broken(name, error))
        gate = self._sessions.refused(session, name)
        caller = Caller(principal=session.principal, session=session.id)
        await self._engine.refused(name, params.arguments, caller, replace(unknown_tool(name), refused=gate))
        raise _refusal(unknown_tool(name))

    async def _call(
        self, context: Context, session: SessionState, params: t.CallToolRequestParams
    ) -> t.CallToolResult | t.InputRequiredResult:
        """A tool that this request sees."""
        name, arguments = params.name, params.arguments or {}
        if name == FIND:
            return find_tools(session.visible, arguments)
        if name == DESCRIBE:
            return describe_tool(session.visible, self._own(session), arguments)
        if name == HANDLE_READ:
            return await self._engine.handles.read(arguments, session.principal.owner)
        if name == HANDLE_DESCRIBE:
            return await self._engine.handles.describe(arguments, session.principal.owner)
        asker = Asker(context, self._engine.mask)
        meta = context.meta or {}
        key = meta.get(REQUEST_KEY)
        caller = Caller(
            principal=session.principal,
            strict_nulls=self._options.strict or meta.get(STRICT) is True,
            request_key=key if isinstance(key, str) and key else None,
            on_progress=_progress_to(context),
            session=None if asker.is_modern else session.id,  # there each request stands alone
            can_be_asked=asker.can_ask,
        )
        tool, state = session.visible.tools.get(name), read_state(params.request_state)
        if state is not None:
            return await self._engine.continue_chain(*state, params.input_responses, caller, asker)
        if tool is not None and tool.primitive is not None:
            return await self._engine.call_primitive(name, tool.primitive, tool.scopes, arguments, caller, asker)
        if tool is None:
            theirs = None if session.principal.scopes is None else session.permitted.tools
            return await self._engine.resume_run(arguments, caller, asker, theirs)
        return await self._engine.call_chain(name, arguments, caller, asker)

    async def list_resources(self, context: Context, params: t.PaginatedRequestParams | None) -> t.ListResourcesResult:
        """The registry alone: ids of handles are secrets of those who have them."""
        import mcp_types as t

        _no_cursor(params)
        await self._enter(context)
        return t.ListResourcesResult(resources=[registry_resource()])

    async def list_templates(
        self, context: Context, params: t.PaginatedRequestParams | None
    ) -> t.ListResourceTemplatesResult:
        import mcp_types as t

        _no_cursor(params)
        await self._enter(context)
        return t.ListResourceTemplatesResult(resource_templates=[handle_template()])

    async def read_resource(self, context: Context, params: t.ReadResourceRequestParams) -> t.ReadResourceResult:
        import mcp_types as t

        session = await self._enter(context)
        uri = str(params.uri)
        try:
            content = await read(self._engine, session, uri)
        except RunFault as problem:
            raise _refusal(problem.fault, uri=uri) from None
        return t.ReadResourceResult(contents=[content], ttl_ms=0, cache_scope="private")

    async def _enter(self, context: Context, *, lists: bool = False) -> SessionState:
        import mcp_types as t
        from mcp import MCPError

        try:
            return await self._sessions.enter(context, lists=lists)
        except WrongChoice as wrong:
            raise MCPError(code=t.INVALID_PARAMS, message=str(wrong)) from None


def build_server(
    catalogue: Catalogue,
    engine: Engine,
    options: Options,
    *,
    principal_of: Callable[[Context], Principal] | None = None,
    changes: SubscriptionBus | None = None,
) -> Server[Any]:
    """The protocol's server, for any transport. `principal_of`: who sent a request; None: the owner of this process.
    `changes`: where it is told that lists have changed, for clients of the later era."""
    from mcp.server.caching import CacheHint
    from mcp.server.lowlevel.server import NotificationOptions, Server
    from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
    from mcp.server.subscriptions import ListenHandler

    class Changing(Server[Any]):
        """Says that lists may change, on every transport."""

        def create_initialization_options(
            self, notification_options: NotificationOptions | None = None, *rest: Any, **more: Any
        ) -> Any:
            told = notification_options or NotificationOptions(tools_changed=True)
            return super().create_initialization_options(told, *rest, **more)

    handlers = Handlers(catalogue, engine, options, principal_of)
    hint = CacheHint(ttl_ms=LIST_TTL_MS, scope="public")
    server = Changing(
        catalogue.name,
        version=catalogue.version,
        instructions=_INSTRUCTIONS if options.handles else None,
        cache_hints={"resources/list": hint, "resources/templates/list": hint, "server/discover": hint},
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_subscriptions_listen=None if changes is None else ListenHandler(changes),
    )
    security = RequestStateSecurity.ephemeral(ttl=STATE_TTL_S)
    server.middleware.append(RequestStateBoundary(security, default_audience=catalogue.name))
    return server


_LARGE: Final = 65_536
"""Characters of an answer's texts."""

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


def _refusal(fault: Fault, **more: str) -> Exception:
    """A fault as the protocol's own error."""
    import mcp_types as t
    from mcp import MCPError

    return MCPError(code=t.INVALID_PARAMS, message=fault.message, data={**more, "fault": fault.to_json()})


def _no_cursor(params: t.PaginatedRequestParams | None) -> None:
    """There is one page; a cursor is none that this server gave."""
    import mcp_types as t
    from mcp import MCPError

    if params is not None and params.cursor is not None:
        raise MCPError(code=t.INVALID_PARAMS, message="There is no such page.")


def _written(told: t.CallToolResult | t.InputRequiredResult) -> None:
    """Raises where an answer cannot be written: that is the fault of its call alone, on every transport. Of a large one
    only the texts are looked at, which hold the value, too: they would be written twice."""
    texts = [block.text for block in getattr(told, "content", ()) if block.type == "text"]
    if sum(map(len, texts)) < _LARGE:
        told.model_dump_json()
    for text in texts:
        text.encode()
