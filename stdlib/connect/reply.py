"""What a service answered → the answer of a tool, or a fault."""

from __future__ import annotations

import base64
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final

from ..plan.openapi import Operation, Response
from ..runtime.clean import compact
from ..runtime.fault import Fault, RunFault, bounded, fault
from ..runtime.result import NOTHING, ToolAnswer
from ..values.canonical import JsonError, clean_text, read_json
from ..values.encodings import text_encoding
from .credentials import where_to_look
from .unpack import unpacked

if TYPE_CHECKING:
    import httpx2

ERROR_BYTES: Final = 64 * 1024
"""So much of an error's body is read for its message."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A complete answer. `kind` is the media type without parameters, in small letters."""

    status: int
    kind: str
    charset: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_json(self) -> bool:
        return self.kind in ("application/json", "text/json") or self.kind.endswith("+json")

    @property
    def is_text(self) -> bool:
        return self.kind.startswith("text/") or self.kind in (
            "application/xml",
            "application/x-ndjson",
            "application/yaml",
        )

    @property
    def text(self) -> str:
        return clean_text(self.body.decode(text_encoding(self.charset), "replace"))


async def read_reply(label: str, response: httpx2.Response, most_bytes: int) -> Reply:
    """Reads the body as it comes, unpacked piece by piece: never more than `most_bytes`. Of errors the beginning.

    Raises `result_too_large`, and `shape_mismatch` where the packing is unknown or damaged.
    """
    is_error = response.status_code >= 400
    limit = ERROR_BYTES if is_error else most_bytes
    parts: list[bytes] = []
    size = 0
    async for part in unpacked(label, response):
        parts.append(part)
        size += len(part)
        if size > limit:
            if is_error:
                break
            message = f"{label} answered more than {most_bytes} bytes."
            raise fault("result_too_large", message, next="Ask the tool for less: a filter, a shorter range, a page.")
    kind, _, rest = response.headers.get("Content-Type", "").partition(";")
    charset = re.search(r"charset=\"?([A-Za-z0-9._-]+)", rest, re.IGNORECASE)
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Reply(
        response.status_code,
        kind.strip().lower(),
        charset[1] if charset else "utf-8",
        headers,
        b"".join(parts)[:limit],
    )


def answer(label: str, operation: Operation, reply: Reply) -> ToolAnswer:
    """The answer in a success. JSON also stands there as text, for claims that parse it. Raises `shape_mismatch`."""
    expected = _expected(operation, reply.status)
    if operation.raw or (expected is None and reply.body):
        if reply.body and not (reply.is_json or reply.is_text or not reply.kind):
            raise fault("shape_mismatch", f"{label} answered {_kind(reply)}, which is neither JSON nor text.")
        structured: Any = _json(label, reply) if reply.is_json and not operation.raw else NOTHING
        return ToolAnswer(_content(reply) if reply.body else (), structured)
    if expected is None or expected.body == "none":
        return ToolAnswer((), None)
    if not reply.body and expected.body == "json":
        raise fault("shape_mismatch", f"{label} answered nothing where JSON was promised.")
    if expected.body == "json":
        if reply.kind and not reply.is_json:
            raise fault("shape_mismatch", f"{label} answered {_kind(reply)}, not JSON.")
        value = _json(label, reply)  # before the text is made: of a large answer, fewer copies are held at once
        return ToolAnswer(_content(reply), value)
    if expected.body == "bytes":
        value = base64.b64encode(reply.body).decode()
        return ToolAnswer(({"type": "text", "text": value},), value)
    if reply.kind and not (reply.is_text or reply.is_json):
        raise fault("shape_mismatch", f"{label} answered {_kind(reply)}, not text.")
    return ToolAnswer(_content(reply), reply.text)


def _expected(operation: Operation, status: int) -> Response | None:
    by_status = {each.status: each for each in operation.responses}
    return by_status.get(str(status)) or by_status.get(f"{status // 100}XX") or by_status.get("default")


def _content(reply: Reply) -> tuple[dict[str, Any], ...]:
    return ({"type": "text", "text": reply.text},)


def _json(label: str, reply: Reply) -> Any:
    try:
        return read_json(reply.body.removeprefix(b"\xef\xbb\xbf"))
    except JsonError as error:
        raise fault("shape_mismatch", f"{label} answered no JSON. {error}") from None


def _kind(reply: Reply) -> str:
    return bounded("".join(c for c in reply.kind if c.isprintable()), 80) or "something without a media type"


# ------------------------------------------------------------------ errors


def problem(
    name: str, label: str, reply: Reply, used: Mapping[str, tuple[str, ...]] | None = None, away: str = ""
) -> RunFault:
    """A status that is no success as a fault. `name`: of the source. `used` and `away`: see `where_to_look`; None where
    there is no document that asks for credentials."""
    said = _said(reply)
    why = f": {said}" if said else "."
    details: dict[str, Any] = {"status": reply.status}
    match reply.status:
        case 401 | 403:
            message = f"`{name}` refuses {label} ({reply.status}){why}"
            advice = None if used is None else where_to_look(used, reply.status, away)
            return RunFault(Fault("denied", message, next=advice, details=details))
        case 408 | 504:
            return RunFault(
                Fault("timeout", f"{label} took its service too long ({reply.status}){why}", details=details)
            )
        case 429:
            wait = _retry_after(reply.headers.get("retry-after", ""))
            more = {} if wait is None else {"retry_after_seconds": wait}
            return RunFault(Fault("rate_limited", f"`{name}` gets too many calls{why}", details={**details, **more}))
        case status if status >= 500:
            return RunFault(Fault("unavailable", f"The service of `{name}` failed ({status}){why}", details=details))
        case status if status >= 400:
            return RunFault(Fault("tool_error", f"{label} failed ({status}){why}", details=details))
    return RunFault(Fault("tool_error", f"{label} gave no result, but the status {reply.status}{why}", details=details))


def _said(reply: Reply) -> str:
    """The message in an error: the usual fields of JSON (RFC 9457 among them), else all of it; or a short text."""
    if reply.is_json:
        try:
            value = read_json(reply.body)
            text = _message(value) or (compact(value) if isinstance(value, dict | list) and value else "")
        except JsonError:
            text = ""
    else:
        text = reply.text if reply.kind.startswith("text/plain") else ""
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return bounded(text, 500)


def _message(value: Any, deep: int = 0) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and deep < 3:
        return "; ".join(filter(None, (_message(each, deep + 1) for each in value[:5])))
    if not isinstance(value, dict) or deep >= 3:
        return ""
    where = value.get("loc")  # one of several mistakes, as many services tell them
    lead = ".".join(str(each) for each in where) + ": " if isinstance(where, list) else ""
    found = [_message(value.get(key), deep + 1) for key in ("title", "detail", "message", "msg", "error", "errors")]
    return lead + ": ".join(dict.fromkeys(filter(None, found))) if any(found) else ""


def _retry_after(text: str) -> int | None:
    """Seconds to wait (RFC 9110 section 10.2.3): a number, or a date."""
    if re.fullmatch(r"[0-9]{1,9}", text.strip()):
        return int(text)
    try:
        return max(0, round(parsedate_to_datetime(text).timestamp() - time.time()))
    except (TypeError, ValueError, OverflowError):
        return None
