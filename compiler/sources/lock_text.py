"""What a server offered, as the text of a lock file: the same bytes for the same answer."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from typing import Any

from compiler.loader.lock import offered_wrong
from compiler.loader.lock_shape import (
    FORMAT,
    alias_of,
    asked,
    bad_name,
    hidden_in,
    schema_digest,
    service_digest,
    tool_digest,
    visible,
)
from compiler.project import Transport
from compiler.sources.offer import Offer, OfferedTool
from compiler.sources.packages import package_of
from stdlib.values.canonical import JsonError, clean

MOST_BYTES = 8_000_000
"""A server whose answer is longer is not asked for tools but for a library."""


class Unfit(Exception):
    """The answer cannot be kept. `code` of the diagnostic and the end of a sentence that begins with the source."""

    def __init__(self, code: str, why: str) -> None:
        super().__init__(why)
        self.code, self.why = code, why


def lock_value(name: str, transport: Transport, offer: Offer, before: dict[str, Any]) -> dict[str, Any]:
    """The lock of a source, all texts in it clean. Raises Unfit where a name is dangerous or a schema too deep to be
    checked.

    `before` is the lock so far, or empty: where the same server is installed in a way that does not tell its package,
    what is known of it stays.
    """
    value: dict[str, Any] = {
        "format": FORMAT,
        "source": name,
        "asked": asked(transport),
        "server": {"name": offer.server, "version": offer.version},
    }
    known = before.get("package") if before.get("server") == value["server"] else None
    package = package_of(transport) or known
    if package:
        value["package"] = package
    if offer.protocol:
        value["protocol"] = offer.protocol
    if offer.files:
        value["files"] = dict(offer.files)
    if offer.service is not None:
        value["service"] = dict(offer.service)
        value["digest"] = service_digest(value)
    value["tools"] = sorted((_tool(each) for each in offer.tools), key=lambda tool: str(tool["offered"]["name"]))
    cleaned: dict[str, Any] = clean(value)  # a lone half of a surrogate pair is in no file
    return cleaned


def lock_text(value: dict[str, Any]) -> str:
    """Indented JSON in the order of the keys. What cannot be seen is escaped, so that a review shows all there is.

    Raises Unfit where it is too long.
    """
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    if len(text) > MOST_BYTES:
        raise Unfit(
            "E0224", f"offers {len(text) / 1e6:.0f} MB of tools and schemas, more than {MOST_BYTES // 10**6} MB"
        )
    hidden = {c for c in set(text) if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Co", "Cn", "Zl", "Zp")}
    return text.translate({ord(c): json.dumps(c)[1:-1] for c in hidden}) + "\n"


def _tool(tool: OfferedTool) -> dict[str, Any]:
    offered = tool.offered
    wrong = offered_wrong(offered)
    if wrong:
        raise Unfit("E0224", f"offers a tool that {wrong}")
    name = offered["name"]
    parameters = offered["inputSchema"].get("properties")
    for each in (name, *(parameters if isinstance(parameters, dict) else ())):
        if bad := bad_name(each):
            what = "a tool" if each is name else f"a parameter of `{visible(name)}`"
            raise Unfit("E0225", f"offers {what} whose name `{visible(each)}` {bad}")
    for side, schema in (("takes", offered["inputSchema"]), ("gives", offered.get("outputSchema"))):
        for each in _field_names(schema):
            if bad := hidden_in(each):
                raise Unfit(
                    "E0225", f"offers `{visible(name)}`, which {side} a field whose name `{visible(each)}` {bad}"
                )
    more: dict[str, Any] = {"scopes": list(tool.scopes)} if tool.scopes else {}
    if tool.binding is not None:
        more["binding"] = dict(tool.binding)
    if tool.pages is not None:
        more["pages"] = dict(tool.pages)
    try:
        digests = {"schema": schema_digest(offered), "tool": tool_digest({"offered": offered, **more})}
    except JsonError as error:
        why = str(error)
        raise Unfit(
            "E0224", f"offers `{visible(name)}`, which cannot be kept: {why[:1].lower()}{why[1:].rstrip('.')}"
        ) from None
    return {"alias": alias_of(name), "digest": digests, "offered": offered, **more}


def _field_names(schema: Any) -> Iterator[str]:
    """Names of fields, however deep they lie."""
    todo = [schema]
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            named = node.get("properties")
            yield from named if isinstance(named, dict) else ()
            todo += node.values()
        elif isinstance(node, list):
            todo += node
