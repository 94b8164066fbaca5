"""Values where a type is wanted: literals are held against it part by part, so that the caret lands on the part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from compiler.check.join import joined
from compiler.check.scope import Scope
from compiler.types.refinements import Items, breach
from compiler.types.report import did_you_mean, mended
from dsl import tree
from dsl.diagnostics import Label
from stdlib.values.show import show
from stdlib.values.subtype import Misfit, fits, join
from stdlib.values.types import (
    STRING,
    ErrorType,
    ListType,
    LiteralType,
    MapType,
    Record,
    Scalar,
    Type,
    is_null,
    is_text,
    may_be_null,
    members,
    present,
    read,
)


@dataclass(frozen=True, slots=True)
class Slot:
    """A place that wants a type, and how to speak of it.

    `whole` begins the sentence where the value as such does not fit (`The argument \\`a\\` of \\`t\\` wants string`),
    `part` where a part of it does not (`The argument \\`a\\` of \\`t\\` does not fit`).
    `may_be_left_out`: null is no misfit at the top, because it is left out.
    """

    code: str
    whole: str
    part: str
    joint: str = ", but "
    may_be_left_out: bool = False
    also: Sequence[Label] = field(default=())


def expect(scope: Scope, node: tree.Expr, wanted: Type, slot: Slot, path: str = "") -> Type:
    """The type of `node`; where it does not fit `wanted`, the slot's message at the smallest part to blame."""
    match node:
        case tree.RecordLiteral():
            target = _only(wanted, Record, MapType)
            if isinstance(target, Record) and target.fields:
                return _record(scope, node, target, slot, path)
            if isinstance(target, MapType):
                return _map(scope, node, target, slot, path)
        case tree.ListLiteral():
            target = _only(wanted, ListType)
            if isinstance(target, ListType):
                return _list(scope, node, target, slot, path)
        case tree.If():
            return _if(scope, node, wanted, slot, path)
        case tree.Text() | tree.Integer() | tree.Number() | tree.Constant() | tree.Unary(op="-"):
            value = constant(node)
            if value is not None:
                return _constant(scope, node, value, wanted, slot, path)
    found = scope.infer(node)
    check_fit(scope, node, found, wanted, slot, path)
    return found


def check_fit(scope: Scope, node: tree.Node, found: Type, wanted: Type, slot: Slot, path: str = "") -> bool:
    """Report at `node` where a value of type `found` cannot stand where `wanted` is; True where it can."""
    misfit = fits(found, wanted)
    if misfit is not None and misfit.reason == "null" and not misfit.path and not path and slot.may_be_left_out:
        misfit = None if is_null(found) else fits(present(found), wanted)
    if misfit is None:
        return True
    _misfit(scope, node, misfit, found, wanted, slot, path)
    return False


def constant(node: tree.Expr) -> LiteralType | None:
    """A text, number or truth value that stands there as such."""
    match node:
        case tree.Text():
            plain = node.plain
            return None if plain is None else LiteralType(plain)
        case tree.Integer(value=value) | tree.Number(value=value):
            return LiteralType(value)
        case tree.Constant(value=bool(value)):
            return LiteralType(value)
        case tree.Unary(op="-", operand=tree.Integer(value=value) | tree.Number(value=value)):
            return LiteralType(-value)
        case _:
            return None


def _only(wanted: Type, *kinds: type) -> Type | None:
    """The one member of a union that a literal can be meant for."""
    found = [m for m in members(wanted) if isinstance(m, kinds)]
    return found[0] if len(found) == 1 else None


# ---------------------------------------------------------------------- literals


def _record(scope: Scope, node: tree.RecordLiteral, target: Record, slot: Slot, path: str) -> Type:
    if not all(isinstance(f, tree.Field) for f in node.fields):
        found = scope.infer(node)
        check_fit(scope, node, found, target, slot, path)
        return found
    given = {f.name.text: f for f in node.fields if isinstance(f, tree.Field)}
    wrong = False
    for f in given.values():
        wanted = target.field(f.name.text)
        if wanted is None:
            wrong = True
            free = [t.name for t in target.fields if t.name not in given]
            scope.report(
                "E0401",
                f.name,
                f"There is no field `{join(path, f.name.text)}` here.",
                helps=mended(f.name.text, free, "Not given yet"),
                notes=f"Wanted is {show(target)}.",
            )
            scope.infer(f.value)
            continue
        type = wanted.type if wanted.required else read(wanted)
        expect(scope, f.value, type, slot, join(path, wanted.name))
    missing = [t for t in target.fields if t.required and t.name not in given and not may_be_null(t.type)]
    if missing and not wrong:
        first = missing[0]
        misfit = Misfit(first.name, "missing", None, first.type)
        _misfit(scope, node, misfit, target, target, slot, path)
    return scope.infer(node)


def _map(scope: Scope, node: tree.RecordLiteral, target: MapType, slot: Slot, path: str) -> Type:
    for f in node.fields:
        if isinstance(f, tree.Field):
            expect(scope, f.value, target.value, slot, join(path, f.name.text))
        elif isinstance(f, tree.ComputedField):
            expect(scope, f.value, target.value, slot, f"{path}[*]")
        else:
            check_fit(scope, f, scope.infer(f.value), target, slot, path)
    return scope.infer(node)


def _list(scope: Scope, node: tree.ListLiteral, target: ListType, slot: Slot, path: str) -> Type:
    for item in node.items:
        if isinstance(item, tree.Spread):
            check_fit(scope, item, scope.infer(item.value), ListType(target.item), slot, path)
        else:
            expect(scope, item, target.item, slot, f"{path}[]")
    if not any(isinstance(item, tree.Spread) for item in node.items):
        _refined(scope, node, Items(len(node.items)), target, slot, path)
    return scope.infer(node)


def _if(scope: Scope, node: tree.If, wanted: Type, slot: Slot, path: str) -> Type:
    from compiler.check.operators import branches

    then, otherwise = branches(scope, node)
    found = joined(expect(then, node.then, wanted, slot, path), expect(otherwise, node.otherwise, wanted, slot, path))
    scope.file.types[id(node)] = found
    return found


def _constant(scope: Scope, node: tree.Expr, value: LiteralType, wanted: Type, slot: Slot, path: str) -> Type:
    found = scope.infer(node)
    if isinstance(found, ErrorType):
        return found
    fitting = [m for m in members(wanted) if fits(value, m) is None]
    if not fitting:
        _misfit(scope, node, fits(value, wanted) or Misfit("", "type", value, wanted), value, wanted, slot, path)
        return found
    if not any(_breach(value.value, m) is None for m in fitting):
        _refined(scope, node, value.value, fitting[0], slot, path)
    return found


def _breach(value: object, wanted: Type) -> str | None:
    return breach(value, wanted.constraints) if isinstance(wanted, Scalar | ListType) else None


def _refined(scope: Scope, node: tree.Node, value: object, wanted: Type, slot: Slot, path: str) -> None:
    said = _breach(value, wanted)
    if said:
        where = f"`{path}`: " if path else ""
        scope.report(slot.code, node, f"{slot.part}: {where}{said}.", also=slot.also)


# ---------------------------------------------------------------------- messages


def _misfit(scope: Scope, node: tree.Node, misfit: Misfit, found: Type, wanted: Type, slot: Slot, path: str) -> None:
    at = join_paths(path, misfit.path)
    whole = not at
    lead, joint = (slot.whole, slot.joint) if whole else (slot.part, ": ")
    scope.report(
        slot.code,
        node,
        f"{lead}{joint}{_reason(misfit, at)}.",
        helps=_help(scope, node, misfit, at),
        notes=_note(found, wanted, misfit),
        also=slot.also,
    )


def _reason(misfit: Misfit, at: str) -> str:
    if misfit.reason in ("missing", "extra"):
        return str(Misfit(at, misfit.reason))
    if misfit.reason == "null":
        return f"`{at}` may be null" if at else "it may be null"
    literal = misfit.found
    if isinstance(literal, LiteralType) and isinstance(misfit.wanted, Scalar) and is_text(literal):
        if is_text(misfit.wanted) and misfit.wanted.name != "string":
            return f"{f'`{at}` is' if at else 'this is'} no valid {misfit.wanted.name}"
        return f"{f'`{at}` is' if at else 'this is'} string{f', not {show(misfit.wanted)}' if at else ''}"
    if at:
        return str(Misfit(at, "type", misfit.found, misfit.wanted))
    return f"this is {show(misfit.found)}"


def _note(found: Type, wanted: Type, misfit: Misfit) -> str:
    if not misfit.path or misfit.reason == "missing":
        return ""
    return f"It is {show(found)}; wanted is {show(wanted)}."


def _help(scope: Scope, node: tree.Node, misfit: Misfit, at: str) -> str:
    if misfit.reason == "null":
        if misfit.path:
            return ""
        written = scope.report.text(node)
        if written == "null" or len(written) > 40:
            return "Give a value for the case that it is null: `… ?? default`."
        return f"Write `{written} ?? …` with a default, `{written}!` to fail the step, or test it in `when`."
    if misfit.reason == "missing" and isinstance(node, tree.RecordLiteral) and misfit.wanted is not None:
        return f"Add `{misfit.path}: …` ({show(misfit.wanted)})."
    return _conversion(scope, node, misfit)


def _conversion(scope: Scope, node: tree.Node, misfit: Misfit) -> str:
    found, wanted = misfit.found, misfit.wanted
    if found is None or wanted is None:
        return ""
    choices = [m.value for m in members(wanted) if isinstance(m, LiteralType) and isinstance(m.value, str)]
    if isinstance(found, LiteralType) and isinstance(found.value, str):
        if choices:
            return did_you_mean(found.value, choices).replace("`", '"') or f"Possible is {show(wanted)}."
        if isinstance(wanted, Scalar) and wanted.name in ("integer", "number") and _numeric(found.value):
            return f"Write `{found.value}` without quotes."
        return _FORMAT.get(wanted.name, "") if isinstance(wanted, Scalar) else ""
    written = scope.report.text(node)
    short = written if len(written) <= 30 else "…"
    if choices and is_text(found):
        return f"Say that it is one of them: `{short} as {show(wanted)}`."
    if isinstance(found, Scalar) and found.name == "json":
        return f"Say what it is: `{short} as {show(wanted)}`."
    if wanted == STRING and isinstance(found, Scalar) and found.name in ("integer", "number", "boolean"):
        return f'Write `"${{{short}}}"`.'
    if isinstance(wanted, ListType) and fits(found, wanted.item) is None:
        return f"Write `[{short}]`."
    if isinstance(wanted, Scalar) and is_text(wanted) and is_text(found):
        return f"Check it where it is used: `{short} as {wanted.name}`."
    if isinstance(wanted, Scalar) and wanted.name == "integer" and isinstance(found, Scalar) and found.name == "number":
        return f"Write `round({short})`."
    return ""


_FORMAT = {
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


def join_paths(path: str, rest: str) -> str:
    if not rest or rest.startswith("["):
        return path + rest
    return join(path, rest)
