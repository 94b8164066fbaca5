"""SQLite: what a query gives, and that it can do nothing but read."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from stdlib.tools import ToolFault, databases, statement_bounds
from stdlib.tools.folders import Folders

from .declared import Reaching


@pytest.fixture
def root(tmp_path: Path) -> Path:
    inside = tmp_path / "allowed"
    inside.mkdir()
    for path in (inside / "shop ?#%.db", tmp_path / "outside.db"):
        with closing(sqlite3.connect(path)) as database, database:
            database.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, name TEXT NOT NULL, total REAL, raw BLOB)")
            rows = [(1, "Ada", 1.5, b"\0\xff"), (2, "Bob's", None, None), (2**53 + 1, "é", 3.0, b"")]
            database.executemany("INSERT INTO orders VALUES (?, ?, ?, ?)", rows)
            database.execute("CREATE VIEW names AS SELECT name FROM orders")
    return inside


@pytest.fixture
def do(root: Path) -> Reaching:
    (root / "shop ?#%.db").rename(root / "shop.db")
    return Reaching(root)


def test_a_name_with_signs_of_urls(root: Path):
    found = Reaching(root)("sqlite.query", path="shop ?#%.db", sql="SELECT count(*) AS n FROM orders")
    assert found["rows"] == [{"n": 3}]


def test_rows(do: Reaching):
    found = do("sqlite.query", path="shop.db", sql="SELECT id, name, total, raw FROM orders ORDER BY id")
    assert found == {
        "columns": ["id", "name", "total", "raw"],
        "rows": [
            {"id": 1, "name": "Ada", "total": 1.5, "raw": "AP8="},
            {"id": 2, "name": "Bob's", "total": None, "raw": None},
            {"id": 2**53 + 1, "name": "é", "total": 3.0, "raw": ""},
        ],
        "complete": True,
    }
    few = do("sqlite.query", path="shop.db", sql="SELECT id FROM orders ORDER BY id", most_rows=2)
    assert (len(few["rows"]), few["complete"]) == (2, False)
    assert do("sqlite.query", path="shop.db", sql="WITH t(n) AS (SELECT 1) SELECT n FROM t;")["rows"] == [{"n": 1}]


def test_parameters_are_values(do: Reaching):
    def ids(sql: str, parameters: Any) -> list[int]:
        found = do("sqlite.query", path="shop.db", sql=f"SELECT id FROM orders WHERE {sql}", parameters=parameters)
        return [row["id"] for row in found["rows"]]

    assert ids("name = ?", ["Bob's"]) == [2]
    assert ids("name = :n AND id < :most", {"n": "Ada", "most": 5}) == [1]
    assert ids("name = ?", ["x' OR 1=1 --"]) == []
    assert ids("? IS NULL AND id = ?", [None, True]) == [1]
    for parameters, why in (
        ([[1]], "parameter 1 is a list"),
        ({"n": {}}, "`n` is a record"),
        ([2**63], "too large for SQLite"),
        ([], "SQLite says"),
        ({"other": 1}, "SQLite says"),
    ):
        sql = "SELECT 1 WHERE :n = 1" if isinstance(parameters, dict) else "SELECT 1 WHERE ? = 1"
        assert why in do.fault("sqlite.query", path="shop.db", sql=sql, parameters=parameters).message


def test_schema(do: Reaching):
    found = do("sqlite.schema", path="shop.db")
    assert [(each["name"], each["kind"]) for each in found] == [("names", "view"), ("orders", "table")]
    assert found[1]["columns"][:2] == [
        {"name": "id", "type": "INTEGER", "nullable": False, "key": True},
        {"name": "name", "type": "TEXT", "nullable": False, "key": False},
    ]


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO orders VALUES (9, 'x', 0, NULL)",
        "UPDATE orders SET name = 'x'",
        "UPDATE orders SET name = 'x' RETURNING id",
        "DELETE FROM orders",
        "REPLACE INTO orders VALUES (1, 'x', 0, NULL)",
        "WITH t AS (SELECT 1) DELETE FROM orders RETURNING id",
        "DROP TABLE orders",
        "CREATE TABLE t (x)",
        "CREATE TEMP TABLE t AS SELECT 1",
        "ALTER TABLE orders ADD COLUMN x",
        "ATTACH '{outside}' AS other",
        "ATTACH ':memory:' AS other",
        "DETACH main",
        "PRAGMA query_only = 0",
        "PRAGMA journal_mode = DELETE",
        "PRAGMA table_info(orders)",
        "SELECT * FROM pragma_table_info('orders')",
        "SELECT * FROM pragma_database_list",
        "VACUUM INTO '{outside}2'",
        "VACUUM",
        "REINDEX",
        "ANALYZE",
        "BEGIN",
        "SAVEPOINT s",
        "EXPLAIN DELETE FROM orders",
        "SELECT load_extension('/tmp/x.so')",
        "SELECT writefile('/tmp/x', 'y')",
        "SELECT 1; DELETE FROM orders",
        "SELECT 1; SELECT 2",
        "CREATE VIRTUAL TABLE t USING fts5(x)",
        "",
        "-- nothing",
        "SELECT \0 1",
        "nonsense",
        "SELECT * FROM nowhere",
        "SELECT 1 AS a, 2 AS a",
        "SELECT 9e999",
    ],
)
def test_only_reading(do: Reaching, root: Path, sql: str):
    before = (root / "shop.db").read_bytes()
    outside = root.parent / "outside.db"
    if sql:
        fault = do.fault("sqlite.query", path="shop.db", sql=sql.format(outside=outside))
        assert fault.fault_class in ("denied", "tool_error")
        assert fault.message
    else:
        with pytest.raises(ToolFault):
            databases.query(Folders([str(root)], 1000), "shop.db", sql)
    assert (root / "shop.db").read_bytes() == before
    assert sorted(each.name for each in root.parent.iterdir()) == ["allowed", "outside.db"]


def test_what_a_query_wanted_is_told(do: Reaching):
    fault = do.fault("sqlite.query", path="shop.db", sql="DELETE FROM orders")
    assert (fault.fault_class, fault.refused) == ("denied", "resource")
    assert fault.message == "`sqlite.query` is refused: a query may only read: SELECT alone is allowed."


def test_a_database_that_its_owner_prepared(root: Path):
    """Views and triggers of the file itself get no further than a query does."""
    with closing(sqlite3.connect(root / "trap.db")) as database, database:
        database.execute("CREATE TABLE t (x)")
        database.execute("CREATE VIEW v AS SELECT load_extension('/tmp/x.so') AS x")
    fault = Reaching(root).fault("sqlite.query", path="trap.db", sql="SELECT * FROM v")
    assert fault.message == "`sqlite.query` failed: SQLite says: unsafe use of load_extension()."


@pytest.mark.parametrize(
    "sql",
    [
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS c FROM n",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 0",
    ],
)
def test_a_statement_has_its_time(do: Reaching, sql: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(statement_bounds, "LONGEST_S", 0.2)
    fault = do.fault("sqlite.query", path="shop.db", sql=sql)
    assert (fault.fault_class, fault.message) == ("timeout", "`sqlite.query` failed: the query took more than 0.2 s.")


def test_sizes_are_bounded(root: Path):
    do = Reaching(root, most=200_000)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    found = do("sqlite.query", path="shop ?#%.db", sql=endless, most_rows=5)
    assert (len(found["rows"]), found["complete"]) == (5, False)
    fault = do.fault("sqlite.query", path="shop ?#%.db", sql=endless, most_rows=100_000)
    assert fault.fault_class == "result_too_large"
    for sql in ("SELECT zeroblob(900000000) AS x", "SELECT hex(zeroblob(150000)) AS x"):
        assert do.fault("sqlite.query", path="shop ?#%.db", sql=sql).fault_class == "result_too_large"
    deep = "SELECT " + "(" * 500 + "1" + ")" * 500 + " AS x" + " + 1" * 500
    assert do.fault("sqlite.query", path="shop ?#%.db", sql=deep).fault_class == "tool_error"


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the system does not tell which files are open")
def test_what_is_laid_aside_is_bounded(do: Reaching, monkeypatch: pytest.MonkeyPatch):
    """The sorter of SQLite writes what has no room in memory to the disk."""
    monkeypatch.setattr(statement_bounds, "MOST_SPILLED", 10_000_000)
    monkeypatch.setattr(statement_bounds, "LONGEST_S", 60)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
    fault = do.fault("sqlite.query", path="shop.db", sql=f"{endless} SELECT randomblob(100000) AS b FROM n ORDER BY b")
    assert fault.fault_class == "result_too_large"
    assert "laid aside more than 10000000 bytes" in fault.message


def test_a_database_somebody_writes_to(do: Reaching, root: Path):
    with closing(sqlite3.connect(root / "shop.db", isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("INSERT INTO orders VALUES (7, 'new', 0, NULL)")
        found = do("sqlite.query", path="shop.db", sql="SELECT name FROM orders WHERE id = 7")
        assert found["rows"] == [{"name": "new"}]


@pytest.mark.parametrize("path", ["../outside.db", "{root}/../outside.db", "/etc/passwd", ".hidden.db", ""])
def test_paths_that_lead_out(do: Reaching, root: Path, path: str):
    for tool, more in (("query", {"sql": "SELECT 1 AS x"}), ("schema", {})):
        fault = do.fault(f"sqlite.{tool}", path=path.format(root=root), **more)
        assert fault.fault_class == ("denied" if path else "tool_error")
    assert Reaching().fault("sqlite.schema", path="shop.db").fault_class == "denied"


def test_links_and_what_is_no_database(do: Reaching, root: Path):
    (root / "link.db").symlink_to(root.parent / "outside.db")
    assert do.fault("sqlite.schema", path="link.db").fault_class == "denied"
    (root / "shop.db-wal").symlink_to(root.parent / "outside.db")
    assert "`shop.db-wal` is a link" in do.fault("sqlite.schema", path="shop.db").message
    (root / "text.db").write_text("no database at all" * 100)
    assert "cannot be read as a database" in do.fault("sqlite.schema", path="text.db").message
    assert "there is no `none.db`" in do.fault("sqlite.schema", path="none.db").message
    assert not (root / "none.db").exists()
    os.mkfifo(root / "pipe.db")
    assert do.fault("sqlite.schema", path="pipe.db").fault_class == "denied"


def test_another_file_that_comes_while_it_is_opened(root: Path, monkeypatch: pytest.MonkeyPatch):
    """Nothing is given of a file that took the place of the one that was looked at."""
    connect = sqlite3.connect

    def swapped(*given: Any, **more: Any) -> Any:
        (root / "shop ?#%.db").unlink()
        (root / "shop ?#%.db").symlink_to(root.parent / "outside.db")
        return connect(*given, **more)

    monkeypatch.setattr(sqlite3, "connect", swapped)
    with pytest.raises(ToolFault) as found:
        databases.query(Folders([str(root)], 1000), "shop ?#%.db", "SELECT * FROM orders")
    assert found.value.fault_class == "denied"
