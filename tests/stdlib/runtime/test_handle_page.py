"""Pages of what handles keep, large and small."""

from __future__ import annotations

import base64
import json
import os
import random
from collections.abc import AsyncIterator
from typing import Any

import pytest

from stdlib.plan.plan import Secret
from stdlib.runtime import handle_page
from stdlib.runtime.fault import RunFault
from stdlib.runtime.gates.mask import OPEN, Mask
from stdlib.runtime.handle_page import HandlePages
from stdlib.runtime.held import PART
from stdlib.runtime.principal import Owner
from stdlib.runtime.store.handles import Handle, Label
from stdlib.runtime.store.memory import MemoryStore

pytestmark = pytest.mark.anyio

ME = Owner()
TEXT = "text/plain"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def handles() -> Any:
    return MemoryStore().handles


async def kept(handles: Any, content: bytes, media: str = TEXT) -> Handle:
    async def body() -> AsyncIterator[bytes]:
        yield content

    handle: Handle = await handles.keep(ME, Label("page"), body(), media)
    return handle


async def all_pages(pages: HandlePages, handle: Handle, field: str, **more: Any) -> tuple[list[Any], list[int]]:
    found: list[Any] = []
    offsets: list[int] = []
    offset: int | None = 0
    while offset is not None:
        page = await pages.read(ME, handle.id, offset=offset, **more)
        found.append(page[field])
        offsets.append(offset)
        assert page["next_offset"] is None or page["next_offset"] > offset
        offset = page["next_offset"]
    return found, offsets


def some_text(seed: int, length: int) -> str:
    chance = random.Random(seed)
    return "".join(chance.choice('aß€😀\n"\\') for _ in range(length))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("raw", [False, True])
async def test_pages_of_a_text_are_the_text(handles: Any, monkeypatch: pytest.MonkeyPatch, seed: int, raw: bool):
    monkeypatch.setattr(handle_page, "PART", 1 + seed * 3)
    text = some_text(seed, 500)
    handle = await kept(handles, text.encode())
    for most in (4, 37, 10_000):
        found, offsets = await all_pages(HandlePages(handles, most, 10, OPEN), handle, "text", raw=raw)
        assert "".join(found) == text
        assert all(len(json.dumps(each, ensure_ascii=False).encode()) <= max(most * 2 + 4, 12) for each in found)
        if not raw:
            assert offsets == [sum(map(len, found[:n])) for n in range(len(found))]


async def test_any_place_of_a_text_is_found_again(handles: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(handle_page, "PART", 64)
    text = some_text(1, 3000)
    handle = await kept(handles, text.encode())
    pages = HandlePages(handles, 10_000, 10, OPEN)
    chance = random.Random(3)
    for _ in range(200):
        offset, limit = chance.randrange(3200), chance.randrange(1, 50)
        page = await pages.read(ME, handle.id, offset=offset, limit=limit)
        assert page["text"] == text[offset : offset + limit]
        assert page["next_offset"] == (offset + limit if offset + limit < 3000 else None)
        assert page.get("total", 3000) == 3000


async def test_what_is_no_utf8_reads_the_same_in_any_parts(handles: Any, monkeypatch: pytest.MonkeyPatch):
    content = b"a\xff\xc3(\xe2\x82" * 50 + b"\xf0\x9f"
    handle = await kept(handles, content)
    expected = content.decode("utf-8", "replace")
    for part in (1, 2, 5, 1000):
        monkeypatch.setattr(handle_page, "PART", part)
        found, _ = await all_pages(HandlePages(handles, 50, 10, OPEN), handle, "text")
        assert "".join(found) == expected


async def test_a_page_far_behind_reads_no_more_than_it_needs(handles: Any):
    handle = await kept(handles, b"0123456789" * 1_000_000)
    pages = HandlePages(handles, 1000, 10, OPEN)
    read: list[int] = []
    original = handles.part

    async def part(owner: Owner, handle_id: str, offset: int, length: int) -> bytes:
        read.append(length)
        found: bytes = await original(owner, handle_id, offset, length)
        return found

    handles.part = part
    assert (await pages.read(ME, handle.id, offset=9_000_005, limit=10))["text"] == "5678901234"
    read.clear()
    for offset in (9_000_005, 5_000_001, 3):
        assert (await pages.read(ME, handle.id, offset=offset, limit=2))["text"]
    assert sum(read) <= 4 * PART


async def test_what_is_no_text_is_base64(handles: Any):
    content = os.urandom(5000)
    handle = await kept(handles, content, "image/png")
    pages = HandlePages(handles, 1000, 10, OPEN)
    found, offsets = await all_pages(pages, handle, "base64")
    assert b"".join(base64.b64decode(each) for each in found) == content
    assert max(map(len, found)) <= 1000
    assert offsets[1] == 750
    page = await pages.read(ME, handle.id, offset=4990, limit=50)
    assert page == {
        **{"path": "", "type": "bytes", "media": "image/png", "total": 5000, "offset": 4990, "next_offset": None},
        "base64": base64.b64encode(content[4990:]).decode(),
    }
    assert await pages.describe(ME, handle.id) == {
        **{"handle": handle.to_json(), "type": "bytes", "media": "image/png", "bytes": 5000},
    }


async def test_json_is_decoded_up_to_a_limit_and_read_raw_beyond(handles: Any):
    value = [{"n": n, "word": "grün"} for n in range(100)]
    handle = await handles.put(ME, Label("rows"), value)
    small, large = HandlePages(handles, 300, handle.bytes, OPEN), HandlePages(handles, 300, handle.bytes - 1, OPEN)
    assert (await small.read(ME, handle.id, "[7].n"))["value"] == 7
    assert (await small.describe(ME, handle.id))["fields"] == {"n": "integer", "word": "string"}
    with pytest.raises(RunFault) as found:
        await large.read(ME, handle.id)
    assert found.value.fault.fault_class == "result_too_large"
    assert found.value.fault.next == (
        f'Read it as text: handle_read with handle "{handle.id}", raw true, and offset and limit in bytes.'
    )
    told = await large.describe(ME, handle.id)
    assert told == {"handle": handle.to_json(), "type": "array", "bytes": handle.bytes}
    for pages in (small, large):
        parts, _ = await all_pages(pages, handle, "text", raw=True)
        assert json.loads("".join(parts)) == value


async def test_mistakes(handles: Any):
    handle = await kept(handles, b"abc")
    pages = HandlePages(handles, 300, 300, OPEN)
    for more in ({"path": "a"}, {"offset": -1}, {"limit": 0}):
        with pytest.raises(RunFault) as found:
            await pages.read(ME, handle.id, **more)
        assert found.value.fault.fault_class == "invalid_input"
    with pytest.raises(RunFault) as found:
        await pages.read(Owner(principal="other"), handle.id)
    assert found.value.fault.fault_class == "handle_denied"


@pytest.mark.parametrize("raw", [False, True])
async def test_what_is_secret_stays_so_wherever_a_page_begins(handles: Any, raw: bool):
    text = "x" * 40 + "key-1234567890" + "ü" * 40 + "key-0987654321" + "z" * 40
    handle = await kept(handles, text.encode())
    pages = HandlePages(handles, 1000, 10, Mask((Secret(name="key", pattern=r"key-\d{10}"),)))
    for offset in range(len(text)):
        for limit in (4, 9, 30):
            page = await pages.read(ME, handle.id, offset=offset, limit=limit, raw=raw)
            rest = page["text"].replace("[masked: key]", "")
            assert set(rest) <= set("xüz")
    found, _ = await all_pages(HandlePages(handles, 1000, 10, Mask()), handle, "text", raw=raw)
    assert "".join(found) == text


@pytest.mark.parametrize("text", [b'["pin:1234"]', b'["\\u0070in:1234"]', b'[ "pi\\u006e:1234" ]'])
async def test_raw_json_is_masked_value_by_value(handles: Any, text: bytes):
    """Neither the quotes around a value nor an escape in it keeps a pattern from fitting."""
    pages = HandlePages(handles, 1000, 1000, Mask((Secret(name="pin", pattern="^pin:[0-9]{4}$"),)))
    handle = await kept(handles, text, "application/json")
    page = await pages.read(ME, handle.id, raw=True)
    assert (page["text"], page["next_offset"], page["total"]) == ('["[masked: pin]"]', None, 17)
    assert "".join((await all_pages(pages, handle, "text", raw=True, limit=5))[0]) == '["[masked: pin]"]'
