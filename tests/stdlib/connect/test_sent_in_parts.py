"""Arguments that come from the store in parts: requests, and what programs read."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from anyio.abc import ByteStream

from stdlib.plan import plan as p
from stdlib.runtime.principal import Owner
from stdlib.runtime.store import Store
from stdlib.runtime.store.handles import Label
from tests.stdlib.runtime.plans import chain, given, ref

from .keeping import (
    FILE,
    MB,
    ME,
    alone,
    answering,
    calls,
    failed,
    program,
    run,
    service,
    whole,
)

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def uploading(kind: str) -> p.Chain:
    step = calls("api", "x", body=ref("page"))
    return chain("c", step, output=ref("got"), inputs=(given("page", handle=kind),))


OCTETS = {"encoding": "file", "media_type": "image/png", "argument": "body"}
PLAIN = {"encoding": "text", "media_type": "text/plain", "argument": "body"}
FORM = {
    "encoding": "multipart",
    "media_type": "multipart/form-data",
    "fields": [
        {"argument": "body", "name": "photo", "content": "file", "media_type": "image/png"},
        {"argument": "note", "name": "note"},
    ],
}


@pytest.mark.parametrize(("body", "kind"), [(OCTETS, "file"), (PLAIN, "text"), (FORM, "file")])
@pytest.mark.parametrize("redirected", [False, True])
async def test_a_stored_value_is_sent_in_parts(store: Store, body: Any, kind: str, redirected: bool):
    sent = "ä".encode() * 700_000
    got: list[bytes] = []

    async def takes(stream: ByteStream, request: bytes) -> None:
        head, _, rest = request.partition(b"\r\n\r\n")
        lines = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        size = int(lines[b"content-length"])
        while len(rest) < size:
            rest += await stream.receive()
        got.append(rest)
        to_there = b"HTTP/1.1 307 There\r\nLocation: /there\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        if redirected and head.startswith(b"POST /x "):
            await stream.send(to_there)
        else:
            await stream.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nfine")

    async def pieces() -> AsyncIterator[bytes]:
        yield sent

    schema = FILE if kind == "file" else {"type": "string"}
    handle = await store.handles.keep(ME, Label(kind), pieces(), "text/plain" if kind == "text" else "image/png")
    async with service(takes, "", {"body": schema, "note": {"type": "string"}}, body) as source:
        plan = whole("api", source, uploading(kind), result_bytes=1000)
        result = await run(plan, store, page=handle.id)
        assert result.value == {"text": "fine", "content": [{"type": "text", "text": "fine"}]}, result.fault
        assert len(got) == 1 + redirected
        for each in got:
            if body is FORM:
                front, _, rest = each.partition(b"\r\n\r\n")
                assert b'form-data; name="photo"; filename="photo"' in front
                assert rest.startswith(sent + b"\r\n--")
            else:
                assert each == sent
        value = base64.b64encode(sent).decode() if kind == "file" else sent.decode()
        stored_as_json = await store.handles.put(ME, Label(kind), value)
        got.clear()
        plan = whole("api", source, uploading(kind))
        assert (await run(plan, store, page=stored_as_json.id)).fault is None
        assert sent in got[0]
    assert (await store.handles.describe(ME, handle.id)).bytes == len(sent)  # it is the caller's, and stays


@pytest.mark.parametrize(("kind", "takes"), [("text", {"type": "string"}), ("file", FILE)])
async def test_a_program_reads_a_stored_value(store: Store, kind: str, takes: Any):
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(30):
            yield b"\xc3\xa4" * 50_000

    handle = await store.handles.keep(ME, Label(kind), pieces(), "text/plain" if kind == "text" else "a/b")
    step = calls("x", "t", body=ref("page"))
    one = chain("c", step, output=ref("got"), inputs=(given("page", handle=kind),), wrapped=True)
    result = await run(whole("x", program(None, "count", takes=takes), one, result_bytes=1000), store, page=handle.id)
    assert result.wire == {"result": 3_000_000}, result.fault
    plain = await store.handles.put(ME, Label(kind), "YWJj")
    result = await run(whole("x", program(None, "count", takes=takes), one), store, page=plain.id)
    assert result.wire == {"result": 4 if kind == "text" else 3}


async def test_a_handle_that_goes_while_it_is_read(store: Store):
    async def pieces() -> AsyncIterator[bytes]:
        yield b"x" * 3 * MB

    handle = await store.handles.keep(ME, Label("text"), pieces(), "text/plain")
    original = store.handles.part
    reads: list[int] = []

    async def part(owner: Owner, handle_id: str, offset: int, length: int) -> bytes:
        reads.append(offset)
        if len(reads) == 3:
            await store.handles.drop(owner, handle_id)
        return await original(owner, handle_id, offset, length)

    store.handles.part = part  # type: ignore[method-assign]
    step = calls("x", "t", body=ref("page"))
    one = chain("c", step, output=ref("got"), inputs=(given("page", handle="text"),), wrapped=True)
    source = program(None, "count", takes={"type": "string"})
    assert failed(await run(whole("x", source, one), store, page=handle.id))[0] == "handle_expired"


# ------------------------------------------------------------------ from tool to tool


async def test_from_a_service_into_a_program_without_memory(store: Store, tmp_path: Path):
    pieces = [b"r" * 100_000] * 25
    async with service(answering(*pieces)) as api:
        one = chain(
            "c",
            calls("api", "x"),
            calls("x", "t", "counted", ("got",), body=ref("got")),
            output=ref("counted"),
            wrapped=True,
        )
        plan = whole("api", api, one, result_bytes=1000)
        plan = plan.model_copy(update={"sources": {**plan.sources, "x": program(None, "count", takes=FILE)}})
        result = await run(plan, store)
    assert result.wire == {"result": 2_500_000}, result.fault
    assert await alone(store, tmp_path)
