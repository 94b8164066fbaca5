"""Several processes on one file, and kills."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import anyio
import pytest

from stdlib.runtime.fault import RunFault
from stdlib.runtime.result import NOTHING
from stdlib.runtime.store.handles import Label
from stdlib.runtime.store.journal import NoSuchRun
from stdlib.runtime.store.ledger import KEEP_S, Claim
from stdlib.runtime.store.sqlite import SqliteStore

from ..making import ANNE, DONE, PLAN, Clock, answered, begun, decision, question, receipt

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).resolve().parents[5]
PATIENCE_S = 60.0

Child = Callable[[str], "subprocess.Popen[str]"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "chains.db"


@pytest.fixture
def child(path: Path) -> Iterator[Child]:
    started: list[subprocess.Popen[str]] = []

    def start(what: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.stdlib.runtime.store.sqlite.child", str(path), what]
        started.append(
            subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        )
        return started[-1]

    yield start
    for process in started:
        kill(process)
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()


def kill(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


async def test_interrupted_runs_go_when_their_owner_says_so(path: Path, child: Child):
    first = child("hold")
    assert line(first) == "ready"
    store = SqliteStore.open(path)
    await store.decisions.await_decision(question("r2", until=9e12))
    assert (await store.journal.forget(9_000.0, "anne", interrupted=True)).runs == 0
    kill(first)
    assert (await store.journal.forget(9_000.0, "anne")).runs == 0
    assert (await store.journal.forget(1_000.0, "anne", interrupted=True)).runs == 0
    assert (await store.journal.forget(9_000.0, "anne", interrupted=True)).runs == 2
    assert await store.journal.runs() == ()
    assert await store.journal.entries("r1") == ()
    assert await store.decisions.awaited() == ()
    assert await store.journal.adopt() == ()
    await store.close()


async def test_runs_of_a_killed_process_are_adopted_once(path: Path, child: Child):
    first = child("hold")
    assert line(first) == "ready"
    stores = [SqliteStore.open(path) for _ in range(2)]
    with pytest.raises(NoSuchRun):
        await stores[0].journal.append("r1", [answered("b")])
    assert [await store.journal.adopt() for store in stores] == [(), ()]
    assert {row.begun.run: row.state for row in await stores[0].journal.runs()} == {"r1": "running", "r2": "parked"}

    kill(first)
    assert [row.state for row in await stores[0].journal.runs()] == ["interrupted"] * 2
    assert await stores[0].journal.runs(state="parked") == ()
    assert len(await stores[0].journal.runs(state="interrupted", limit=1)) == 1
    adopted: list[tuple[int, list[str]]] = []

    async def adopt(n: int) -> None:
        adopted.append((n, [each.run for each in await stores[n].journal.adopt()]))

    async with anyio.create_task_group() as group:
        for n in range(2):
            group.start_soon(adopt, n)
    assert sorted(runs for _, runs in adopted) == [[], ["r1", "r2"]]
    mine = stores[0 if dict(adopted)[0] else 1]
    assert (await mine.journal.forget(9_000.0, "anne", interrupted=True)).runs == 0
    row = await stores[0].journal.run("r2")
    assert row is not None
    assert row.state == "parked"

    winner = stores[next(n for n, runs in adopted if runs)]
    assert await winner.journal.entries("r1") == (answered("a", 1),)
    row = await winner.journal.run("r2")
    assert row is not None
    assert row.state == "parked"
    await winner.journal.append("r1", [answered("b")])
    await winner.journal.end("r1", DONE)
    for store in stores:
        await store.close()


async def test_what_a_closed_store_drove_is_adopted(path: Path):
    one, two = SqliteStore.open(path), SqliteStore.open(path)
    await one.journal.begin(begun("r1"), PLAN)
    await one.journal.begin(begun("r2"), PLAN)
    await one.journal.end("r2", DONE)
    assert await two.journal.adopt() == ()
    await one.close()
    assert await two.journal.adopt() == (begun("r1"),)
    assert await two.journal.adopt() == ()
    await two.close()


async def test_a_claim_waits_for_another_process_and_takes_over_from_a_killed_one(path: Path, child: Child):
    first = child("hold")
    assert line(first) == "ready"
    store = SqliteStore.open(path)
    with anyio.move_on_after(0.2) as patience:
        await store.ledger.claim("k")
    assert patience.cancelled_caught
    kill(first)
    with anyio.fail_after(PATIENCE_S):
        assert await store.ledger.claim("k") == Claim("k", "k", NOTHING, interrupted=True)
    await store.ledger.release(Claim("k", "k"))
    assert await store.ledger.claim("k") == Claim("k", "k", NOTHING, interrupted=False)
    await store.close()


async def test_nobody_releases_what_another_process_has(path: Path):
    one, two = SqliteStore.open(path), SqliteStore.open(path)
    claim = await one.ledger.claim("k")
    await two.ledger.release(Claim("k", "k"))
    with anyio.move_on_after(0.2) as patience:
        await two.ledger.claim("k")
    assert patience.cancelled_caught
    await one.ledger.release(claim)
    for store in (one, two):
        await store.close()


async def test_a_claim_lives_as_long_as_its_process_and_is_remembered_for_a_day(path: Path):
    clock = Clock()
    one, two = SqliteStore.open(path, clock), SqliteStore.open(path, clock)
    for key in ("k", "old"):
        await one.ledger.claim(key)
    clock.now += 2 * KEEP_S
    for _ in range(2):  # what is too old is forgotten after the first one
        await two.ledger.request("q", 1)
    with anyio.move_on_after(0.2) as patience:
        await two.ledger.claim("k")
    assert patience.cancelled_caught
    await one.close()
    assert (await two.ledger.claim("k")).interrupted is True
    clock.now += 61
    for _ in range(2):
        await two.ledger.request("q", 1)
    assert (await two.ledger.claim("old")).interrupted is False
    await two.close()


async def test_a_claim_that_waits_gets_what_the_other_process_recorded(path: Path):
    one, two = SqliteStore.open(path), SqliteStore.open(path)
    claim = await one.ledger.claim("k")
    found: list[Any] = []

    async def wait() -> None:
        found.append((await two.ledger.claim("k")).recorded)

    with anyio.fail_after(PATIENCE_S):
        async with anyio.create_task_group() as group:
            group.start_soon(wait)
            await two.ledger.request("q", 1)
            assert found == []
            await one.ledger.record(claim, 7)
    assert found == [7]
    for store in (one, two):
        await store.close()


async def test_a_side_effect_is_done_by_one_of_two_processes(path: Path, child: Child):
    processes = [child("count") for _ in range(2)]
    for process in processes:
        assert line(process) == "ready"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said = [process.communicate()[0].split("\n") for process in processes]
    did = [each for lines in said for each in lines if each.startswith("did")]
    assert sorted(did) == sorted(f"did {n}" for n in range(40))
    assert [lines[-2] for lines in said] == ["end", "end"]
    store = SqliteStore.open(path)
    assert len(await store.journal.runs(state="succeeded")) == 40
    await store.close()


async def test_one_process_asks_and_another_one_decides(path: Path):
    server, command = SqliteStore.open(path, Clock()), SqliteStore.open(path, Clock())
    await server.decisions.await_decision(question())
    assert await command.decisions.awaited() == (question(),)
    assert await command.decisions.decide(decision()) is True
    assert await server.decisions.decided("r1") == (decision(),)
    assert await server.decisions.decide(decision()) is False
    for store in (server, command):
        await store.close()


async def test_two_stores_keep_and_forget_the_same_values_at_once(path: Path):
    """What one removes as unused the other one may be adding: what is not expired is there."""
    now = 1_000_000.0

    def clock() -> float:
        nonlocal now
        now += 30  # every other transaction forgets
        return now

    stores = [SqliteStore.open(path, clock) for _ in range(2)]
    read: list[bytes] = []

    async def work(store: SqliteStore) -> None:
        for _ in range(40):
            handle = await store.handles.put(ANNE, Label("rows", expires_ms=200_000), "x" * 70_000)
            with suppress(RunFault):  # it has expired
                read.append(await store.handles.part(ANNE, handle.id, 0, 2))

    async with anyio.create_task_group() as group:
        for store in stores:
            group.start_soon(work, store)
    assert set(read) == {b'"x'}
    for store in stores:
        await store.close()


@pytest.mark.parametrize("lines", [1, 30])
async def test_what_was_acknowledged_before_a_kill_is_there_and_nothing_half(path: Path, child: Child, lines: int):
    writer = child("write")
    said = [line(writer).split() for _ in range(lines)]
    kill(writer)
    assert writer.stdout is not None
    said += [words for each in writer.stdout.read().split("\n")[:-1] if len(words := each.split()) == 3]

    store = SqliteStore.open(path)
    adopted = {each.run for each in await store.journal.adopt()}
    assert {run for run, _, _ in said} <= adopted
    for run in adopted:
        entries, receipts = await store.journal.entries(run), await store.journal.receipts(run)
        calls = [entry.event.call for entry in entries]  # type: ignore[union-attr]
        assert calls == [f"{n}" for n in range(len(receipts)) for _ in range(2)]
        assert [each.step for each in receipts] == [f"s{n}" for n in range(len(receipts))]
        assert len(receipts) > max((int(n) for name, n, _ in said if name == run), default=-1)
        for entry in entries:
            given = entry.event.value  # type: ignore[union-attr]
            assert await store.handles.value(ANNE, given["handle"]) == given["value"]
    for run, n, handle in said:
        value = [run, int(n)] * (20_000 if int(n) % 3 == 0 else 1)
        assert await store.handles.value(ANNE, handle) == value
        assert (await store.ledger.claim(f"{run} {n}")).recorded == value
    await store.journal.append(said[0][0], [answered("later")], [receipt(said[0][0], "later")])
    await store.close()
    names = {each.name for each in path.with_name("chains.db.blobs").glob("??/*")}
    assert names == _addresses(path)
    assert not list(path.with_name("chains.db.blobs").glob("new/*"))


def _addresses(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as direct:
        assert direct.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert direct.execute("PRAGMA foreign_key_check").fetchall() == []
        return {row[0] for row in direct.execute("SELECT address FROM contents WHERE bytes IS NULL")}
