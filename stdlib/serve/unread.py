"""What a client hears of a line that is no message."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage

_TOKEN: Final = re.compile(rb'(?P<key>"(?:\\.|[^"\\])*+")\s*+(?P<colon>:)?|[{}\[\]]')
_ID: Final = re.compile(rb'\s*+(?:(?P<number>-?\d{1,18})|"(?P<text>[\x20-\x7e]{0,200}?)")\s*+[,}]')


def refusal_of(line: bytes) -> SessionMessage | None:
    """The JSON-RPC error for a line that cannot be read, with the id of the request where that can be made out.

    None for an answer or a notification: nothing waits for a reply to them (JSON-RPC 2.0, sections 4.1 and 5.1).
    """
    import mcp_types as t
    from mcp.shared.message import SessionMessage

    keys, found = _outline(line)
    if keys & {b'"result"', b'"error"'} or (b'"method"' in keys and b'"id"' not in keys):
        return None
    data = t.ErrorData(code=t.PARSE_ERROR, message="This line cannot be read as a message.")
    return SessionMessage(t.JSONRPCError(jsonrpc="2.0", id=found, error=data))


def _outline(line: bytes) -> tuple[set[bytes], int | str | None]:
    """The names of an object's own fields, and its id; of a text that is no JSON as far as it looks like some."""
    keys: set[bytes] = set()
    found: int | str | None = None
    if not line.lstrip().startswith(b"{"):
        return keys, found
    depth = 0
    for token in _TOKEN.finditer(line):
        sign = token.group()
        if sign in (b"{", b"["):
            depth += 1
        elif sign in (b"}", b"]"):
            depth -= 1
        elif depth == 1 and token["colon"]:
            keys.add(token["key"])
            value = _ID.match(line, token.end())
            if token["key"] == b'"id"' and value is not None:
                found = int(value["number"]) if value["number"] else value["text"].decode("ascii")
    return keys, found
