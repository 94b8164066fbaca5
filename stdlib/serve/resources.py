"""What clients read as resources: the registry of the tools that they see, and pages of handles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, urlsplit

from ..runtime.clean import compact
from ..runtime.fault import Fault, RunFault
from .engine import Engine
from .session import SessionState

if TYPE_CHECKING:
    import mcp_types as t

REGISTRY: Final = "chainc://registry"
TEMPLATE: Final = "chainc://handle/{id}{?path,offset,limit}"
_DIGITS: Final = 18
"""Most digits of a number in a URI: nothing has more parts."""


def registry_resource() -> t.Resource:
    import mcp_types as t

    return t.Resource(
        uri=REGISTRY,
        name="registry",
        title="The tools in short",
        description="One line a tool: its name, parameters and types, and whether it gives a value or a handle.",
        mime_type="text/plain",
    )


def handle_template() -> t.ResourceTemplate:
    import mcp_types as t

    return t.ResourceTemplate(
        uri_template=TEMPLATE,
        name="handle",
        title="A page of a handle",
        description="The value behind a handle, like `handle_read` gives it.",
        mime_type="application/json",
    )


async def read(engine: Engine, session: SessionState, uri: str) -> t.TextResourceContents:
    """Raises `RunFault` for what is not there, or is not theirs."""
    import mcp_types as t

    if uri == REGISTRY:
        return t.TextResourceContents(uri=uri, mime_type="text/plain", text=session.visible.registry)
    found = await engine.handles.page(session.principal.owner, **_handle_query(uri))
    return t.TextResourceContents(uri=uri, mime_type="application/json", text=compact(found))


def _handle_query(uri: str) -> dict[str, Any]:
    """The arguments of a page. Raises the fault `invalid_input` for a URI that is none of ours."""
    nothing = RunFault(Fault("invalid_input", f"There is no resource {uri[:200]}."))
    try:
        parts = urlsplit(uri)
        query: dict[str, Any] = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    except ValueError:  # brackets that are none, too many fields
        raise nothing from None
    if parts.scheme != "chainc" or parts.netloc != "handle" or not parts.path.strip("/"):
        raise nothing
    for name in ("offset", "limit"):
        if name in query:
            if not query[name].isdecimal() or len(query[name]) > _DIGITS:
                raise RunFault(Fault("invalid_input", f"`{name}` must be a whole number."))
            query[name] = int(query[name])
    known: dict[str, Any] = {name: value for name, value in query.items() if name in ("path", "offset", "limit")}
    return {"handle": parts.path.strip("/"), **known}
