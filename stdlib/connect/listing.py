"""What a server of tools offers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from ..plan.digest import tool_digest
from ..plan.plan import Effects
from ..runtime.clean import excerpt
from ..runtime.fault import RunFault, fault

if TYPE_CHECKING:
    from mcp import Client
    from pydantic import ValidationError

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


async def read_listing(name: str, client: Client, came: Callable[[], list[Any]] = list) -> ServerListing:
    """Every tool of a connected server, in its order. `name`: of the source; `came`: the tools of the last page as they
    came, where the transport knows them.

    Raises the fault `unavailable` where a tool is not described as the protocol wants it, where the pages never end,
    where there are more than `MOST_TOOLS` or where two tools have one name.
    """
    from pydantic import ValidationError

    tools: list[ListedTool] = []
    cursor: str | None = None
    cursors: set[str] = set()
    while True:
        try:
            page = await client.list_tools(cursor=cursor, cache_mode="bypass")
        except ValidationError as error:
            raise _flawed(name, error, came()) from None
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


def _flawed(name: str, error: ValidationError, came: list[Any]) -> RunFault:
    """What is wrong with a list of tools, in the protocol's names."""
    found = error.errors(include_url=False)[0]
    place = list(found["loc"])
    whose = f"The server of `{name}`"
    if len(place) < 2 or place[0] != "tools" or not isinstance(place[1], int):
        return fault("unavailable", f"{whose} answered something that is no list of tools.", sent=False)
    tool = came[place[1]] if place[1] < len(came) else None
    called = tool.get("name") if isinstance(tool, dict) else None
    which = f"the tool `{called[:80]}`" if isinstance(called, str) and called else f"its tool number {place[1] + 1}"
    field = ".".join(str(each) for each in place[2:])
    if found["type"] == "missing":
        flaw = f"without `{field}`"
    elif found["type"] == "literal_error":
        flaw = f"with {excerpt(found['input'])} as `{field}`; the protocol wants {found['ctx']['expected']}"
    else:
        flaw = f"with {excerpt(found['input'])} as `{field}`" if field else f"as {excerpt(found['input'])}"
    advice = "Tell the owner of the server; until it is mended, none of its tools can be used."
    return fault("unavailable", f"{whose} describes {which} {flaw}.", sent=False, lasting=True, next=advice)


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
