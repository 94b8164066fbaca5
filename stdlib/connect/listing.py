"""What a server of tools offers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from ..plan.digest import tool_digest
from ..plan.plan import Effects
from ..runtime.fault import fault

if TYPE_CHECKING:
    from mcp import Client

MOST_TOOLS: Final = 10_000


@dataclass(frozen=True, slots=True)
class ListedTool:
    """A tool as offered, schemas untouched. `effects` is None where the server says nothing about them."""

    name: str
    title: str | None
    description: str
    input_schema: dict[str, Any] = field(repr=False)
    output_schema: dict[str, Any] | None = field(repr=False)
    effects: Effects | None
    offered: dict[str, Any] = field(default_factory=dict, repr=False)
    """All that the server said of it, by the protocol's names: what the lock keeps."""

    @property
    def digest(self) -> str:
        return tool_digest(self.name, self.input_schema, self.output_schema)


@dataclass(frozen=True, slots=True)
class ServerListing:
    """`server` and `version` as the server calls itself (empty where it does not), `protocol` as negotiated."""

    server: str
    version: str
    protocol: str
    tools: tuple[ListedTool, ...]


async def read_listing(name: str, client: Client) -> ServerListing:
    """Every tool of a connected server, in its order. `name`: of the source.

    Raises the fault `unavailable` where the pages never end, where there are more than `MOST_TOOLS` or where two tools
    have one name.
    """
    tools: list[ListedTool] = []
    cursor: str | None = None
    cursors: set[str] = set()
    while True:
        page = await client.list_tools(cursor=cursor, cache_mode="bypass")
        tools += [_listed(each) for each in page.tools]
        cursor = page.next_cursor
        if len(tools) > MOST_TOOLS:
            raise fault("unavailable", f"The server of `{name}` offers more than {MOST_TOOLS} tools.", sent=False)
        if cursor is None:
            break
        if cursor in cursors:
            raise fault("unavailable", f"The server of `{name}` repeats a page of its list of tools.", sent=False)
        cursors.add(cursor)
    names = [each.name for each in tools]
    twice = next((each for each in names if names.count(each) > 1), None) if len(set(names)) < len(names) else None
    if twice is not None:
        raise fault("unavailable", f"The server of `{name}` offers two tools named `{twice}`.", sent=False)
    info = client.server_info
    server, version = (info.name, info.version or "") if info is not None else ("", "")
    return ServerListing(server, version, client.protocol_version, tuple(tools))


def _listed(tool: Any) -> ListedTool:
    hints = tool.annotations
    said = (
        ()
        if hints is None
        else (hints.read_only_hint, hints.idempotent_hint, hints.destructive_hint, hints.open_world_hint)
    )
    effects = None
    if any(each is not None for each in said):
        # The protocol's defaults: writes, not idempotent, destructive, open world.
        read_only = hints.read_only_hint is True
        effects = Effects(
            read_only=read_only,
            idempotent=hints.idempotent_hint is True,
            destructive=not read_only and hints.destructive_hint is not False,
            open_world=hints.open_world_hint is not False,
        )
    return ListedTool(
        name=tool.name,
        title=tool.title or (hints.title if hints is not None else None),
        description=tool.description or "",
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        effects=effects,
        offered=_offered(tool),
    )


def _offered(tool: Any) -> dict[str, Any]:
    schemas = {"input_schema", "output_schema"}
    said: dict[str, Any] = tool.model_dump(mode="json", by_alias=True, exclude_none=True, exclude=schemas)
    # The schemas as they came: a null in them means something.
    said["inputSchema"] = tool.input_schema
    if tool.output_schema is not None:
        said["outputSchema"] = tool.output_schema
    return said
