"""What to say where a value does not fit the type that its place wants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from compiler.check.labels import misfit_label
from compiler.check.scope import Scope
from compiler.types.report import did_you_mean, shown
from dsl import tree
from dsl.diagnostics import Label
from stdlib.values.show import show
from stdlib.values.subtype import Misfit, base, fits, join
from stdlib.values.types import (
    STRING,
    ListType,
    LiteralType,
    MapType,
    Never,
    Record,
    Scalar,
    Type,
    Union,
    is_text,
    members,
    union,
)


@dataclass(frozen=True, slots=True)
class Slot:
    """A place that wants a type, and how to speak of it.

    `whole` begins the sentence where the value as such does not fit (`The argument \\`a\\` of \\`t\\` wants string`),
    `part` where a part of it does not (`The argument \\`a\\` of \\`t\\` does not fit`), `root` what paths to parts
    begin with. `may_be_left_out`: null is no misfit at the top, because it is left out.
    """

    code: str
    whole: str
    part: str
    root: str = ""
    joint: str = ", but "
    may_be_left_out: bool = False
    also: Sequence[Label] = field(default=())


def say(scope: Scope, node: tree.Node, misfit: Misfit, found: Type, wanted: Type, slot: Slot, path: str) -> None:
    """Report a misfit at `node`, which stands at `path` inside the slot's value."""
    at = joined_path(path, misfit.path)
    lead, joint = (slot.part, ": ") if at else (slot.whole, slot.joint)
    nested = bool(misfit.path) and misfit.reason != "missing"
    scope.report(
        slot.code,
        node,
        f"{lead}{joint}{_reason(misfit, joined_path(slot.root, at) if at else '')}.",
        helps=_undeclared(scope, node, misfit, found, wanted)
        if misfit.reason == "undeclared"
        else _help(scope, node, misfit),
        notes=f"It is {show(plain(found, wanted))}; wanted is {show(wanted)}." if nested else "",
        also=slot.also or misfit_label(scope, node, misfit, at),
    )


def joined_path(path: str, rest: str) -> str:
    """`a` and `b.c` are `a.b.c`, `a` and `[].b` are `a[].b`."""
    return join(path, rest) if rest and not rest.startswith("[") else path + rest


def _reason(misfit: Misfit, at: str) -> str:
    subject = _subject(at)
    if misfit.reason == "null":
        return f"{subject or 'it'} may be null"
    if misfit.reason == "open":
        return f"{subject or 'this record'} may have further fields of any type"
    if misfit.reason == "undeclared":
        return f"{subject} is not declared there, so it may be anything"
    if misfit.reason == "missing":
        owner, _, name = at.rpartition(".")
        return f"field `{name}` is missing" + (f" in {_subject(owner)}" if owner else "")
    if misfit.reason == "extra":
        return f"{subject} is not accepted"
    subject = subject or "this"
    found, wanted = misfit.found, misfit.wanted
    if isinstance(found, LiteralType):
        if isinstance(wanted, Scalar) and is_text(found) and is_text(wanted) and wanted.name != "string":
            return f"{subject} is no valid {wanted.name}"
        literal = wanted is not None and any(isinstance(m, LiteralType) for m in members(wanted))
        kind = show(found if literal else base(found))
        return f"{subject} is {kind}" + (f", not {shown(wanted)}" if at and wanted is not None else "")
    kind = shown(plain(found, wanted)) if found is not None else "nothing"
    if isinstance(found, ListType) and isinstance(found.item, Never):
        kind = "an empty list"
    return f"{subject} is {kind}" + (f", not {shown(wanted)}" if at and wanted is not None else "")


def plain(t: Type, wanted: Type | None = None) -> Type:
    """The type without its literals, where what is wanted has none: a list of `"a"` and `"b"` is list<string>."""
    if wanted is not None and _has_literal(wanted):
        return t
    return _plain(t)


def _has_literal(t: Type) -> bool:
    match t:
        case LiteralType():
            return True
        case ListType(item=inner) | MapType(value=inner):
            return _has_literal(inner)
        case Record(fields=fields):
            return any(_has_literal(f.type) for f in fields)
        case _:
            return any(_has_literal(m) for m in members(t)) if isinstance(t, Union) else False


def _plain(t: Type) -> Type:
    match t:
        case LiteralType():
            return base(t)
        case ListType(item=item):
            return replace(t, item=_plain(item))
        case MapType(value=value):
            return MapType(_plain(value))
        case Record(fields=fields):
            return replace(t, fields=tuple(replace(f, type=_plain(f.type)) for f in fields))
        case Union(members=parts):
            return union(*map(_plain, parts))
        case _:
            return t


def _subject(at: str) -> str:
    """A part by its path, in words where it is an item."""
    if not at:
        return ""
    if at.endswith("[]"):
        return f"an item of `{at[:-2]}`" if at != "[]" else "an item"
    return f"`{at.removeprefix('[].')}` of an item" if at.startswith("[].") else f"`{at}`"


def _help(scope: Scope, node: tree.Node, misfit: Misfit) -> str:
    if misfit.reason == "missing" and isinstance(node, tree.RecordLiteral) and misfit.wanted is not None:
        return f"Add `{misfit.path}: …` ({shown(misfit.wanted)})."
    if misfit.path:
        return ""
    if misfit.reason == "open" and misfit.wanted is not None:
        written = scope.report.text(node)
        short = written if len(written) <= 30 else "…"
        return f"Check it where it is used: `{short} as {shown(misfit.wanted)}`."
    if misfit.reason == "null":
        written = scope.report.text(node)
        if written == "null" or len(written) > 40:
            return "Give a value for the case that it is null: `… ?? default`."
        return f"Write `{written} ?? …` with a default, `{written}!` to fail the step, or test it in `when`."
    if misfit.found is None or misfit.wanted is None:
        return ""
    if isinstance(misfit.found, LiteralType):
        return _literal(misfit.found, misfit.wanted, scope.report.text(node))
    return _conversion(scope.report.text(node), misfit.found, misfit.wanted)


def _undeclared(scope: Scope, node: tree.Node, misfit: Misfit, found: Type, wanted: Type) -> str:
    """An open record where a field is wanted that it does not declare: leave what is unknown behind, or check it."""
    written = scope.report.text(node)
    short = written if len(written) <= 30 else "…"
    checked = f"`{short} as {shown(wanted)}`"
    if isinstance(found, Record) and "." not in misfit.path and short == written:
        return f"Pass only what is declared, `{{ ...{short} }}`, or check it where it is used: {checked}."
    return f"Check it where it is used: {checked}."


def _literal(found: LiteralType, wanted: Type, written: str) -> str:
    value = found.value
    if isinstance(value, str):
        choices = [m.value for m in members(wanted) if isinstance(m, LiteralType) and isinstance(m.value, str)]
        if choices:
            return did_you_mean(value, choices).replace("`", '"') or f"Possible is {shown(wanted)}."
    for m in members(wanted):
        if isinstance(m, ListType) and fits(found, m.item) is None:
            return f"Write `[{written}]`."
        if not isinstance(m, Scalar):
            continue
        if isinstance(value, str) and m.name in ("integer", "number") and _numeric(value):
            return f"Write `{value}` without quotes."
        if isinstance(value, str) and m.name in FORMS:
            return FORMS[m.name]
        if not isinstance(value, str | bool) and m.name == "duration":
            example = f"{written}s" if isinstance(value, int) else "500ms"
            return f"A duration is whole and has a unit: `{example}` (ms, s, m, h, d)."
        if not isinstance(value, str | bool) and m.name == "string":
            return f'Write `"{written}"`.'
    return ""


def _conversion(written: str, found: Type, wanted: Type) -> str:
    """How to come from one type to the other, where there is a way."""
    short = written if len(written) <= 30 else "…"
    choices = any(isinstance(m, LiteralType) and is_text(m) for m in members(wanted))
    if choices and is_text(found):
        return f"Say that it is one of them: `{short} as {shown(wanted)}`."
    if isinstance(wanted, ListType) and fits(found, wanted.item) is None:
        return f"Write `[{short}]`."
    if isinstance(found, ListType) and isinstance(found.item, Never):
        return ""
    if isinstance(found, ListType) and fits(found.item, wanted) is None:
        return f"Name one item, which may be missing: `{short}[0] ?? …`."
    if not isinstance(found, Scalar):
        return ""
    if found.name == "json":
        return f"Say what it is: `{short} as {shown(wanted)}`."
    if wanted == STRING and found.name in ("integer", "number", "boolean"):
        return f'Write `"${{{short}}}"`.'
    if not isinstance(wanted, Scalar):
        return ""
    if wanted.name == "duration" and found.name in ("integer", "number"):
        factor = short if short.isidentifier() else f"({short})"
        return f"Say what it counts: `{factor} * 1s` (ms, s, m, h, d)."
    if found.name == "duration" and wanted.name in ("integer", "number"):
        return f"Say what is counted: `seconds({short})`, or `milliseconds`, `minutes`, `hours`, `days`."
    if is_text(wanted) and is_text(found):
        return f"Check it where it is used: `{short} as {wanted.name}`."
    if wanted.name in ("integer", "number") and is_text(found):
        return f"Write `to_{wanted.name}({short})`, null where the text is no number."
    return f"Write `round({short})`." if (found.name, wanted.name) == ("number", "integer") else ""


FORMS = {
    "timestamp": 'For example "2026-01-31T08:00:00Z": a time has an offset.',
    "date": 'For example "2026-01-31".',
    "duration": "Durations are written without quotes: `30s`, `4h`.",
    "url": 'For example "https://example.org/page".',
    "email": 'For example "sam@example.org".',
    "uuid": 'For example "f81d4fae-7dec-11d0-a765-00a0c91e6bf6".',
    "bytes": "Bytes are written in base64.",
}


def _numeric(text: str) -> bool:
    return text.removeprefix("-").replace(".", "", 1).isdigit()
