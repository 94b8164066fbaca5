"""One line of a program's output as a message of the protocol."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..values.canonical import clean

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage


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
