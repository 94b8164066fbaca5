"""Handles, in every store."""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import AsyncIterator
from typing import Any

import anyio
import pytest

from stdlib.runtime.store import Store
from stdlib.runtime.store.handles import JSON, Label, Pinned
from stdlib.runtime.store.memory import MemoryStore

from .making import ANNE, BOB, EVE, Clock, body, fault_of

pytestmark = pytest.mark.anyio

K = Label("rows")


@pytest.mark.parametrize(
    "value",
    [None, True, 0, 1.5, "ü\U0001f600\x00", 10**30, -(2**63), [], {}, {"b": [1, {"a": None}], "a": "x"}, "z" * 70_000],
    ids=lambda value: repr(value)[:20],
)
async def test_a_value_comes_back(store: Store, value: Any):
    handle = await store.handles.put(ANNE, K, value)
    read = await store.handles.value(ANNE, handle.id)
    assert (read, type(read)) == (value, type(value))


async def test_a_megabyte_comes_back_whole_and_in_parts(store: Store):
    value = [{"number": n, "text": "ä" * 90, "big": 10**20 + n} for n in range(5_000)]
    handle = await store.handles.put(ANNE, K, value)
    assert handle.bytes > 1_000_000
    assert await store.handles.value(ANNE, handle.id) == value
    parts = [await store.handles.part(ANNE, handle.id, start, 300_000) for start in range(0, handle.bytes, 300_000)]
    content = b"".join(parts)
    assert len(content) == handle.bytes
    assert content.startswith(b'[{"big":100000000000000000000,"number":0,"text":"\xc3\xa4')
    assert max(map(len, parts)) == 300_000


async def test_what_is_known_of_a_handle(store: Store, clock: Clock):
    handle = await store.handles.put(ANNE, Label("rows", "Three rows.", 90_000, "d1"), [1, 2, 3])
    assert (handle.kind, handle.summary, handle.bytes, handle.items, handle.media, handle.plan) == (
        *("rows", "Three rows.", 7, 3, JSON, "d1"),
    )
    assert handle.expires == clock.now + 90
    assert len(handle.id) >= 32
    assert await store.handles.describe(ANNE, handle.id) == handle


async def test_without_summary_and_time_there_are_defaults(store: Store, clock: Clock):
    handle = await store.handles.put(ANNE, K, {"a": 1})
    assert (handle.summary, handle.items) == ("rows: 7 bytes.", None)
    assert handle.expires == clock.now + 3600
    assert (await store.handles.put(ANNE, K, [5])).summary == "rows: 1 item, 3 bytes."


@pytest.mark.parametrize("size", [10, 70_000])
async def test_parts_end_where_the_content_ends(store: Store, size: int):
    handle = await store.handles.keep(ANNE, K, body(b"0123456789" * (size // 10)), "text/plain")
    for offset, length, expected in [(0, 4, b"0123"), (size - 2, 9, b"89"), (size, 5, b""), (size + 7, 5, b"")]:
        assert await store.handles.part(ANNE, handle.id, offset, length) == expected
    assert await store.handles.part(ANNE, handle.id, 3, 0) == b""


@pytest.mark.parametrize("other", [BOB, EVE])
async def test_handles_of_others_are_like_no_handles(store: Store, other: Any, clock: Clock):
    there = await store.handles.put(ANNE, Label("rows", expires_ms=1000), [1])
    for late in (False, True):
        clock.now += 2 if late else 0
        for name in ("describe", "value", "part"):
            more: tuple[Any, ...] = (0, 9) if name == "part" else ()
            act = getattr(store.handles, name)
            found = await fault_of(act(other, there.id, *more))
            none = await fault_of(act(other, "h_" + "0" * 32, *more))
            assert found[0] == none[0] == "handle_denied"
            assert found[1].replace(there.id, "") == none[1].replace("h_" + "0" * 32, "")
            if late:
                assert (await fault_of(act(ANNE, there.id, *more)))[0] == "handle_expired"
    assert (await fault_of(store.handles.value(other, there.id, "other")))[0] == "handle_denied"


@pytest.mark.parametrize("name", ["", "h_\ud800", "h_\x00", "h_" + "ü" * 5000, "' OR 1 --"])
async def test_what_is_no_handle(store: Store, name: str):
    await store.handles.put(ANNE, K, [1])
    assert (await fault_of(store.handles.value(ANNE, name)))[0] == "handle_denied"


async def test_a_value_that_was_read_stays_bound_to_owner_kind_and_time(store: Store, clock: Clock):
    handle = await store.handles.put(ANNE, K, [1])
    text = await store.handles.keep(ANNE, Label("rows", expires_ms=90_000_000), body(b"[1]"), "text/plain")
    for _ in range(2):
        assert await store.handles.value(ANNE, handle.id) == [1]
        assert await store.handles.value(ANNE, text.id) == "[1]"
        assert (await fault_of(store.handles.value(ANNE, handle.id, "cells")))[0] == "handle_denied"
        assert (await fault_of(store.handles.value(BOB, handle.id)))[0] == "handle_denied"
    clock.now += 3600
    assert (await fault_of(store.handles.value(ANNE, handle.id)))[0] == "handle_expired"


async def test_the_kind_is_checked(store: Store):
    handle = await store.handles.put(ANNE, K, [1])
    assert await store.handles.value(ANNE, handle.id, "rows") == [1]
    assert (await fault_of(store.handles.value(ANNE, handle.id, "cells")))[0] == "handle_denied"


async def test_a_handle_expires_and_is_forgotten_a_day_later(store: Store, clock: Clock):
    short = await store.handles.put(ANNE, Label("rows", expires_ms=1000), [1])
    long = await store.handles.put(ANNE, Label("rows", expires_ms=10 * 86_400_000), [1])
    clock.now += 0.999
    assert await store.handles.value(ANNE, short.id) == [1]
    clock.now += 0.001
    assert (await fault_of(store.handles.value(ANNE, short.id)))[0] == "handle_expired"
    clock.now += 86_300
    assert (await fault_of(store.handles.describe(ANNE, short.id)))[0] == "handle_expired"
    clock.now += 200
    await store.handles.put(ANNE, K, 1)
    assert (await fault_of(store.handles.describe(ANNE, short.id)))[0] == "handle_denied"
    assert await store.handles.value(ANNE, long.id) == [1]


async def test_a_body_is_kept_as_it_comes(store: Store):
    handle = await store.handles.keep(ANNE, K, body(b"caf", b"", b"\xc3\xa9 \xff"), "text/plain")
    assert (handle.media, handle.bytes, handle.items) == ("text/plain", 7, None)
    assert await store.handles.value(ANNE, handle.id) == "café \ufffd"
    assert await store.handles.part(ANNE, handle.id, 0, 99) == b"caf\xc3\xa9 \xff"
    nothing = await store.handles.keep(ANNE, K, body(), "text/plain")
    assert await store.handles.value(ANNE, nothing.id) == ""


@pytest.mark.parametrize("media", [JSON, "application/json; charset=utf-8", "application/problem+json"])
async def test_a_body_of_json_is_a_value(store: Store, media: str):
    handle = await store.handles.keep(ANNE, K, body(b'{"a": ', b"12345678901234567890}"), media)
    assert await store.handles.value(ANNE, handle.id) == {"a": 12345678901234567890}
    broken = await store.handles.keep(ANNE, K, body(b'{"a": '), media)
    assert (await fault_of(store.handles.value(ANNE, broken.id)))[0] == "shape_mismatch"


@pytest.mark.parametrize("size", [10, 1 << 20])
async def test_a_body_that_fails_keeps_nothing(store: Store, tmp_path: Any, size: int):
    async def failing() -> AsyncIterator[bytes]:
        yield b"x" * size
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        await store.handles.keep(ANNE, K, failing(), "text/plain")
    assert not [path for path in tmp_path.rglob("*.blobs/**/*") if path.is_file()]


async def test_a_cancelled_body_keeps_nothing(store: Store, tmp_path: Any):
    halfway = anyio.Event()

    async def slow() -> AsyncIterator[bytes]:
        yield b"x" * (1 << 20)
        halfway.set()
        await anyio.sleep_forever()

    async with anyio.create_task_group() as group:
        group.start_soon(store.handles.keep, ANNE, K, slow(), "text/plain")
        await halfway.wait()
        group.cancel_scope.cancel()
    assert not [path for path in tmp_path.rglob("*.blobs/**/*") if path.is_file()]


async def test_twenty_megabytes_stream(store: Store):
    count, chunk = 320, os.urandom(1 << 16)

    async def large() -> AsyncIterator[bytes]:
        for n in range(count):
            yield n.to_bytes(2, "big") + chunk[2:]

    tracemalloc.start()
    try:
        handle = await store.handles.keep(ANNE, K, large(), "application/octet-stream")
        last = await store.handles.part(ANNE, handle.id, handle.bytes - len(chunk), len(chunk))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert handle.bytes == count * len(chunk)
    assert last == (count - 1).to_bytes(2, "big") + chunk[2:]
    kept_in_memory = handle.bytes if isinstance(store, MemoryStore) else 0
    assert peak < kept_in_memory * 1.5 + (4 << 20)


@pytest.mark.parametrize("size", [10, 70_000])
async def test_one_more_handle_for_the_same_content(store: Store, clock: Clock, size: int):
    first = await store.handles.keep(ANNE, Label("page", expires_ms=1000), body(b"x" * size), "text/plain")
    other = await store.handles.again(ANNE, first.id, Label("rows", "All of it.", 90_000, "d1"))
    assert other.id != first.id
    assert (other.kind, other.summary, other.bytes, other.media, other.plan) == (
        *("rows", "All of it.", size, "text/plain", "d1"),
    )
    await store.handles.drop(BOB, first.id)
    assert (await store.handles.describe(ANNE, first.id)).kind == "page"
    await store.handles.drop(ANNE, first.id)
    await store.handles.drop(ANNE, "h_none")
    assert (await fault_of(store.handles.value(ANNE, first.id)))[0] == "handle_expired"
    assert (await fault_of(store.handles.again(ANNE, first.id, K)))[0] == "handle_expired"
    assert (await fault_of(store.handles.again(BOB, other.id, K)))[0] == "handle_denied"
    clock.now += 80
    assert await store.handles.value(ANNE, other.id) == "x" * size


async def test_what_is_no_json_is_refused(store: Store):
    assert (await fault_of(store.handles.put(ANNE, K, float("nan"))))[0] == "shape_mismatch"


async def test_many_at_once(store: Store):
    found: list[Any] = []

    async def one(n: int) -> None:
        handle = await store.handles.put(ANNE, K, [n] * (20_000 if n % 10 == 0 else 1))
        found.append((n, (await store.handles.value(ANNE, handle.id))[0]))

    async with anyio.create_task_group() as group:
        for n in range(60):
            group.start_soon(one, n)
    assert sorted(found) == [(n, n) for n in range(60)]


async def test_the_plans_of_living_handles(store: Store, clock: Clock):
    assert await store.handles.pinned() == ()
    for owner, plan, expires_ms in [(ANNE, "d2", 60_000), (ANNE, "d1", 5_000), (EVE, "d2", 90_000)]:
        await store.handles.put(owner, Label("rows", expires_ms=expires_ms, plan=plan), [1])
    one, two = Pinned("d1", 1, clock.now + 5), Pinned("d2", 2, clock.now + 90)
    assert await store.handles.pinned() == (one, two)
    clock.now += 61
    assert await store.handles.pinned() == (Pinned("d2", 1, two.until),)
