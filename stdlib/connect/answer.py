"""What the protocol's client gives and raises, as answers and faults."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from ..runtime.fault import Fault, RunFault, bounded, fault
from ..runtime.result import NOTHING, ToolAnswer

if TYPE_CHECKING:
    import mcp_types as t
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


def refusal(name: str, label: str, code: int, message: str) -> Fault:
    """A JSON-RPC error as a fault. `name`: of the source, `label`: of the tool."""
    import mcp_types as t

    said = bounded(message, 500)
    if code == t.CONNECTION_CLOSED or message == "Server returned an error response":
        return Fault("unavailable", f"The server of `{name}` gave no answer: {said}.")
    if message == "Session terminated":
        return Fault("unavailable", f"The server of `{name}` has forgotten the session.", sent=False)
    if code == t.PARSE_ERROR:
        return Fault("shape_mismatch", f"The server of `{name}` answered something that is no message: {said}")
    return Fault("tool_error", f"{label} was refused by its server: {said} (code {code})")


def problem_of(name: str, error: BaseException) -> Fault | None:
    """Why a connection could not be opened or has broken; None where the transport knows better."""
    import httpx2
    from mcp import MCPError

    for leaf in _leaves(error):
        if isinstance(leaf, RunFault):
            return leaf.fault
        if isinstance(leaf, httpx2.HTTPError):
            reason = str(leaf) or type(leaf).__name__
            never_sent = isinstance(leaf, httpx2.ConnectError | httpx2.ConnectTimeout)
            return Fault("unavailable", f"The server of `{name}` cannot be reached: {reason}.", sent=not never_sent)
        if isinstance(leaf, MCPError) and leaf.code != -32000:
            message = f"The server of `{name}` refuses the connection: {bounded(leaf.message, 500)}"
            return Fault("unavailable", message, sent=False)
    return None


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error
