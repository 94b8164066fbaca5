"""`parse` in an import block: how the text of a tool's answer is read, held against the claimed type."""

from __future__ import annotations

from typing import Literal, cast

from compiler.names.groups import sure_groups
from compiler.program import ParseClaim
from compiler.types.report import Report, did_you_mean, listing
from dsl import tree
from dsl.foreign import MODES, OTHER_MODES
from stdlib.values.pattern import BadPattern, compiled
from stdlib.values.show import show
from stdlib.values.subtype import fits
from stdlib.values.types import (
    JSON,
    NEVER,
    STRING,
    ErrorType,
    Field,
    ListType,
    MapType,
    Record,
    Type,
    may_be_null,
)


def parse_claim(report: Report, claim: tree.ToolDecl, clause: tree.Parse, returns: Type | None) -> ParseClaim | None:
    """The clause, checked; None where it is wrong (reported)."""
    mode = clause.mode.text
    if mode not in MODES:
        ours = OTHER_MODES.get(mode)
        pattern = ' "…"' if ours == "match" else ""
        hint = f"Write `parse {ours}{pattern}`." if ours else did_you_mean(mode, MODES) or listing("There are", MODES)
        report("E0506", clause.mode, f"`parse` cannot read `{mode}`.", helps=hint)
        return None
    if returns is None:
        report(
            "E0207",
            clause,
            f"`parse` needs a type for what it reads from `{claim.name.text}`.",
            helps=f"Write `tool {claim.name.text} returns {_EXAMPLE[mode]} {{ … }}`.",
        )
        return None
    if mode == "match":
        return _match(report, claim, clause, returns)
    if clause.pattern is not None:
        report("E0506", clause.pattern, f"`parse {mode}` has no pattern.", helps="Patterns belong to `parse match`.")
        return None
    gives: Type | None = _GIVES.get(mode)
    if gives is not None and fits(gives, returns) is not None:
        _other_form(report, claim, clause, returns, f"`parse {mode}` gives {show(gives)}")
        return None
    if mode in ("jsonl", "csv") and fits(ListType(NEVER), returns) is not None:
        _other_form(report, claim, clause, returns, f"`parse {mode}` gives a list")
        return None
    if mode == "csv" and isinstance(returns, ListType):
        row = returns.item
        texts = isinstance(row, Record) and all(fits(STRING, f.type) is None for f in row.fields)
        if not texts and not isinstance(row, MapType | ErrorType) and row != JSON:
            _other_form(report, claim, clause, returns, "`parse csv` gives rows whose fields are all string")
            return None
    return ParseClaim(cast('Literal["text", "json", "jsonl", "lines", "csv"]', mode))


_GIVES: dict[str, Type] = {"text": STRING, "lines": ListType(STRING)}
_EXAMPLE = {
    "text": "string",
    "json": "{ name: string }",
    "jsonl": "list<{ name: string }>",
    "lines": "list<string>",
    "csv": "list<{ name: string }>",
    "match": "list<{ name: string }>",
}


def _match(report: Report, claim: tree.ToolDecl, clause: tree.Parse, returns: Type) -> ParseClaim | None:
    pattern = clause.pattern.plain if clause.pattern is not None else None
    if clause.pattern is None or pattern is None:
        report("E0506", clause, "`parse match` needs a pattern: a text without `${…}`.")
        return None
    try:
        groups = compiled(pattern).groupindex
    except BadPattern as error:
        report("E0506", clause.pattern, f"This pattern is no regular expression: {error}.")
        return None
    if not groups:
        hint = "Each field is a named group: `(?P<name>…)`."
        report("E0506", clause.pattern, "This pattern has no named groups, so it gives no fields.", helps=hint)
        return None
    if isinstance(returns, ErrorType):
        return ParseClaim("match", pattern)
    row = returns.item if isinstance(returns, ListType) else None
    if isinstance(row, ErrorType):
        return ParseClaim("match", pattern)
    if not isinstance(row, Record):
        _other_form(report, claim, clause, returns, "`parse match` gives a list with one record a match")
        return None
    sure = sure_groups(pattern)
    for f in row.fields:
        if not _has_group(report, claim, clause, f, list(groups)) or not _never_null(report, claim, clause, f, sure):
            return None
    return ParseClaim("match", pattern)


def _has_group(report: Report, claim: tree.ToolDecl, clause: tree.Parse, f: Field, groups: list[str]) -> bool:
    if f.name not in groups:
        if not f.required or may_be_null(f.type):
            return True
        hint = did_you_mean(f.name, groups) or listing("Its groups are", groups)
        message = f"The pattern has no group for the field `{f.name}` of `{claim.name.text}`."
        claimed = report.place(_written(claim, f.name), "claimed here")
        report("E0207", clause.pattern or clause, message, helps=hint, also=(claimed,))
        return False
    if fits(STRING, f.type) is not None:
        hint = "Claim string here, and convert the value where it is used."
        message = f"A group gives text, but the field `{f.name}` is {show(f.type)}."
        read = report.place(clause.pattern or clause, "read here")
        report("E0207", _written(claim, f.name), message, helps=hint, also=(read,))
        return False
    return True


def _never_null(report: Report, claim: tree.ToolDecl, clause: tree.Parse, f: Field, sure: frozenset[str]) -> bool:
    if f.name in sure or not f.required or may_be_null(f.type):
        return True
    message = f"The group `{f.name}` does not take part in every match, and then the field `{f.name}` is null."
    read = report.place(clause.pattern or clause, "read here")
    report("E0207", _written(claim, f.name), message, helps=f"Write `{f.name}: {show(f.type)}?`.", also=(read,))
    return False


def _written(claim: tree.ToolDecl, name: str) -> tree.Node:
    """Where the claim has a field of its rows, else the whole type."""
    rows = claim.returns.arguments[0] if isinstance(claim.returns, tree.GenericType) else None
    fields = rows.fields if isinstance(rows, tree.RecordType) else ()
    return next((f for f in fields if f.name.text == name), None) or claim.returns or claim


def _other_form(report: Report, claim: tree.ToolDecl, clause: tree.Parse, returns: Type, gives: str) -> None:
    message = f"`returns` of `{claim.name.text}` is {show(returns)}, but {gives}."
    report("E0207", claim.returns or claim, message, also=(report.place(clause, "read here"),))
