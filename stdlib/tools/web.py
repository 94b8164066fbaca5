"""Documents of the web: what an answer says, and how it becomes a value. The way there is the caller's."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from ..values.canonical import JsonError, clean_text, read_json
from ..values.encodings import text_encoding
from . import ToolFault

_CHARSET: Final = re.compile(r"charset\s*=\s*[\"']?([A-Za-z0-9._:-]{1,40})", re.IGNORECASE)
_META: Final = re.compile(rb"<meta\s[^>]{0,200}?charset\s*=\s*[\"']?([A-Za-z0-9._:-]{1,40})", re.IGNORECASE)
_XML: Final = re.compile(rb"\A\s{0,16}<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([A-Za-z0-9._:-]{1,40})", re.IGNORECASE)
_TEXTS: Final = re.compile(
    r"text/.*|.*\+(xml|json|yaml)"
    r"|application/(javascript|json|sql|toml|xml|yaml|x-ndjson|x-yaml|x-www-form-urlencoded)"
)
_KEPT_BACK: Final = ("set-cookie", "set-cookie2")


@dataclass(frozen=True, slots=True)
class Page:
    """A complete answer; `url` is where it came from in the end, names of `headers` are in small letters."""

    status: int
    url: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def media(self) -> str:
        """The media type without parameters, in small letters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    def about(self) -> dict[str, Any]:
        headers = {name: clean_text(value) for name, value in self.headers.items() if name not in _KEPT_BACK}
        return {"status": self.status, "url": self.url, "headers": headers}


class Web(Protocol):
    """The way to allowed hosts."""

    most_bytes: int
    """Of one answer, at most."""

    async def get(self, url: str, accept: str, most_bytes: int, *, head: bool = False) -> Page:
        """The answer, redirects followed. Statuses of 400 and above are faults, but for `head`."""


async def text(
    web: Web, /, url: str, accept: str = "text/html, text/plain;q=0.9, */*;q=0.5", most_bytes: int = 5_000_000
) -> dict[str, Any]:
    page = await web.get(url, accept, min(most_bytes, web.most_bytes))
    return {**page.about(), "text": decoded(page)}


async def json(web: Web, /, url: str, accept: str = "application/json", most_bytes: int = 5_000_000) -> dict[str, Any]:
    page = await web.get(url, accept, min(most_bytes, web.most_bytes))
    try:
        value = read_json(page.body.removeprefix(codecs.BOM_UTF8))
    except JsonError as problem:
        raise ToolFault(f"the answer is no JSON: {str(problem).rstrip('.')}") from None
    return {**page.about(), "value": value}


async def head(web: Web, /, url: str) -> dict[str, Any]:
    return (await web.get(url, "*/*", 0, head=True)).about()


async def download(web: Web, /, url: str, accept: str = "*/*") -> str:
    """base64 (RFC 4648)."""
    import base64

    page = await web.get(url, accept, web.most_bytes)
    return base64.b64encode(page.body).decode()


def decoded(page: Page) -> str:
    """The text of a page: in the encoding that a byte order mark, the header or the document itself names, else UTF-8;
    what does not fit is replaced. Raises ToolFault where it is no text."""
    media, body = page.media, page.body
    is_text = not media or _TEXTS.fullmatch(media)
    if not is_text or (not media and b"\0" in body[:1024] and not body.startswith(_UTF16)):
        plain = "".join(c for c in media if c.isprintable())[:80] or "bytes"
        raise ToolFault(f"the answer is {plain}, which is no text", advice="Use `download` for what is no text.")
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return clean_text(body[len(mark) :].decode(encoding, "replace"))
    named = _CHARSET.search(page.headers.get("content-type", ""))
    found = _XML.search(body[:200]) or _META.search(body[:2048])
    name = named[1] if named else found[1].decode("ascii") if found else "utf-8"
    return clean_text(body.decode(text_encoding(name), "replace"))


_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_MARKS: Final = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


TOOLS: Final[dict[str, Any]] = {"text": text, "json": json, "head": head, "download": download}
