"""Forgetting: what is too old, what nobody needs any more."""

from __future__ import annotations

import sqlite3

from ..content import REMEMBERED_S
from ..ledger import KEEP_S
from .instance import Instance
from .schema import begin_to_write


def forget(database: sqlite3.Connection, now: float, instance: Instance) -> None:
    """One transaction. Receipts and the rows of runs stay; contents go afterwards, when no row refers to them."""
    begin_to_write(database)
    try:
        database.execute("DELETE FROM handles WHERE expires <= ?", (now - REMEMBERED_S,))
        database.execute("UPDATE handles SET address = NULL WHERE expires <= ? AND address IS NOT NULL", (now,))
        for table in ("requests", "results", "undone"):
            database.execute(f"DELETE FROM {table} WHERE until <= ?", (now,))
        database.execute("DELETE FROM questions WHERE until <= ?", (now - KEEP_S,))
        old = database.execute("SELECT DISTINCT instance FROM claims WHERE until <= ?", (now,)).fetchall()
        for (name,) in old:
            if not instance.is_alive(name):
                database.execute("DELETE FROM claims WHERE instance = ? AND until <= ?", (name, now))
        database.execute(
            "DELETE FROM plans WHERE digest NOT IN (SELECT plan FROM runs WHERE instance IS NOT NULL)"
            " AND digest NOT IN (SELECT plan FROM handles WHERE address IS NOT NULL)"
        )
    except BaseException:
        database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")
