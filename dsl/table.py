"""The stored LALR table. `python -m dsl.table` writes it anew after a change of the grammar."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from os.path import dirname, join
from typing import Final

FILE: Final = join(dirname(__file__), "table.json")


@dataclass(frozen=True, slots=True)
class Table:
    """See `dsl.lalr.make` for the meaning of the fields. `ways` is the parser's own: what it found out about them."""

    start: int
    end: int
    rules: list[tuple[str, int, str, tuple[int, ...]]]
    rows: list[dict[str, int]]
    entered: list[str]
    ways: dict[tuple[int, int, str], int] = field(default_factory=dict, repr=False, compare=False)


@cache
def table() -> Table:
    """The table of the language, read once."""
    with open(FILE, encoding="utf-8") as file:
        stored = json.load(file)
    rules = [(origin, length, action, tuple(holes)) for origin, length, action, holes in stored["rules"]]
    return Table(stored["start"], stored["end"], rules, stored["rows"], stored["entered"])


def _main() -> None:
    from dsl.lalr import make

    with open(FILE, "w", encoding="utf-8", newline="\n") as file:
        file.write(make())


if __name__ == "__main__":
    _main()
