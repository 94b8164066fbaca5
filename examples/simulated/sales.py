"""Invented sales: an export of orders as CSV, a database of customers, and where the rates come from.

python examples/simulated/sales.py FOLDER           (writes orders.csv, customers.db and sales.json there)
"""

from __future__ import annotations

import csv
import json
import sqlite3
import sys
from pathlib import Path

CUSTOMERS = [
    ("c-1", "Borealis Robotics", "north", None),
    ("c-2", "Pampa Foods", "south", None),
    ("c-3", "Tern Logistics", "north", "2026-05-20"),
    ("c-4", "Yukon Rail", "west", "2026-01-31"),
]
"""Their id, name, region, and the day on which their account was closed."""
ORDERS = [
    ("1001", "c-1", "2026-04-30", "900.00", "EUR", "paid"),
    ("1002", "c-1", "2026-05-02", "1200.50", "EUR", "paid"),
    ("1003", "c-2", "2026-05-09", "250", "USD", "paid"),
    ("1004", "c-3", "2026-05-11", "80.10", "GBP", "paid"),
    ("1005", "c-2", "2026-05-12", "4000", "USD", "open"),
    ("1006", "c-4", "2026-05-30", "75", "EUR", "paid"),
    ("1007", "c-2", "2026-05-31", "2000", "USD", "paid"),
    ("1008", "c-1", "2026-06-01", "10", "EUR", "paid"),
]
RATES = {"base": "EUR", "rates": {"USD": 1.25, "GBP": 0.8}}


def write(folder: Path, services: str = "http://127.0.0.1:8765") -> None:
    """Writes the files, instead of what is there. `services`: where `services.py` answers."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "orders.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["order", "customer", "day", "amount", "currency", "status"])
        rows.writerows(ORDERS)
    (folder / "sales.json").write_text(json.dumps({"rates": f"{services}/rates"}), encoding="utf-8")
    (folder / "customers.db").unlink(missing_ok=True)
    database = sqlite3.connect(folder / "customers.db")
    database.execute(
        "CREATE TABLE customers (id TEXT PRIMARY KEY, name TEXT NOT NULL, region TEXT NOT NULL, closed TEXT)"
    )
    database.executemany("INSERT INTO customers VALUES (?, ?, ?, ?)", CUSTOMERS)
    database.commit()
    database.close()


if __name__ == "__main__":
    write(Path(sys.argv[1]))
