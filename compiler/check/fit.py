"""Values where a type is wanted: literals are held against it part by part, so that the caret lands on the part."""

from __future__ import annotations

from dataclasses import replace

from compiler.check.join import joined
from compiler.check.labels import wanted_label
from compiler.check.misfit import Slot, joined_path, say
from compiler.check.origin import blamed
from compiler.check.scope import Scope
from compiler.types.refinements import Items, breach
from compiler.types.report import mended, near
from dsl import tree
from stdlib.values.show import show
from stdlib.values.subtype import Misfit, fits
from stdlib.values.types import (
    ErrorType,
    ListType,
    LiteralType,
    MapType,
    Record,
    Scalar,
    Type,
    is_null,
    may_be_null,
    members,
    present,
    read,
)


def expect(scope: Scope, node: tree.Expr, wanted: Type, slot: Slot, path: str = "") -> Type:
    """The type of `node`; where it does not fit `wanted`, the slot's message at the smallest part to blame."""
    match node:
        case tree.RecordLiteral():
            target = _only(wanted, Record, MapType)
            if isinstance(target, Record) and target.fields:
                return _record(scope, node, target, slot, path)
            if isinstance(target, MapType):
                return _map(scope, node, target, slot, path)
        case tree.ListLiteral() | tree.ListComprehension():
            target = _only(wanted, ListType)
            if isinstance(target, ListType):
                return _list(scope, node, target, slot, path)
        case tree.If():
            return _if(scope, node, wanted, slot, path)
        case tree.Binary(op="??"):
            return _else(scope, node, wanted, slot, path)
        case tree.Text() | tree.Integer() | tree.Number() | tree.Constant() | tree.Unary(op="-"):
            value = constant(node)
            if value is not None:
                return _constant(scope, node, value, wanted, slot, path)
        case tree.Ref():
            value, found = _constant_let(scope, node), scope.infer(node)
            # One in a guarded section may be null outside.
            if value is not None and not may_be_null(found) and fits(value, wanted) is None:
                return found
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
    if not blamed(scope, node, found):
        say(scope, node, misfit, found, wanted, slot, path)
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


def _constant_let(scope: Scope, node: tree.Ref) -> LiteralType | None:
    """The number or truth value that a `let` of the chain or the file stands for, where its type is not written."""
    symbol = scope.chain.names.symbols.get(node.name) if scope.chain is not None else None
    let = symbol.node if symbol is not None else scope.file.names.lets.get(node.name)
    if node.name in scope.variables or not isinstance(let, tree.Let) or let.type is not None:
        return None
    return constant(let.value)


def _only(wanted: Type, *kinds: type) -> Type | None:
    """The one member of a union that a literal can be meant for."""
    found = [m for m in members(wanted) if isinstance(m, kinds)]
    return found[0] if len(found) == 1 else None


def _record(scope: Scope, node: tree.RecordLiteral, target: Record, slot: Slot, path: str) -> Type:
    if not all(isinstance(f, tree.Field) for f in node.fields):
        return _spread_record(scope, node, target, slot, path)
    given = {f.name.text: f for f in node.fields if isinstance(f, tree.Field)}
    wrong = False
    for f in given.values():
        wanted = target.field(f.name.text)
        if wanted is None:
            wrong = True
            _extra(scope, f.name, target, given, path)
            scope.infer(f.value)
            continue
        type = wanted.type if wanted.required else read(wanted)
        expect(scope, f.value, type, slot, joined_path(path, wanted.name))
    missing = [t for t in target.fields if t.required and t.name not in given and not may_be_null(t.type)]
    if missing and not wrong:
        first = missing[0]
        say(scope, node, Misfit(first.name, "missing", None, first.type), target, target, slot, path)
    return scope.infer(node)


def _spread_record(scope: Scope, node: tree.RecordLiteral, target: Record, slot: Slot, path: str) -> Type:
    """`{ ...r, a: 1 }`: what is written there is held against its own field, the rest as a whole."""
    alone: dict[str, Type] = {}
    later: set[str] = set()  # what comes later wins
    for f in reversed(node.fields):
        if isinstance(f, tree.Field) and f.name.text not in later:
            wanted = target.field(f.name.text)
            if wanted is not None:
                alone[wanted.name] = wanted.type if wanted.required else read(wanted)
                expect(scope, f.value, alone[wanted.name], slot, joined_path(path, wanted.name))
        elif isinstance(f, tree.Spread):
            over = present(scope.infer(f.value))
            later.update(each.name for each in (over.fields if isinstance(over, Record) else ()))
    found = scope.infer(node)
    rest = found
    if isinstance(found, Record):
        rest = replace(found, fields=tuple(replace(f, type=alone.get(f.name, f.type)) for f in found.fields))
    check_fit(scope, node, rest, target, slot, path)
    return found


def _extra(scope: Scope, at: tree.Name, target: Record, given: dict[str, tree.Field], path: str) -> None:
    """A field of a literal, at `path` in the value of the slot, that nobody can read."""
    free = [t.name for t in target.fields if t.name not in given]
    scope.report(
        "E0401",
        at,
        f"There is no field `{joined_path(path, at.text)}` here.",
        helps=mended(at.text, free, "Not given yet"),
        notes=f"Wanted is {show(target)}.",
        also=wanted_label(scope, at, joined_path(path, near(at.text, free) or "")),
    )


def _map(scope: Scope, node: tree.RecordLiteral, target: MapType, slot: Slot, path: str) -> Type:
    for f in node.fields:
        if isinstance(f, tree.Field):
            expect(scope, f.value, target.value, slot, joined_path(path, f.name.text))
        elif isinstance(f, tree.ComputedField):
            expect(scope, f.value, target.value, slot, f"{path}[*]")
        else:
            check_fit(scope, f, scope.infer(f.value), target, slot, path)
    return scope.infer(node)


def _list(
    scope: Scope, node: tree.ListLiteral | tree.ListComprehension, target: ListType, slot: Slot, path: str
) -> Type:
    if isinstance(node, tree.ListComprehension):
        found = scope.infer(node)
        # Its parts are typed now, in the scope that sees the loop variable; what follows only compares.
        expect(scope, node.value, target.item, slot, f"{path}[]")
        return found
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
    return scope.file.types.setdefault(id(node), found)


def _else(scope: Scope, node: tree.Binary, wanted: Type, slot: Slot, path: str) -> Type:
    """`a ?? b`: what is there of `a` must fit, and `b`."""
    from compiler.check.operators import left_of_else

    left = left_of_else(scope, node)
    fine = is_null(left) or check_fit(scope, node.left, present(left), wanted, slot, path)
    right = expect(scope, node.right, wanted, slot, path) if fine else scope.infer(node.right)
    found = right if is_null(left) else joined(present(left), right)
    return scope.file.types.setdefault(id(node), found)


def _constant(scope: Scope, node: tree.Expr, value: LiteralType, wanted: Type, slot: Slot, path: str) -> Type:
    found = scope.infer(node)
    if isinstance(found, ErrorType):
        return found
    fitting = [m for m in members(wanted) if fits(value, m) is None]
    if not fitting:
        # Null among the choices helps nobody here.
        rest = present(wanted) if may_be_null(wanted) else wanted
        say(scope, node, fits(value, rest) or Misfit("", "type", value, rest), value, wanted, slot, path)
    elif not any(_breach(value.value, m) is None for m in fitting):
        _refined(scope, node, value.value, fitting[0], slot, path)
    return found


def _breach(value: object, wanted: Type) -> str | None:
    return breach(value, wanted.constraints) if isinstance(wanted, Scalar | ListType) else None


def _refined(scope: Scope, node: tree.Node, value: object, wanted: Type, slot: Slot, path: str) -> None:
    said = _breach(value, wanted)
    if said:
        where = f"`{joined_path(slot.root, path)}`: " if path else ""
        scope.report(slot.code, node, f"{slot.part}: {where}{said}.", also=slot.also)
