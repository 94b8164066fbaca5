"""The file of the SQLite store: what is refused, who may read it, what it forgets."""

from __future__ import annotations

import os
import resource
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from stdlib.runtime.store.handles import Label
from stdlib.runtime.store.journal import Ended
from stdlib.runtime.store.sqlite import SqliteStore
from stdlib.runtime.store.sqlite.contents import INLINE
from stdlib.runtime.store.unusable import StoreUnusable

from ..making import ANNE, DONE, EVE, PLAN, Clock, answered, begun, body, fault_of, receipt

pytestmark = pytest.mark.anyio

K = Label("rows")
LARGE = "x" * (INLINE + 1)


def blobs(path: Path) -> list[str]:
    folder = path.with_name(f"{path.name}.blobs")
    return sorted(str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    return home / "chains.db"


async def refusal(path: Path) -> str:
    with pytest.raises(StoreUnusable) as found:
        SqliteStore.open(path)
    assert str(path) in str(found.value)
    return str(found.value)


async def test_only_the_owner_may_read(path: Path):
    mask = os.umask(0)
    try:
        store = SqliteStore.open(path)
        await store.handles.put(ANNE, K, LARGE)
        await store.handles.put(ANNE, K, "small")
    finally:
        os.umask(mask)
    for each in [path.parent, *path.parent.rglob("*")]:
        assert stat.S_IMODE(each.stat().st_mode) == (0o700 if each.is_dir() else 0o600), each
    await store.close()


async def test_closed_is_closed(path: Path):
    store = SqliteStore.open(path)
    await store.close()
    await store.close()
    with pytest.raises(StoreUnusable, match="is closed"):
        await store.journal.runs()
    with pytest.raises(StoreUnusable, match="is closed"):
        await store.handles.put(ANNE, K, LARGE)
    assert blobs(path) == []
    assert sorted(each.name for each in (path.parent / "chains.db.live").iterdir()) == ["open.lock"]


async def test_everything_is_there_after_a_restart(path: Path):
    clock = Clock()
    store = SqliteStore.open(path, clock)
    handles = [await store.handles.put(ANNE, K, value) for value in ([2**70], LARGE)]
    await store.journal.begin(begun("r1", given={"a": LARGE}), PLAN)
    await store.journal.append("r1", [answered("a", LARGE), answered("b")], [receipt("r1", "a")])
    await store.journal.keep(begun("r2"), DONE, [])
    await store.ledger.record(await store.ledger.claim("k"), LARGE)
    request = await store.ledger.request("q", 60_000)
    await store.close()

    store = SqliteStore.open(path, clock)
    assert [await store.handles.value(ANNE, handle.id) for handle in handles] == [[2**70], LARGE]
    assert [await store.handles.describe(ANNE, handle.id) for handle in handles] == handles
    assert await store.journal.adopt() == (begun("r1", given={"a": LARGE}),)
    assert await store.journal.entries("r1") == (answered("a", LARGE), answered("b"))
    assert await store.journal.plan("d1") == PLAN
    assert [row.begun.run for row in await store.journal.runs()] == ["r2", "r1"]
    assert await store.journal.receipts("r1") == (receipt("r1", "a"),)
    assert (await store.ledger.claim("k")).recorded == LARGE
    assert await store.ledger.request("q", 60_000) == request
    await store.close()


@pytest.mark.parametrize("content", [b"not a database at all", b"SQLite", b"x" * 10_000])
async def test_another_file_is_refused_and_left_alone(path: Path, content: bytes):
    path.write_bytes(content)
    assert "the file is something else" in await refusal(path)
    assert path.read_bytes() == content
    assert [each.name for each in path.parent.iterdir()] == ["chains.db"]


async def test_a_pipe_is_refused_and_nothing_is_made_beside_it(path: Path):
    os.mkfifo(path)
    assert "it is no file" in await refusal(path)
    assert [each.name for each in path.parent.iterdir()] == ["chains.db"]


async def test_the_database_of_another_program_is_refused(path: Path):
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE theirs (a)")
    content = path.read_bytes()
    assert "the database of another program" in await refusal(path)
    assert path.read_bytes() == content
    assert [each.name for each in path.parent.iterdir()] == ["chains.db"]


async def test_a_newer_store_is_refused(path: Path):
    await SqliteStore.open(path).close()
    with closing(sqlite3.connect(path)) as newer:
        newer.execute("PRAGMA user_version = 99")
    assert "a newer version of this program wrote it" in await refusal(path)


async def test_a_store_of_the_first_version_is_brought_up_to_date(path: Path):
    store = SqliteStore.open(path)
    await store.journal.keep(begun("r1"), DONE, [receipt("r1", "a")])
    await store.close()
    with closing(sqlite3.connect(path)) as older:
        older.executescript("DROP TABLE forgotten; PRAGMA user_version = 1")
    for _ in range(2):
        store = SqliteStore.open(path)
        assert await store.journal.forgotten() == ()
        assert await store.journal.receipts("r1") == (receipt("r1", "a"),)
        await store.close()


async def test_receipts_go_with_their_run_alone(path: Path):
    store = SqliteStore.open(path)
    await store.journal.keep(begun("r1"), DONE, [receipt("r1", "a")])
    with closing(sqlite3.connect(path)) as other:
        for statement in ("DELETE FROM receipts", "UPDATE receipts SET receipt = ''"):
            with pytest.raises(sqlite3.IntegrityError, match="receipts"):
                other.execute(statement)
    assert (await store.journal.forget(9_000.0, "anne")).receipts == 1
    await store.close()


async def test_a_damaged_store_is_refused(path: Path):
    store = SqliteStore.open(path)
    for n in range(50):
        await store.journal.keep(begun(f"r{n}", given={"a": "y" * 2000}), DONE, [])
    await store.close()
    content = bytearray(path.read_bytes())
    content[4096 : len(content) // 2] = os.urandom(len(content) // 2 - 4096)
    path.write_bytes(content)
    assert "the file is damaged" in await refusal(path)
    path.write_bytes(content[:100] + os.urandom(5000))
    assert "cannot be used" in await refusal(path)


async def test_a_folder_is_refused(path: Path):
    path.mkdir(parents=True)
    assert "it is a folder" in await refusal(path)


async def test_what_may_not_be_written_is_refused(path: Path):
    path.parent.joinpath("file").write_text("")
    assert "cannot be used: " in await refusal(path.parent / "file" / "chains.db")
    await SqliteStore.open(path).close()
    if os.geteuid():  # nothing stops the superuser
        path.chmod(0o400)
        assert "ermi" in await refusal(path)


async def test_receipts_cannot_be_changed(path: Path):
    store = SqliteStore.open(path)
    await store.journal.keep(begun("r1"), DONE, [receipt("r1", "a")])
    await store.close()
    with closing(sqlite3.connect(path)) as direct:
        for change in ("UPDATE receipts SET receipt = ''", "DELETE FROM receipts"):
            with pytest.raises(sqlite3.IntegrityError, match="receipts"):
                direct.execute(change)


async def test_equal_values_are_stored_once_within_a_tenant(path: Path):
    clock = Clock()
    store = SqliteStore.open(path, clock)
    first = await store.handles.put(ANNE, Label("rows", expires_ms=1000), LARGE)
    second = await store.handles.keep(ANNE, Label("other", expires_ms=90_000), body(f'"{LARGE}"'.encode()), "text/x")
    assert len(blobs(path)) == 1
    await store.handles.put(EVE, Label("rows", expires_ms=1000), LARGE)
    assert len(blobs(path)) == 2
    clock.now += 80
    assert (await fault_of(store.handles.value(ANNE, first.id)))[0] == "handle_expired"
    await store.handles.describe(ANNE, second.id)
    assert len(blobs(path)) == 1
    assert await store.handles.part(ANNE, second.id, 0, 3) == b'"xx'
    clock.now += 80
    for _ in range(2):
        assert (await fault_of(store.handles.value(ANNE, second.id)))[0] == "handle_expired"
    assert blobs(path) == []
    again = await store.handles.put(ANNE, K, LARGE)
    assert await store.handles.value(ANNE, again.id) == LARGE
    await store.close()


async def test_entries_go_with_the_end_of_their_run(path: Path):
    clock = Clock()
    store = SqliteStore.open(path, clock)
    await store.journal.begin(begun("r1"), PLAN)
    await store.journal.append("r1", [answered("a", LARGE)])
    assert len(blobs(path)) == 1
    await store.journal.end("r1", DONE)
    clock.now += 61
    for _ in range(2):
        await store.journal.runs()
    assert blobs(path) == []
    await store.close()


async def test_old_results_go_from_the_disk(path: Path):
    clock = Clock()
    store = SqliteStore.open(path, clock)
    await store.ledger.record(await store.ledger.claim("k"), LARGE)
    await store.ledger.undone(await store.ledger.request("q", 1))
    assert len(blobs(path)) == 1
    clock.now += 86_400
    for _ in range(2):
        await store.journal.runs()
    assert blobs(path) == []
    await store.close()
    with closing(sqlite3.connect(path)) as direct:
        tables = ("requests", "results", "undone", "claims", "contents")
        assert [direct.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables] == [0] * 5


async def test_what_any_row_refers_to_stays(path: Path):
    clock = Clock()
    store = SqliteStore.open(path, clock)
    large = [f"{n}{LARGE}" for n in range(5)]
    handle = await store.handles.put(ANNE, K, large[0])
    await store.ledger.record(await store.ledger.claim("k"), large[1])
    await store.journal.begin(begun("r1", given={"a": large[2]}), PLAN)
    await store.journal.append("r1", [answered("a", large[3])])
    await store.journal.keep(begun("r2"), Ended(1.0, {"a": large[4]}, None), [])
    for _ in range(2):
        clock.now += 61
        await store.journal.run("r1")
    assert await store.handles.value(ANNE, handle.id) == large[0]
    assert (await store.ledger.claim("k")).recorded == large[1]
    one, two = await store.journal.run("r1"), await store.journal.run("r2")
    assert one is not None
    assert one.begun.given == {"a": large[2]}
    assert await store.journal.entries("r1") == (answered("a", large[3]),)
    assert two is not None
    assert two.ended == Ended(1.0, {"a": large[4]}, None)
    await store.close()


async def test_what_a_kill_has_left_is_swept_but_not_what_others_write(path: Path):
    writer = SqliteStore.open(path)
    folder = path.with_name("chains.db.blobs")
    await writer.handles.put(ANNE, K, LARGE)
    known = blobs(path)

    async def slow() -> Any:
        yield b"y" * (1 << 19)
        for orphan in ("ab/ab12", "new/dead-1"):
            (folder / orphan).parent.mkdir(exist_ok=True)
            (folder / orphan).write_bytes(b"orphan")
        (path.parent / "chains.db.live" / "dead").write_bytes(b"")
        other = SqliteStore.open(path)
        assert len(blobs(path)) == len(known) + 1  # what is under way
        assert len(list((path.parent / "chains.db.live").iterdir())) == 3
        await other.close()
        yield b"z"

    handle = await writer.handles.keep(ANNE, K, slow(), "text/plain")
    assert await writer.handles.part(ANNE, handle.id, (1 << 19) - 1, 9) == b"yz"
    assert len(blobs(path)) == len(known) + 1
    await writer.close()


async def test_what_fails_leaves_nothing_of_itself(path: Path):
    store = SqliteStore.open(path)
    await store.journal.begin(begun("r1"), PLAN)
    with pytest.raises(ValueError, match="JSON"):
        await store.journal.append("r1", [answered("a", LARGE), answered("b", {1, 2})], [receipt("r1", "a")])
    assert await store.journal.entries("r1") == ()
    assert await store.journal.receipts("r1") == ()
    await store.close()


async def test_a_full_disk_is_said(path: Path, monkeypatch: pytest.MonkeyPatch):
    store = SqliteStore.open(path)
    await store._connection.write(lambda database: database.execute("PRAGMA max_page_count = 1").rowcount)
    assert (await fault_of(store.handles.put(ANNE, K, "z" * 60_000)))[0] == "budget_exceeded"
    with pytest.raises(StoreUnusable, match="is full"):
        await store.journal.begin(begun("r1", given={"a": "z" * 60_000}), PLAN)
    await store._connection.write(lambda database: database.execute("PRAGMA max_page_count = 100000").rowcount)
    await store.journal.begin(begun("r1"), PLAN)
    await store.close()


async def test_a_disk_that_is_full_while_a_large_value_is_written_is_said(path: Path):
    """The limit of the process stands in for the end of the disk: Python ignores the signal that comes with it."""
    store = SqliteStore.open(path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, limits[1]))
    try:
        assert (await fault_of(store.handles.put(ANNE, K, "z" * 3_000_000)))[0] == "budget_exceeded"
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(Path(f"{path}.blobs", "new").iterdir()) == [], "nothing is left behind"
    await store.handles.put(ANNE, K, "z" * 3_000_000)
    await store.close()


async def test_a_value_whose_file_was_removed_is_gone_like_one_that_expired(
    path: Path, caplog: pytest.LogCaptureFixture
):
    store = SqliteStore.open(path)
    handle = await store.handles.put(ANNE, K, LARGE)
    await store.close()
    store = SqliteStore.open(path)
    for file in Path(f"{path}.blobs").glob("??/*"):
        file.unlink()
    for read in (store.handles.value(ANNE, handle.id), store.handles.part(ANNE, handle.id, 0, 10)):
        assert (await fault_of(read))[0] == "handle_expired"
    assert "a file beside it is missing" in caplog.text
    assert (await store.handles.value(ANNE, (await store.handles.put(ANNE, K, LARGE)).id)) == LARGE
    await store.close()
