"""`sales_pack` over files that the test makes: the standard library works in the allowed folder and nowhere else."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import anyio
import pytest

from stdlib.runtime.run import Result
from tests.examples.projects import called, simulated

CUSTOMERS = [("a", "Ada | Co", "north", None), ("b", "Bob", "south", "2026-05-02"), ("c", "Bob", "south", "2026-05-01")]
ORDERS = """\
order,customer,day,amount,currency,status
1,a,2026-05-01,100,USD,paid
2,a,2026-05-31,0.25,EUR,paid
3,b,2026-05-07,"300.00",USD,paid
4,c,2026-05-08,7,EUR,paid
5,a,2026-04-30,9999,USD,paid
6,a,2026-06-01,9999,USD,paid
7,a,2026-05-03,9999,XTS,cancelled
"""
REPORT = """\
# Sales from 2026-05-01 to 2026-06-01

4 paid orders, 327.25 EUR, at the rates of today.

## Regions

| region | orders | customers | amount |
| --- | --- | --- | --- |
| south | 1 | 1 | 240.00 |
| north | 2 | 1 | 80.25 |
| unknown | 1 | 1 | 7.00 |

## Best customers

| customer | amount |
| --- | --- |
| Bob | 240.00 |
| Ada \\| Co | 80.25 |

"""


class Office:
    """A folder with the data, as the manifest names it."""

    def __init__(self, home: Path, services: str) -> None:
        self.home, self.data = home, home / "data"
        self.data.mkdir()
        self.rates_from(f"{services}/rates")
        (self.data / "orders.csv").write_text(ORDERS, encoding="utf-8")
        database = sqlite3.connect(self.data / "customers.db")
        database.execute("CREATE TABLE customers (id TEXT, name TEXT, region TEXT, closed TEXT)")
        database.executemany("INSERT INTO customers VALUES (?, ?, ?, ?)", CUSTOMERS)
        database.commit()
        database.close()

    def rates_from(self, url: str) -> None:
        (self.data / "sales.json").write_text(json.dumps({"rates": url}), encoding="utf-8")

    def call(self, **more: Any) -> Result:
        arguments = {"since": "2026-05-01", "until": "2026-06-01", **more}
        return anyio.run(called, "sales_pack", "sales_pack", arguments, self.home)

    def files(self) -> list[str]:
        return sorted(str(path.relative_to(self.home)) for path in self.home.rglob("*") if path.is_file())


@pytest.fixture
def office(tmp_path: Path, services: str) -> Office:
    assert simulated("sales").RATES["rates"]["USD"] == 1.25
    return Office(tmp_path, services)


BEFORE = ["data/customers.db", "data/orders.csv", "data/sales.json"]


def test_the_report_joins_what_the_file_the_database_and_the_web_say(office: Office):
    result = office.call()
    assert result.fault is None
    assert (office.data / "sales.md").read_text(encoding="utf-8") == REPORT
    assert office.files() == [*BEFORE, "data/sales.md"]
    assert result.value == {
        "path": "sales.md",
        "changed_lines": len(REPORT.splitlines()),
        "orders": 4,
        "total": 327.25,
        "currency": "EUR",
        "regions": [
            {"region": "south", "orders": 1, "customers": 1, "amount": 240},
            {"region": "north", "orders": 2, "customers": 1, "amount": 80.25},
            {"region": "unknown", "orders": 1, "customers": 1, "amount": 7},
        ],
        "strangers": ["4"],
    }
    assert result.summary == "4 orders, 327.25 EUR, best region south: sales.md."


def test_a_second_report_replaces_the_first_and_tells_what_has_changed(office: Office):
    office.call()
    assert office.call().value["changed_lines"] == 0
    text = (office.data / "orders.csv").read_text(encoding="utf-8").replace("0.25", "1.25")
    (office.data / "orders.csv").write_text(text, encoding="utf-8")
    changed = office.call()
    assert changed.value["changed_lines"] == 6  # the total, a region and a customer, as they were and as they are
    assert "328.25 EUR" in (office.data / "sales.md").read_text(encoding="utf-8")
    assert office.files() == [*BEFORE, "data/sales.md"]


def test_only_as_many_customers_as_asked_for(office: Office):
    office.call(best=1)
    assert "Ada" not in (office.data / "sales.md").read_text(encoding="utf-8")


def refused(result: Result, fault_class: str, words: str) -> None:
    assert result.fault is not None
    assert (result.fault.fault_class, words in result.fault.message) == (fault_class, True), result.fault


@pytest.mark.parametrize("report", ["../sales.md", "/etc/sales.md", ".hidden"])
def test_no_report_is_written_elsewhere(office: Office, report: str):
    refused(office.call(report=report), "denied", report)
    assert office.files() == BEFORE


def test_files_and_hosts_that_are_not_allowed_are_not_read(office: Office):
    (office.home / "secret.csv").write_text(ORDERS, encoding="utf-8")
    refused(office.call(orders="../secret.csv"), "denied", "secret.csv")
    (office.data / "link.csv").symlink_to(office.home / "secret.csv")
    refused(office.call(orders="link.csv"), "denied", "link.csv")
    office.rates_from("http://127.0.0.2:1/rates")
    refused(office.call(), "denied", "127.0.0.2")
    assert not (office.data / "sales.md").exists()


@pytest.mark.parametrize(
    ("old", "new", "fault_class", "words"),
    [
        ("7,EUR,paid", "7,XTS,paid", "precondition", "There is no rate for XTS."),
        ("amount", "total", "shape_mismatch", "amount"),
        ("0.25", "a quarter", "tool_error", "a quarter"),
    ],
)
def test_a_report_that_would_be_wrong_is_not_written(office: Office, old: str, new: str, fault_class: str, words: str):
    (office.data / "sales.md").write_text("of last time", encoding="utf-8")
    text = (office.data / "orders.csv").read_text(encoding="utf-8").replace(old, new)
    (office.data / "orders.csv").write_text(text, encoding="utf-8")
    refused(office.call(), fault_class, words)
    assert (office.data / "sales.md").read_text(encoding="utf-8") == "of last time"


def test_a_period_without_a_day_is_refused_before_any_call(office: Office):
    refused(office.call(until="2026-05-01", orders="nowhere.csv"), "precondition", "No day lies from")
