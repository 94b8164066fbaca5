"""Reads the text of a tool's result as the workflow's author said (`parse json`, `parse match "…"`, …)."""

from __future__ import annotations

import csv
import io
from typing import Any, Final

from ..plan.plan import ParseRule
from ..values.canonical import JsonError, read_json
from .clean import excerpt
from .matching import Undecided, find_all, is_quick

RECORDS_LIMIT: Final = 200_000
"""Most records, lines or matches that one text may give."""


class Unreadable(Exception):
    """The text is not of the form it should have. `problem` goes on after the tool's name."""

    def __init__(self, problem: str, fault_class: str = "shape_mismatch") -> None:
        super().__init__(problem)
        self.problem = problem
        self.fault_class = fault_class


def is_slow(rule: ParseRule, text: str) -> bool:
    """Whether `parse_text` may block for longer, so that it belongs into a thread of its own."""
    return rule.mode == "match" and not is_quick(rule.pattern or "", text)


def parse_text(rule: ParseRule, text: str) -> Any:
    """The value of a text. Raises `Unreadable`."""
    match rule.mode:
        case "text":
            return text
        case "json":
            return parse_json(text)
        case "jsonl":
            return _counted([parse_json(line, f"line {n}") for n, line in _lines(text) if line.strip()])
        case "lines":
            return _counted([line for _, line in _lines(text)])
        case "csv":
            return _csv(text)
        case "match":
            return _matches(rule.pattern or "", text)


def parse_json(text: str, where: str = "the text") -> Any:
    """A JSON document, read strictly; integers of any size."""
    try:
        return read_json(text)
    except JsonError as problem:
        raise Unreadable(f"answered no JSON in {where} ({problem}): {excerpt(text)}") from None


def _lines(text: str) -> list[tuple[int, str]]:
    """Numbered lines; a line ends with LF or CRLF, and the text's end adds no empty line."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [(number, line.removesuffix("\r")) for number, line in enumerate(lines, start=1)]


def _csv(text: str) -> list[Any]:
    """RFC 4180 with a header row: a record of texts for every further row. A field that a short row lacks is null."""
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if row]
    except csv.Error as problem:
        raise Unreadable(f"answered text that is no CSV: {problem}") from None
    if not rows:
        return []
    header, records = rows[0], rows[1:]
    for number, row in enumerate(records, start=2):
        if len(row) > len(header):
            raise Unreadable(f"answered CSV whose row {number} has {len(row)} fields, its header {len(header)}")
    empty = [None] * len(header)
    return _counted([dict(zip(header, [*row, *empty[len(row) :]], strict=True)) for row in records])


def _matches(pattern: str, text: str) -> list[Any]:
    try:
        return _counted(find_all(pattern, text, RECORDS_LIMIT + 1))
    except Undecided as problem:
        raise Unreadable(f"answered text that is too long to be compared with {problem}", "result_too_large") from None


def _counted(records: list[Any]) -> list[Any]:
    if len(records) > RECORDS_LIMIT:
        raise Unreadable(f"answered text that gives more than {RECORDS_LIMIT} records", "result_too_large")
    return records
