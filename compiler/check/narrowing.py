"""What a condition tells: the paths that are not null where it is true, and where it is false."""

from __future__ import annotations

from compiler.check.scope import NO_FACTS, Facts, Path, Scope, ruled_out
from dsl import tree
from stdlib.values.subtype import fits
from stdlib.values.types import BOOLEAN, ErrorType, ListType, Never, Scalar, Type, may_be_null, present

Told = tuple[Facts, Facts]
_NOTHING: Told = (NO_FACTS, NO_FACTS)


def path_of(node: tree.Expr) -> Path | None:
    """`a.b?.c` as a path; None for anything but names and fields."""
    fields: list[str] = []
    while isinstance(node, tree.Member):
        fields.append(node.name.text)
        node = node.base
    if not isinstance(node, tree.Ref):
        return None
    return (node.name, *reversed(fields))


def when_true(scope: Scope, condition: tree.Expr) -> Facts:
    """What is known where a checked condition holds."""
    return told(scope, condition)[0]


def told(scope: Scope, node: tree.Expr) -> Told:
    """(known where it is true, known where it is false) of a condition that was already typed in `scope`."""
    if isinstance(node, tree.Unary) and node.op == "not":
        true, false = told(scope, node.operand)
        return false, true
    if isinstance(node, tree.Function):
        return _predicate(scope, node)
    if not isinstance(node, tree.Binary):
        # A value in place of a condition (reported) is meant as the test whether it is there.
        found = scope.file.types.get(id(node))
        return (_present(node), NO_FACTS) if found is not None and _is_no_condition(found) else _NOTHING
    match node.op:
        case "and":
            (a_true, a_false), (b_true, b_false) = told(scope, node.left), told(scope, node.right)
            return a_true | b_true, a_false & b_false
        case "or":
            (a_true, a_false), (b_true, b_false) = told(scope, node.left), told(scope, node.right)
            return a_true & b_true, a_false | b_false
        case "!=" | "==":
            same, other = _equality(scope, node.left, node.right)
            return (same, other) if node.op == "==" else (other, same)
        case "in":
            return _contained(scope, node), NO_FACTS
        case _:
            return _NOTHING


def _is_no_condition(found: Type) -> bool:
    return may_be_null(found) and fits(present(found), BOOLEAN) is not None


def _equality(scope: Scope, left: tree.Expr, right: tree.Expr) -> Told:
    """(known where both are equal, known where they differ)."""
    for one, other in ((left, right), (right, left)):
        if isinstance(other, tree.Constant) and other.value is None:
            return NO_FACTS, _present(one)
    found: Facts = NO_FACTS
    for one, other in ((left, right), (right, left)):
        type = scope.file.types.get(id(other))
        if type is not None and not may_be_null(type) and not _unknown(type):
            found |= _present(one)
    return found, NO_FACTS


def _contained(scope: Scope, node: tree.Binary) -> Facts:
    container = scope.file.types.get(id(node.right))
    items = present(container) if container is not None else None
    if isinstance(items, ListType) and not may_be_null(items.item) and not _unknown(items.item):
        return _present(node.left)
    return NO_FACTS


def _unknown(type: object) -> bool:
    """json may hold null, too."""
    return isinstance(type, ErrorType | Never) or (isinstance(type, Scalar) and type.name == "json")


def _predicate(scope: Scope, node: tree.Function) -> Told:
    """`succeeded(S)`: the step has a value, where its value cannot be null in itself. `skipped(S)` and `failed(S)` rule
    that outcome out where they are false."""
    if len(node.arguments) != 1 or scope.chain is None:
        return _NOTHING
    step = node.arguments[0].value
    if not isinstance(step, tree.Ref):
        return _NOTHING
    match node.name.text:
        case "succeeded":
            value = scope.chain.values.get(step.name)
            known = value is not None and not may_be_null(value)
            return (frozenset({(step.name,)}) if known else NO_FACTS), NO_FACTS
        case "skipped" | "failed" as outcome:
            return NO_FACTS, frozenset({ruled_out(step.name, outcome)})
        case _:
            return _NOTHING


def _present(node: tree.Expr) -> Facts:
    """`node` is not null: neither are the bases that it was reached through with `?.`."""
    found: set[Path] = set()
    path = path_of(node)
    while path is not None:
        found.add(path)
        if not (isinstance(node, tree.Member) and len(path) > 1):
            break
        node, path = node.base, path[:-1]
    return frozenset(found)
