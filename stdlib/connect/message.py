"""One line of a program's output as a message of the protocol."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from ..values.canonical import clean

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage


_ID: Final = re.compile(rb'"id"\s*:\s*(\d{1,18}|"[^"\\]{1,100}")')


def read_message(line: bytes) -> SessionMessage | None:
    """The message, or None where the line is none. Lone surrogates, which strict parsers refuse, become U+FFFD."""
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter

    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError:
        pass
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        value = clean(json.loads(line.decode("utf-8", "replace")))
        return SessionMessage(jsonrpc_message_adapter.validate_python(value, by_name=False))
    except (ValueError, RecursionError):
        return None


def unread_answer(line: bytes) -> SessionMessage | None:
    """An error in the place of an answer that cannot be read, where its beginning says whose answer it is: who waits
    for it need not wait for ever. None: the line is no answer."""
    from mcp.shared.message import SessionMessage
    from mcp_types import PARSE_ERROR, ErrorData, JSONRPCError

    beginning = line[:300]
    found = _ID.search(beginning)
    if found is None or b'"jsonrpc"' not in beginning or b'"method"' in beginning:
        return None
    error = ErrorData(code=PARSE_ERROR, message="Failed to parse the answer")
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=json.loads(found[1]), error=error))
