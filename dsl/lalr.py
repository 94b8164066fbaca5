"""Makes the LALR table from `grammar.lark` with lark. Runs when the grammar changes, never when a file is read."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from lark import Lark
from lark.lexer import Lexer

GRAMMAR: Final = Path(__file__).with_name("grammar.lark")


class _NoLexer(Lexer):
    """Stands in for `dsl.lexer`: only the table is wanted."""

    def __init__(self, lexer_conf: object) -> None:
        pass

    def lex(self, lexer_state: Any, parser_state: Any) -> Iterator[Any]:
        return iter(())


def make(grammar: str | None = None) -> str:
    """The table as JSON text, the same bytes for the same grammar on every machine.

    `rows[s]` maps a symbol to a state to go to (≥ 0) or to `-1 - rule`. A rule is
    [origin, length, action, holes]: the action is a method of the builder, '' hands its one
    value on; holes are the places where an optional part that is missing leaves a None.
    `entered[s]` is the symbol that leads to state s.
    """
    text = GRAMMAR.read_text(encoding="utf-8") if grammar is None else grammar
    lark: Any = Lark(text, parser="lalr", lexer=_NoLexer, strict=True, maybe_placeholders=True)
    table = lark.parser.parser._parse_table
    start = table.start_states["start"]
    names = _number_states(table.states, start)
    rules: dict[tuple[str, int, str, tuple[int, ...], tuple[str, ...]], int] = {}
    rows: list[dict[str, int]] = []
    entered = [""] * len(names)
    for old in names:
        row: dict[str, int] = {}
        for symbol, (action, target) in sorted(table.states[old].items()):
            if str(action) == "Shift":
                row[symbol] = names[target]
                entered[names[target]] = symbol
            else:
                row[symbol] = -1 - rules.setdefault(_describe(target), len(rules))
        rows.append(row)
    document = {
        "start": names[start],
        "end": names[table.end_states["start"]],
        "rules": [[origin, length, action, list(holes)] for origin, length, action, holes, _ in rules],
        "entered": entered,
    }
    lines = [f"{json.dumps(key)}:{_compact(value)}" for key, value in document.items()]
    lines.append('"rows":[\n' + ",\n".join(_compact(row) for row in rows) + "\n]")
    return "{" + ",\n".join(lines) + "}\n"


def _number_states(states: dict[int, Any], start: int) -> dict[int, int]:
    """New numbers in order of discovery, symbols in alphabetical order: lark's own may vary between runs."""
    numbers = {start: 0}
    queue = deque([start])
    while queue:
        for _, (action, target) in sorted(states[queue.popleft()].items(), key=lambda pair: str(pair[0])):
            if str(action) == "Shift" and target not in numbers:
                numbers[target] = len(numbers)
                queue.append(target)
    return numbers


def _describe(rule: Any) -> tuple[str, int, str, tuple[int, ...], tuple[str, ...]]:
    origin = str(rule.origin.name)
    symbols = tuple(str(symbol.name) for symbol in rule.expansion)
    absent = rule.options.empty_indices or ()
    holes = tuple(place for place, missing in enumerate(absent) if missing)
    hands_on = rule.options.expand1 and not rule.alias and len(symbols) + len(holes) == 1
    return origin, len(symbols), "" if hands_on else str(rule.alias or origin), holes, symbols


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
