"""What the protocol's client gives and raises, as answers and faults."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from ..runtime.fault import Fault, RunFault, bounded, fault
from ..runtime.result import NOTHING, ToolAnswer
from ..values.plain import unhidden
from .foreign import foreign_fault
from .reply import Reply, problem

if TYPE_CHECKING:
    import mcp_types as t
    from mcp_types import ErrorData
    from pydantic import TypeAdapter


def client_info() -> t.Implementation:
    """How this program calls itself to servers."""
    import mcp_types as t

    return t.Implementation(name="chainc", version="1")


@cache
def result_kinds() -> TypeAdapter[t.CallToolResult | t.InputRequiredResult]:
    """What may answer a call. The client's own check against the output schema is passed by: ours says it better."""
    import mcp_types as t
    from pydantic import TypeAdapter

    return TypeAdapter(t.CallToolResult | t.InputRequiredResult)


def answer_of(label: str, result: t.CallToolResult | t.InputRequiredResult) -> ToolAnswer:
    """The answer of a tool. Raises the fault `tool_error` where the tool wants to ask the user first."""
    import mcp_types as t

    if isinstance(result, t.InputRequiredResult):
        raise fault("tool_error", f"{label} wants to ask its user something; a chain has nobody to ask on its behalf.")
    content = tuple(block.model_dump(by_alias=True, mode="json", exclude_none=True) for block in result.content)
    structured: Any = result.structured_content
    if structured is None and (content or "structured_content" not in result.model_fields_set):
        structured = NOTHING
    return ToolAnswer(content, structured, result.is_error)


BROKEN: Final = -32055
"""Code of the error that stands for a request that got no answer; its data: { ours, reason, sent }."""
STATUS: Final = -32056
"""Code of the error that stands for a status that is no success; its data: { ours, status, kind, text,
retry_after }."""
UNREAD: Final = -32057
"""Code of the error that stands for a request that is not made, or an answer that is not taken; its data: see
`fault_data`."""
FOREIGN: Final = -32058
"""Code of the error that stands for an answer of something else than a server of the protocol; its data: see
`foreign_data`."""
OURS: Final = secrets.token_hex(16)
"""Stands in such errors, so that no server can send one."""

_LESS: Final = "Ask the tool for less: a filter, a shorter range, a page."
_NOT_TAKEN: Final = (301, 307, 308)
"""A server that answers so did nothing: it wants to be asked elsewhere. With 302 and 303 many lead to the result of
what they have done (RFC 9110 section 15.4)."""
_TYPE: Final = "Unexpected content type: "


def refusal(name: str, label: str, error: ErrorData) -> Fault:
    """A JSON-RPC error as a fault. `name`: of the source, `label`: of the tool."""
    import mcp_types as t

    message, said = error.message, unhidden(bounded(error.message, 500))
    if _is_ours(error.data):
        return _own(name, label, error.code, error.data)
    if "Server-sent event exceeded" in message:
        return Fault("result_too_large", f"The server of `{name}` sent a message that is too long.", next=_LESS)
    if error.code == t.CONNECTION_CLOSED or message == "Server returned an error response":
        return Fault("unavailable", f"The server of `{name}` gave no answer: {said}.")
    if message == "Session terminated":
        return Fault("unavailable", f"The server of `{name}` has forgotten the session.", sent=False)
    unread = _unread(message)
    if unread is not None:
        return Fault("unavailable", f"The server of `{name}` {unread}.")
    return Fault("tool_error", f"{label} was refused by its server: {said} (code {error.code})")


def _unread(message: str) -> str | None:
    """What the server did, where the client's own words tell of an answer that is none. What became of the call is
    unknown then: it may well have happened."""
    if message.startswith("Failed to parse "):
        return "answered something that is no message of the protocol, or broke off in it"
    if message.startswith(_TYPE):
        kind = bounded(message.removeprefix(_TYPE), 80) or "something without a media type"
        return f"answered {kind}, which is no message of the protocol"
    if message.startswith("server answered a request with 202"):
        return "took the call (202) and gave no answer"
    return None


def _own(name: str, label: str, code: int, data: dict[str, Any]) -> Fault:
    if code == BROKEN:
        return _broken(name, data["reason"], sent=data["sent"])
    if code == STATUS:
        return _refused(name, label, data)
    if code == FOREIGN:
        return replace(foreign_fault(name, data, whole=False), sent=data["status"] not in _NOT_TAKEN)
    return Fault(**data["fault"])


def _not_opened(name: str, data: dict[str, Any]) -> Fault:
    """A status that is no success, before any call was made."""
    found = _refused(name, "the connection", data)
    if found.fault_class == "tool_error":
        said = found.message.partition("): ")[2]
        why = f"The server of `{name}` refuses the connection ({data['status']})" + (f": {said}" if said else ".")
        return replace(found, fault_class="unavailable", message=why, sent=False)
    return replace(found, sent=False)


def _refused(name: str, label: str, data: dict[str, Any]) -> Fault:
    """A status that is no success. What a server of tools is shown stands in the `headers` of its source."""
    found = problem(name, label, _reply(data)).fault
    if found.fault_class != "denied":
        return found
    advice = "Look at the `headers` of the source, and at the variables that they come from."
    if data["status"] == 401:
        advice += ' Many servers want `Authorization = "Bearer env:NAME"`, with the token alone in that variable.'
    return replace(found, next=advice)


def _reply(data: dict[str, Any]) -> Reply:
    text = data["text"].encode("utf-8", "replace")
    return Reply(data["status"], data["kind"], "utf-8", {"retry-after": data["retry_after"]}, text)


def _is_ours(data: Any) -> bool:
    return isinstance(data, dict) and data.get("ours") == OURS


def fault_data(found: Fault) -> dict[str, Any]:
    """The fault of a single exchange, for `UNREAD`."""
    advice = _LESS if found.fault_class == "result_too_large" else found.next
    fields = {"message": found.message, "next": advice, "sent": found.sent, "refused": found.refused}
    return {"fault": {"fault_class": found.fault_class, **fields}}


def _broken(name: str, reason: str, *, sent: bool) -> Fault:
    what = f"The connection to the server of `{name}` broke" if sent else f"The server of `{name}` cannot be reached"
    return Fault("unavailable", f"{what}: {reason.rstrip('.')}.", sent=sent)


def problem_of(name: str, error: BaseException, *, whole: bool = False) -> Fault | None:
    """Why a connection could not be opened or has broken; None where the transport knows better. `whole`: see
    `foreign_fault`."""
    import httpx2
    from mcp import MCPError
    from pydantic import ValidationError

    for leaf in _leaves(error):
        if isinstance(leaf, RunFault):
            return leaf.fault
        if isinstance(leaf, httpx2.HTTPError):
            never_sent = isinstance(leaf, httpx2.ConnectError | httpx2.ConnectTimeout)
            return _broken(name, str(leaf) or type(leaf).__name__, sent=not never_sent)
        if isinstance(leaf, MCPError) and leaf.code == STATUS and _is_ours(leaf.error.data):
            return _not_opened(name, leaf.error.data)
        if isinstance(leaf, MCPError) and leaf.code == FOREIGN and _is_ours(leaf.error.data):
            return foreign_fault(name, leaf.error.data, whole=whole)
        if isinstance(leaf, MCPError) and leaf.code != -32000:
            message = f"The server of `{name}` refuses the connection: {unhidden(bounded(leaf.message, 500))}"
            return Fault("unavailable", message, sent=False)
        if isinstance(leaf, ValidationError):
            message = f"The server of `{name}` answered the handshake with something that is none."
            return Fault("unavailable", message, sent=False)
    return None


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error
