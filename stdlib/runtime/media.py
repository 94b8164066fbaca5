"""Media types: what is JSON, what is text, and which bytes a text is written in (RFC 9110 section 8.3, RFC 6839)."""

from __future__ import annotations

import codecs
import re
from collections.abc import AsyncIterator
from typing import Final

TEXT: Final = "text/plain"
BYTES: Final = "application/octet-stream"

_JSON: Final = ("application/json", "text/json")
_TEXTS: Final = (
    "application/javascript",
    "application/sql",
    "application/x-ndjson",
    "application/xml",
    "application/yaml",
)
_CHARSET: Final = re.compile(r";\s*charset\s*=\s*\"?([A-Za-z0-9._-]+)", re.IGNORECASE)


def kind(media: str) -> str:
    """The type without parameters, in small letters."""
    return media.partition(";")[0].strip().lower()


def is_json(media: str) -> bool:
    name = kind(media)
    return name in _JSON or name.endswith("+json")


def is_text(media: str) -> bool:
    """Texts of every sort but JSON."""
    name = kind(media)
    return not is_json(name) and (name.startswith("text/") or name.endswith(("+xml", "+yaml")) or name in _TEXTS)


def charset(media: str) -> str:
    """The name of an encoding that Python knows; UTF-8 where none is named, or one that nobody knows."""
    found = _CHARSET.search(media)
    try:
        return codecs.lookup(found[1]).name if found else "utf-8"
    except LookupError:
        return "utf-8"


async def as_utf8(body: AsyncIterator[bytes], encoding: str) -> AsyncIterator[bytes]:
    """A text that comes in parts, in UTF-8 and without a byte order mark. Of other encodings what cannot be read is
    replaced."""
    if encoding in ("utf-8", "ascii"):
        first = b""
        async for part in body:
            if len(first) >= 3:
                yield part
                continue
            first += part
            if len(first) >= 3:
                yield first.removeprefix(codecs.BOM_UTF8)
        if len(first) < 3:
            yield first
        return
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    async for part in body:
        yield decoder.decode(part).encode("utf-8", "replace")
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")
