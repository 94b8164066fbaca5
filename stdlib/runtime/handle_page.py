"""Pages of what a handle keeps: of JSON by path, of texts by characters, of anything by bytes; never the whole of a
large one in memory."""

from __future__ import annotations

import base64
import codecs
from bisect import bisect_right
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ..values.canonical import canonical
from . import media as m
from .fault import RunFault, fault
from .gates.mask import Mask
from .held import PART, too_large
from .page import cut, outline, page
from .principal import Owner
from .store.handles import Handle, Handles

_KEPT: Final = 64
"""So many texts' positions of characters are remembered."""
_AROUND: Final = 1 << 14
"""So far before and behind a page is looked for what is masked, in characters or bytes."""
_STARTS: Final = {"[": "array", "{": "object", '"': "string", "t": "boolean", "f": "boolean", "n": "null"}


@dataclass(slots=True)
class _Marks:
    """Where characters of a text stand: the n-th mark says that `characters[n]` of them end at the byte `bytes[n]`.
    `total`: how many there are, where the end was seen."""

    characters: list[int] = field(default_factory=lambda: [0])
    bytes: list[int] = field(default_factory=lambda: [0])
    total: int | None = None

    def before(self, character: int) -> tuple[int, int]:
        place = bisect_right(self.characters, character) - 1
        return self.characters[place], self.bytes[place]

    def add(self, characters: int, position: int) -> None:
        if position > self.bytes[-1]:
            self.characters.append(characters)
            self.bytes.append(position)


class HandlePages:
    """`most_bytes`: of one page, about. `memory`: most bytes of JSON that are decoded. `mask`: what nobody gets to
    see."""

    def __init__(self, handles: Handles, most_bytes: int, memory: int, mask: Mask) -> None:
        self._handles = handles
        self._most = most_bytes
        self._memory = memory
        self._mask = mask
        self._marks: OrderedDict[str, _Marks] = OrderedDict()

    async def read(
        self, owner: Owner, handle_id: str, path: str = "", offset: int = 0, limit: int | None = None, raw: bool = False
    ) -> dict[str, Any]:
        """One page, as `page.page` has it. Of a text `offset` and `limit` count characters; of other bodies, and of all
        that is read `raw`, bytes: what is no text is `base64`.

        Faults: those of handles; `invalid_input`; `result_too_large` for JSON that is not decoded as a whole.
        """
        handle = await self._handles.describe(owner, handle_id)
        if offset < 0 or (limit is not None and limit < 1):
            raise fault("invalid_input", "`offset` starts at 0, `limit` at 1.")
        if not raw and m.is_json(handle.media):
            if handle.bytes > self._memory:
                raise self._undecoded(handle)
            value = self._mask.value(await self._handles.value(owner, handle_id))
            return page(value, path, offset, limit, self._most)
        if path:
            raise fault("invalid_input", "This has no parts that a path could name. Leave `path` out.")
        if not m.is_json(handle.media) and not m.is_text(handle.media):
            return await self._bytes(owner, handle, offset, limit)
        if raw and self._mask and m.is_json(handle.media) and handle.bytes <= self._memory:
            return await self._masked_json(owner, handle, offset, limit)
        if raw:
            return await self._raw(owner, handle, offset, limit)
        return await self._text(owner, handle, offset, limit)

    async def describe(self, owner: Owner, handle_id: str) -> dict[str, Any]:
        """What `handle_describe` gives: the handle, type and size, and the fields of what is small enough to be
        decoded."""
        handle = await self._handles.describe(owner, handle_id)
        told: dict[str, Any] = {"handle": handle.to_json()}
        if not m.is_json(handle.media):
            kind = "string" if m.is_text(handle.media) else "bytes"
            return {**told, "type": kind, "media": handle.media, "bytes": handle.bytes}
        if handle.bytes > self._memory:
            start = (await self._handles.part(owner, handle_id, 0, 64)).decode("utf-8", "replace").lstrip()[:1]
            return {**told, "type": _STARTS.get(start, "number"), "bytes": handle.bytes}
        return {**told, **outline(self._mask.value(await self._handles.value(owner, handle_id)))}

    def _undecoded(self, handle: Handle) -> RunFault:
        found = too_large(handle, self._memory).fault
        advice = f'Read it as text: handle_read with handle "{handle.id}", raw true, and offset and limit in bytes.'
        return fault("result_too_large", found.message, next=advice)

    async def _bytes(self, owner: Owner, handle: Handle, offset: int, limit: int | None) -> dict[str, Any]:
        most = max(1, self._most * 3 // 4)
        content = await self._handles.part(owner, handle.id, offset, most if limit is None else min(limit, most))
        told = {"base64": base64.b64encode(content).decode()}
        return _told("bytes", handle, offset, offset + len(content)) | told

    async def _raw(self, owner: Owner, handle: Handle, offset: int, limit: int | None) -> dict[str, Any]:
        """Bytes of a text, cut where characters end; what stands in the midst of one at the beginning is left out."""
        around = _AROUND if self._mask else 0
        first = max(0, offset - around)
        most = max(4, self._most if limit is None else min(limit, self._most))
        content = await self._handles.part(owner, handle.id, first, offset - first + most + max(around, 4))
        start = _boundary(content, offset - first)
        end = _boundary(content, offset - first + most, back=True)
        before, text = (content[i:j].decode("utf-8", "replace") for i, j in ((0, start), (start, end)))
        shown = self._mask.part(
            before + text + content[end:].decode("utf-8", "replace"), len(before), len(before) + len(text)
        )
        return _told("string", handle, offset, first + max(start, end)) | {"text": shown}

    async def _masked_json(self, owner: Owner, handle: Handle, offset: int, limit: int | None) -> dict[str, Any]:
        """JSON as text, of values masked one by one: in the text, escapes and quotes may hide what is secret."""
        content = canonical(self._mask.value(await self._handles.value(owner, handle.id)))
        most = max(4, self._most if limit is None else min(limit, self._most))
        start = _boundary(content, offset)
        end = max(start, _boundary(content, offset + most, back=True))
        told = _told("string", replace(handle, bytes=len(content)), offset, end)
        return told | {"text": content[start:end].decode()}

    async def _text(self, owner: Owner, handle: Handle, offset: int, limit: int | None) -> dict[str, Any]:
        around = _AROUND if self._mask else 0
        first = max(0, offset - around)
        most = self._most if limit is None else min(limit, self._most)
        window, total = await self._characters(owner, handle, first, offset - first + most + 1 + around)
        start = offset - first
        text = cut(window[start : start + most], self._most)
        after = offset + len(text)
        more = len(window) > start + len(text)
        told = {"path": "", "type": "string", "offset": offset, "next_offset": after if more else None}
        shown = self._mask.part(window, start, start + len(text))
        return told | {"text": shown} | ({} if total is None else {"total": total})

    async def _characters(self, owner: Owner, handle: Handle, first: int, count: int) -> tuple[str, int | None]:
        """So many characters from there on, fewer at the end; and how many there are, where that is known."""
        marks = self._marks.setdefault(handle.id, _Marks())
        self._marks.move_to_end(handle.id)
        if len(self._marks) > _KEPT:
            self._marks.popitem(last=False)
        characters, position = marks.before(first)
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        pieces: list[str] = []
        while characters < first + count and position < handle.bytes:
            part = await self._handles.part(owner, handle.id, position, PART)
            position += len(part)
            text = decoder.decode(part, final=position >= handle.bytes)
            if characters + len(text) > first:
                pieces.append(text[max(0, first - characters) :])
            characters += len(text)
            marks.add(characters, position - len(decoder.getstate()[0]))
        if position >= handle.bytes:
            marks.total = characters
        return "".join(pieces)[:count], marks.total


def _told(kind: str, handle: Handle, offset: int, after: int) -> dict[str, Any]:
    following = after if after < handle.bytes else None
    return {"path": "", "type": kind, "media": handle.media, "total": handle.bytes, "offset": offset,
            "next_offset": following}  # fmt: skip


def _boundary(content: bytes, place: int, *, back: bool = False) -> int:
    """The next place, or the last one, where a character of UTF-8 may begin: at most three bytes away."""
    for step in range(4):
        at = place - step if back else place + step
        if at <= 0 or at >= len(content) or content[at] & 0xC0 != 0x80:
            return min(max(at, 0), len(content))
    return place
