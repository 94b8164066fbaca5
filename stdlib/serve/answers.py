"""Results and faults as the protocol's tool results.

A result is complete in each of its two forms: `structuredContent`, and the same as compact JSON in a text block (after
a summary, where there is one). A fault is `isError` with the structured fault as JSON in the text block and without
`structuredContent`, so that what stands there always fits the output schema. What is secret is masked in all of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..runtime.clean import compact
from ..runtime.fault import Fault
from ..runtime.gates.mask import OPEN, Mask
from ..runtime.result import ToolAnswer
from ..runtime.run_result import Result
from ..runtime.store.handles import Handle
from ..runtime.store.journal import Ended

if TYPE_CHECKING:
    import mcp_types as t


REPLAYED: Final = "chainc/replayed"
"""In the `_meta` of a result: the steps whose results are those of an earlier call."""

ADAPTER: Final = "chainc/adapter"
"""In the `_meta` of a result: the older version that the call was made for."""


def answer(result: Result, mask: Mask = OPEN) -> t.CallToolResult:
    if result.fault is not None:
        told = fault_answer(result.fault, result.handle, mask)
    elif result.handed is not None:
        told = _handed(result.handed, mask)
    else:
        assert result.wire is not None
        summary = None if result.handle is not None else result.summary
        told = value_answer(result.wire, summary, result.handle, mask)
    meta: dict[str, Any] = {REPLAYED: list(result.replayed), ADAPTER: result.adapter}
    known = {name: value for name, value in meta.items() if value}
    return told.model_copy(update={"meta": known}) if known else told


def _handed(found: ToolAnswer, mask: Mask) -> t.CallToolResult:
    """A tool's own answer."""
    import mcp_types as t

    given = {"content": mask.value(list(found.content)), "isError": found.is_error}
    if isinstance(found.structured, dict) and not found.is_error:
        given["structuredContent"] = mask.value(found.structured)
    return t.CallToolResult.model_validate(given, by_name=False)


def ended_answer(ended: Ended, mask: Mask = OPEN) -> t.CallToolResult:
    """The end of a run as it was written down."""
    import mcp_types as t

    if ended.wire is not None:
        return value_answer(dict(ended.wire), mask=mask)
    text = compact({"fault": mask.value(ended.fault and dict(ended.fault))})
    return t.CallToolResult(content=[t.TextContent(text=text)], is_error=True)


def value_answer(
    wire: dict[str, Any], summary: str | None = None, handle: Handle | None = None, mask: Mask = OPEN
) -> t.CallToolResult:
    import mcp_types as t

    wire = mask.value(wire)
    text = compact(wire)
    content: list[t.ContentBlock] = [t.TextContent(text=f"{mask.text(summary)}\n{text}" if summary else text)]
    if handle is not None:
        content.append(_link(handle, mask))
    return t.CallToolResult(content=content, structured_content=wire)


def fault_answer(fault: Fault, handle: Handle | None = None, mask: Mask = OPEN) -> t.CallToolResult:
    import mcp_types as t

    content: list[t.ContentBlock] = [t.TextContent(text=compact({"fault": mask.fault(fault).to_json()}))]
    if handle is not None:
        content.append(_link(handle, mask))
    return t.CallToolResult(content=content, is_error=True)


def _link(handle: Handle, mask: Mask) -> t.ResourceLink:
    import mcp_types as t

    return t.ResourceLink(
        uri=handle.uri,
        name=handle.kind,
        description=mask.text(handle.summary),
        mime_type="application/json",
        size=handle.bytes,
    )
