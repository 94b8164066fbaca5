"""The standard library outside of its arguments, and its ready chains: from the import to the result."""

import sqlite3
from contextlib import closing
from pathlib import Path

import anyio
import pytest
from anyio.abc import ByteStream

from compiler.check.roots import OF_FOLDERS
from stdlib.connect.router import Router
from stdlib.runtime.load import load_plan
from stdlib.runtime.run import Result, run_chain
from stdlib.runtime.store.memory import MemoryStore
from stdlib.tools import REACHES
from tests.servers.loopback import spoken

from .projects import called, checked, compiled, project, served

CHAINS = """
import files from std "files" {
  tool read_bytes returns handle<blob>
  tool read_json returns { n: integer }
}
import pages from std "pages"
import reports from std "reports"

kind blob = bytes

chain prices {
  input city: string
  step made = reports.csv_summary(
    path: "prices.csv",
    only: { city: [city] },
    by: ["year"],
    columns: [{ name: "total", of: "price", how: "sum" }, { name: "n", how: "count" }],
  )
  output list<{ year: integer, total: number, n: integer }> = made as list<{ year: integer, total: number, n: integer }>
}

chain changes {
  step found = reports.json_changes(before: "a.json", after: "b.json")
  output = found
}

chain exported {
  input id: integer
  step file = reports.query_to_csv(
    database: "shop.db",
    sql: "SELECT name FROM orders WHERE id >= :id ORDER BY id",
    parameters: { id: id },
    to: "orders.csv",
  )
  output = file
}

chain page {
  input url: url
  step found = pages.page_text(url: url)
  output = { title: found.title, text: found.text, links: [l.href for l in found.links] }
}

chain prices_online {
  input url: url
  step found = pages.page_tables(url: url)
  output = [table.rows for table in found]
}

chain kept {
  step content = files.read_bytes(path: "shop.db")
  output handle<blob> = content { summary "a database" }
}

chain number {
  input path: string
  step value = files.read_json(path: path)
  output integer = value.n
}
"""

ALLOW = '[allow]\nroots = ["data"]\n'
PRICES = "city,year,price\nTurin,2025,1.5\nOslo,2025,2\nTurin,2026,3\nTurin,2025,0.5\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {"chains/a.chain": CHAINS, "data/prices.csv": PRICES, "data/a.json": '{"n": 1}', "data/b.json": '{"n": 2}'}
    project(tmp_path, files, ALLOW)
    with closing(sqlite3.connect(tmp_path / "data" / "shop.db")) as database, database:
        database.execute("CREATE TABLE orders (id INTEGER, name TEXT)")
        database.executemany("INSERT INTO orders VALUES (?, ?)", [(1, "Ada"), (2, "B,b"), (3, None)])
    return tmp_path


def test_it_compiles_without_a_word_and_effects_are_what_they_are(root: Path):
    assert checked(root) == []
    plan = compiled(root)
    effects = {f"{n}.{t}": tool.effects for n, source in plan.sources.items() for t, tool in source.tools.items()}
    assert not effects["std:files.create_text"].read_only
    assert not effects["std:files.create_text"].destructive
    assert effects["std:http.text"].open_world
    assert "json_changes" in plan.chains
    assert [each for each in plan.chains if not plan.chains[each].private] == [
        "changes",
        "exported",
        "kept",
        "number",
        "page",
        "prices",
        "prices_online",
    ]


def test_ready_chains_over_files(root: Path):
    totals = [{"year": 2025, "total": 2.0, "n": 2}, {"year": 2026, "total": 3, "n": 1}]
    assert called(root, "prices", city="Turin").value == totals
    changed = [{"op": "replace", "path": "/n", "value": 2}]
    assert called(root, "changes").value == {"equal": False, "operations": changed}
    assert called(root, "exported", id=2).value == {"path": "orders.csv", "rows": 2, "bytes": 17}
    assert (root / "data" / "orders.csv").read_bytes() == b'name\r\n"B,b"\r\n""\r\n'
    again = called(root, "exported", id=3).fault
    assert again is not None
    assert again.message == "`files.create_text` failed: `orders.csv` is there already, with another content."
    assert called(root, "number", path="b.json").value == 2


def test_a_file_goes_under_a_handle(root: Path):
    made = called(root, "kept")
    assert made.fault is None
    assert made.handle is not None
    assert made.handle.bytes == (root / "data" / "shop.db").stat().st_size


def test_no_roots_no_files(root: Path):
    project(root, {})
    fault = called(root, "prices", city="Turin").fault
    assert fault is not None
    assert (fault.fault_class, fault.message) == ("denied", "`files.read_csv` is refused: no folder is allowed.")
    assert fault.next == 'Name the folders that may be used in the manifest: `[allow]`, `roots = ["data"]`.'


PAGE = b"""<title>Shop</title><p>Our <a href=/prices>prices</a><script>x()</script>
<table><tr><th>item<th>price<tr><td>apple<td>2</table>"""


def test_ready_chains_over_pages(root: Path):
    async def site(stream: ByteStream, request: bytes) -> None:
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(PAGE)}\r\nConnection: close\r\n\r\n"
        await stream.send(head.encode() + PAGE)

    async def read(chain: str) -> Result:
        async with spoken(site) as port, Router(compiled(root), root) as tools:
            url = f"http://127.0.0.1:{port}/"
            return await run_chain(load_plan(compiled(root)), chain, {"url": url}, tools=tools, store=MemoryStore())

    refused = anyio.run(read, "page").fault
    assert refused is not None
    assert (refused.fault_class, refused.refused) == ("denied", "resource")
    project(root, {}, "[allow]\nprivate_networks = true\n")
    found = anyio.run(read, "page").value
    assert found == {"title": "Shop", "text": "Our prices\n\nitem\tprice\napple\t2", "links": ["/prices"]}
    assert anyio.run(read, "prices_online").value == [[{"item": "apple", "price": "2"}]]


def test_a_generated_server_has_them(root: Path):
    answers = served(root, {"changes": {}, "prices": {"city": "Oslo"}}, root)
    assert answers["prices"] == {"result": [{"year": 2025, "total": 2, "n": 1}]}
    assert answers["changes"]["equal"] is False


def test_only_what_is_called_comes_with_a_module(tmp_path: Path):
    """A chain of one's own may have the name of a ready one."""
    text = """
import pages from std "pages"
import reports from std "reports"

chain json_changes {
  step found = reports.json_changes(before: "a.json", after: "b.json")
  output = found.equal
}
"""
    project(tmp_path, {"chains/a.chain": text, "data/a.json": "1", "data/b.json": "1.0"}, ALLOW)
    assert checked(tmp_path) == []
    plan = compiled(tmp_path)
    assert {name: list(source.tools) for name, source in plan.sources.items()} == {
        "std:files": ["read_json"],
        "std:json": ["diff"],
    }
    assert sorted(plan.chains) == ["json_changes", "std:reports.json_changes"]
    assert called(tmp_path, "json_changes").value is True


def test_ready_chains_are_found_by_their_names(tmp_path: Path):
    chain = 'chain c {\n  step a = pages.page_txt(url: "https://a.example")\n  output = a\n}\n'
    text = f'import pages from std "pages"\n{chain}'
    project(tmp_path, {"chains/a.chain": text})
    assert checked(tmp_path) == [("E0203", "`pages` has no chain `page_txt`.")]


def test_calls_that_reach_no_folder_are_told(tmp_path):
    """Once a file and import, those of ready chains included; nothing is said of what is only imported."""
    assert set(OF_FOLDERS) == {module for module, what in REACHES.items() if what == "folders"}
    chains = """
import files from std "files"
import sqlite from std "sqlite"
import reports from std "reports"
import pages from std "pages"

chain one {
  step a = files.read_text(path: "a")
  step b = files.read_text(path: "b")
  step c = reports.json_changes(before: "a", after: "b")
  output = [a, b, "${count(c)}"]
}
chain two {
  step page = pages.page_text(url: "https://shop.example")
  output = page.text
}
"""
    project(tmp_path, {"chains/a.chain": chains})
    assert [each for each in checked(tmp_path) if each[0] == "W0238"] == [
        ("W0238", "`files.read_text` is always refused: no folder is allowed."),
        ("W0238", "`reports.json_changes` is always refused: no folder is allowed."),
    ]
    project(tmp_path, {}, '[allow]\nroots = ["data"]\n')
    assert [each for each, _ in checked(tmp_path) if each == "W0238"] == []
