"""Runs that are let go while values of theirs stay in the store: whoever goes on finds them there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from stdlib.connect.router import Router
from stdlib.runtime.leash import Detached, Leash
from stdlib.runtime.load import load_plan
from stdlib.runtime.question import Answer, Approved, Question
from stdlib.runtime.run import resume_run, run_chain
from stdlib.runtime.store.handles import Label
from stdlib.runtime.store.sqlite import SqliteStore
from tests.stdlib.runtime.plans import approve, chain, given, record, ref

from .keeping import FILE, ME, answering, calls, program, service, whole

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Person:
    """Answers, or where it is `away` only tells that it is asked."""

    def __init__(self, *, away: bool) -> None:
        self.away = away
        self.is_asked = anyio.Event()

    async def approve(self, question: Question) -> Answer:
        self.is_asked.set()
        if self.away:
            await anyio.sleep_forever()
        return Approved("boss")

    async def ask(self, question: Question) -> Answer:
        raise AssertionError


async def pieces() -> AsyncIterator[bytes]:
    yield b"given" * 50_000


async def test_what_steps_pass_on_is_found_again(tmp_path: Path):
    store = SqliteStore.open(tmp_path / "store.db")
    handle = await store.handles.keep(ME, Label("file"), pieces(), "a/b")
    async with service(answering(b"x" * 400_000)) as api:
        one = chain(
            "c",
            calls("api", "x"),
            approve("go", "got"),
            calls("x", "t", "made", ("got", "go"), body=ref("got")),
            calls("x", "t", "sent", ("go",), body=ref("start")),
            output=record(made=ref("made"), sent=ref("sent")),
            inputs=(given("start", handle="file"),),
        )
        plan = whole("api", api, one, result_bytes=1000)
        plan = plan.model_copy(update={"sources": {**plan.sources, "x": program(None, "count", takes=FILE)}})
        loaded, away, leash = load_plan(plan), Person(away=True), Leash()

        async with Router(plan, tmp_path) as tools:

            async def begin() -> None:
                with pytest.raises(Detached):
                    await run_chain(
                        loaded, "c", {"start": handle.id}, tools=tools, store=store, people=away, leash=leash
                    )

            async with anyio.create_task_group() as group:
                group.start_soon(begin)
                await away.is_asked.wait()
                leash.detach()
            await store.close()
            store = SqliteStore.open(tmp_path / "store.db")
            (begun,) = await store.journal.adopt()
            assert begun.held == ("start",)
            result = await resume_run(loaded, begun, tools=tools, store=store, people=Person(away=False))
    assert result.fault is None, result.fault
    value: Any = result.value
    assert value == {"made": 400_000, "sent": 250_000}
    assert sum(each.handles for each in await store.handles.pinned()) == 1  # the client's own
    await store.close()
