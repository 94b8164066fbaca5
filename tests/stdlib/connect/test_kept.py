"""Results that go into the store as they come: every source, through whole runs."""

from __future__ import annotations

import base64
import gzip
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.abc import ByteStream

from stdlib.connect.functions import load_functions
from stdlib.connect.router import Router
from stdlib.plan import plan as p
from stdlib.runtime.gates.gates import Gates
from stdlib.runtime.load import load_plan
from stdlib.runtime.run_tool import run_tool
from stdlib.runtime.store import Store
from tests.stdlib.runtime.plans import const

from .keeping import (
    FILE,
    MB,
    ME,
    alone,
    answering,
    calls,
    content,
    failed,
    keeps,
    program,
    reads,
    run,
    service,
    tool,
    whole,
)

pytestmark = pytest.mark.anyio

MODULE = """
from collections.abc import AsyncIterator, Iterator

def blocks(count: int) -> Iterator[bytes]:
    for n in range(count):
        yield bytes([n % 256]) * 1000

async def lines(count: int) -> AsyncIterator[str]:
    for n in range(count):
        yield f"zeile {n} \\u00fc\\n"

def breaks() -> Iterator[str]:
    yield "x" * 100_000
    raise ValueError("went away")

async def breaks_later() -> AsyncIterator[str]:
    yield "x" * 100_000
    raise GeneratorExit

class Own(BaseException):
    pass

def breaks_badly() -> Iterator[str]:
    yield "x" * 100_000
    raise Own("badly")

def lies() -> Iterator[str]:
    yield b"no text"
"""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_a_body_becomes_a_handle_with_what_the_chain_says(store: Store, tmp_path: Path):
    pieces = [bytes([n]) * 100_000 for n in range(30)]
    async with service(answering(*pieces)) as source:
        out = {"summary": const("All of it."), "expires_ms": 5_000_000}
        plan = whole("api", source, keeps("file", calls("api", "x"), **out), result_bytes=1000)
        result = await run(plan, store)
    assert await content(store, result) == b"".join(pieces)
    assert result.handle is not None
    assert (result.handle.kind, result.handle.summary, result.handle.bytes) == ("file", "All of it.", 3_000_000)
    assert result.handle.media == "application/octet-stream"
    assert result.wire == {"handle": result.handle.to_json()}
    assert [each.bytes for each in result.receipts] == [3_000_000]
    assert await alone(store, tmp_path, handles=1)


async def test_who_looks_into_it_gets_the_value_and_nothing_stays(store: Store, tmp_path: Path):
    for kind, media, body, value in [
        ("file", "image/png", b"\x89PNG", base64.b64encode(b"\x89PNG").decode()),
        ("text", "text/csv", "a,b\nü,2".encode(), "a,b\nü,2"),
        ("text", "text/plain; charset=latin-1", b"\xfc", "ü"),
        ("text", "application/json", b'{"a": 1}', '{"a": 1}'),
        ("text", "text/plain", b"\xef\xbb\xbfx", "x"),
        ("rows", "application/json", b"\xef\xbb\xbf[1, 2]", [1, 2]),
        ("rows", "text/plain", b"[1, 2]", [1, 2]),
    ]:
        async with service(answering(body, media=media), kind) as source:
            result = await run(whole("api", source, reads(calls("api", "x"))), store)
        assert result.wire == {"result": value}, (kind, media)
        assert await alone(store, tmp_path)


async def test_what_is_packed_is_unpacked_as_it_comes(store: Store):
    packed = gzip.compress(b"q" * 3 * MB)
    headers = "Content-Encoding: gzip\r\n"
    async with service(answering(packed, headers=headers)) as source:
        result = await run(whole("api", source, keeps("file", calls("api", "x"))), store)
    assert await content(store, result) == b"q" * 3 * MB
    async with service(answering(packed[:-9], headers=headers)) as source:
        result = await run(whole("api", source, keeps("file", calls("api", "x"))), store)
    assert failed(result) == ("shape_mismatch", "`api.x` answered with a packing that breaks off.")


@pytest.mark.parametrize(
    ("kind", "media", "body", "message"),
    [
        ("text", "image/png", b"\x89PNG", "`api.x` answered image/png, which is no text."),
        ("rows", "application/zip", b"PK", "`api.x` answered application/zip, which is no JSON."),
        ("rows", "application/json", b"[1, ", "is not the JSON that it should be"),
        ("rows", "application/json", b'["a"]', "is no value of the kind rows: `[0]` is string, not integer"),
    ],
)
async def test_what_is_not_of_the_kind_is_refused(
    store: Store, tmp_path: Path, kind: str, media: str, body: bytes, message: str
):
    async with service(answering(body, media=media), kind) as source:
        result = await run(whole("api", source, keeps(kind, calls("api", "x"))), store)
    found = failed(result)
    assert found[0] == "shape_mismatch"
    assert message in found[1]
    assert await alone(store, tmp_path)


async def test_limits_of_what_is_kept_and_of_what_is_read(store: Store, tmp_path: Path):
    async with service(answering(b"x" * 300_000)) as source:
        kept = whole("api", source, keeps("file", calls("api", "x")), handle_bytes=299_999)
        assert failed(await run(kept, store)) == ("result_too_large", "`api.x` answered more than 299999 bytes.")
        read = await run(whole("api", source, reads(calls("api", "x")), result_bytes=200_000), store)
        assert failed(read)[0] == "result_too_large"
        assert "keeps 300000 bytes; at most 200000 are taken into memory" in failed(read)[1]
    assert await alone(store, tmp_path)


async def test_a_body_that_breaks_off_or_drips_keeps_nothing(store: Store, tmp_path: Path):
    async def breaks(stream: ByteStream, _: bytes) -> None:
        await stream.send(b"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 900000\r\n\r\n" + b"x" * 500_000)

    async def drips(stream: ByteStream, _: bytes) -> None:
        await stream.send(b"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 900000\r\n\r\n")
        while True:
            await stream.send(b"x" * 1000)
            await anyio.sleep(0.01)

    async with service(breaks) as source:
        assert failed(await run(whole("api", source, keeps("file", calls("api", "x"))), store))[0] == "unavailable"
    async with service(drips) as source:
        result = await run(whole("api", source, keeps("file", calls("api", "x")), call_ms=300), store)
        assert failed(result)[0] == "timeout"
    assert await alone(store, tmp_path)


async def test_errors_of_a_service_stay_errors(store: Store):
    async def no(stream: ByteStream, _: bytes) -> None:
        await stream.send(b"HTTP/1.1 404 No\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\ngone")

    async with service(no) as source:
        result = await run(whole("api", source, keeps("file", calls("api", "x"))), store)
    assert failed(result) == ("tool_error", "`api.x` failed (404): gone")


# ------------------------------------------------------------------ Python


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("functions")
    (folder / "m.py").write_text(MODULE)
    return folder, dict(load_functions(p.Python(file="m.py"), folder).tools)


def python(functions: tuple[Path, dict[str, Any]], name: str, kind: str | None) -> p.Source:
    found = functions[1][name]
    made = tool(name, kind, digest=found.digest, input_schema=found.input_schema, output_schema=found.output_schema)
    if kind is None:
        made = made.model_copy(update={"result_schema": found.output_schema})
    return p.Source(kind="python", transport=p.Python(file="m.py"), tools={name: made})


def test_pieces_are_described_as_one_value(functions: Any):
    assert functions[1]["blocks"].output_schema == FILE
    assert functions[1]["lines"].output_schema == {"type": "string"}


@pytest.mark.parametrize(("name", "kind"), [("blocks", "file"), ("lines", "text")])
async def test_functions_give_pieces(store: Store, tmp_path: Path, functions: Any, name: str, kind: str):
    expected = b"".join(bytes([n % 256]) * 1000 for n in range(900))
    if name == "lines":
        expected = "".join(f"zeile {n} ü\n" for n in range(900)).encode()
    step = calls("m", name, count=const(900))
    source = python(functions, name, kind)
    result = await run(whole("m", source, keeps(kind, step), result_bytes=1000), store, functions[0])
    assert await content(store, result) == expected
    value = base64.b64encode(expected).decode() if name == "blocks" else expected.decode()
    for each in (source, python(functions, name, None)):
        read = await run(whole("m", each, reads(step), inline_bytes=10 * MB), store, functions[0])
        assert read.wire == {"result": value}
    too_much = await run(whole("m", python(functions, name, None), reads(step), result_bytes=1000), store, functions[0])
    assert failed(too_much) == ("result_too_large", f"`m.{name}` gave more than 1000 bytes.")
    assert await alone(store, tmp_path, handles=1)


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("breaks", ("tool_error", "`m.breaks` failed: went away")),
        ("breaks_later", ("tool_error", "`m.breaks_later` failed: GeneratorExit")),
        ("breaks_badly", ("tool_error", "`m.breaks_badly` failed: badly")),
        ("lies", ("shape_mismatch", "`m.lies` gave a piece that is bytes, not str.")),
    ],
)
async def test_pieces_that_fail_keep_nothing(store: Store, tmp_path: Path, functions: Any, name: str, fault: Any):
    plan = whole("m", python(functions, name, "text"), keeps("text", calls("m", name)))
    assert failed(await run(plan, store, functions[0])) == fault
    assert await alone(store, tmp_path)


# ------------------------------------------------------------------ programs


async def test_what_a_program_writes_is_kept(store: Store, tmp_path: Path):
    plan = whole("x", program("text", "many", "2000"), keeps("text", calls("x", "t")), result_bytes=1000)
    assert await content(store, await run(plan, store)) == (b"y" * 999 + b"\n") * 2000
    small = whole("x", program("text", "many", "2000"), keeps("text", calls("x", "t")), handle_bytes=100_000)
    assert failed(await run(small, store)) == ("result_too_large", "`x.t` answered more than 100000 bytes.")
    half = whole("x", program("text", "half"), keeps("text", calls("x", "t")))
    assert failed(await run(half, store)) == ("tool_error", "`x.t` ended with exit code 3: no good")
    assert await alone(store, tmp_path, handles=1)


async def test_a_client_that_calls_such_a_tool_itself(store: Store, tmp_path: Path):
    for count, small in [(3, True), (300, False)]:
        source = program("text", "many", str(count))
        loaded = load_plan(whole("x", source))
        async with Router(loaded.plan, Path()) as tools:
            result = await run_tool(
                loaded, "x__t", loaded.tools["x", "t"], {}, tools=tools, store=store, gates=Gates(loaded)
            )
        text = ("y" * 999 + "\n") * count
        if small:
            assert result.fault is None
            assert result.handed is not None
            assert result.handed.texts == [text]
            assert await alone(store, tmp_path)
        else:
            assert failed(result) == (
                "result_too_large",
                "`x.t` answered 300000 bytes; at most 16384 go into an answer.",
            )
            assert result.handle is not None
            assert await store.handles.value(ME, result.handle.id) == text
            assert await alone(store, tmp_path, handles=1)
