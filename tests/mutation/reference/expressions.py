"""Expressions, straight from the tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from dsl import tree
from stdlib.values.numbers import NumberError, number_text
from stdlib.values.time import duration_text
from tests.mutation.reference import functions, operators
from tests.mutation.reference.faults import DesignFault, ShapeFault
from tests.mutation.reference.scope import Cell, Frame, Outcome
from tests.mutation.reference.shapes import Misfit, view
from tests.mutation.reference.types import schema_of
from tests.mutation.reference.values import Opaque, Record, Text, is_number, kind, plain


def evaluate(node: tree.Expr, frame: Frame) -> Any:
    """The value of an expression; raises ShapeFault, DesignFault, TooLong."""
    frame.run.count()
    return _EVALUATORS[type(node)](node, frame)


def condition(node: tree.Expr, frame: Frame) -> bool:
    return truth(node, evaluate(node, frame))


def truth(node: tree.Expr, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise ShapeFault(node, f"a condition is {kind(value)}")


def items_of(node: tree.Expr, frame: Frame) -> list[Any]:
    found = evaluate(node, frame)
    if isinstance(found, list):
        return found
    raise ShapeFault(node, f"`for` goes through {kind(found)}")


def text(node: tree.Text, frame: Frame) -> Text:
    if node.plain is not None:
        return Text(node.plain, literal=True)
    return Text("".join(part if isinstance(part, str) else _shown(part, frame) for part in node.parts))


def _shown(node: tree.Expr, frame: Frame) -> str:
    value = evaluate(node, frame)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if is_number(value):
        try:
            return number_text(value)
        except NumberError as error:
            raise DesignFault(node, str(error)) from None
    raise ShapeFault(node, f"{kind(value)} inside a text")


def _ref(node: tree.Ref, frame: Frame) -> Any:
    return frame.value(node.name, node)


def _member(node: tree.Member, frame: Frame) -> Any:
    name = node.name.text
    if isinstance(node.base, tree.Ref) and (found := _imported(node.base.name, name, frame)) is not None:
        return found[0]
    base = evaluate(node.base, frame)
    if base is None:
        if node.optional:
            return None
        raise ShapeFault(node, f"`{name}` is read of null")
    if not isinstance(base, dict):
        raise ShapeFault(node.name, f"`{name}` is read of {kind(base)}")
    return field(base, name, node.name, frame)


def _imported(base: str, name: str, frame: Frame) -> tuple[Any] | None:
    """A let of another file, wrapped; None where the base is no import."""
    if frame.cell(base) is not None or (other := frame.module.other(base)) is None or name not in other.lets:
        return None
    outer = Frame(frame.run, other)
    return (evaluate(other.lets[name].value, file_frame(outer)),)


def file_frame(frame: Frame) -> Frame:
    """The frame of a file with its lets, and what every run knows of itself."""
    frame.variables = {"run": frame.run.ambient}
    for name, let in frame.module.lets.items():
        frame.cells[name] = Cell(let_outcome, let, frame)
    return frame


def let_outcome(let: tree.Let, frame: Frame) -> tuple[Any, Outcome]:
    return let_value(let, frame), "succeeded"


def let_value(let: tree.Let, frame: Frame) -> Any:
    value = evaluate(let.value, frame)
    return value if let.type is None else fit(value, let.type, frame, let.value)


def fit(value: Any, wanted: tree.Type, frame: Frame, node: tree.Node) -> Any:
    """The value as the type declares it; a fault of shape where it does not fit."""
    try:
        return view(value, schema_of(wanted, frame.module))
    except Misfit as misfit:
        raise ShapeFault(_part(node, misfit.path), str(misfit)) from None


def _part(node: tree.Node, path: str) -> tree.Node:
    """The part of a literal that a path leads to."""
    name, _, rest = path.partition(".")
    if isinstance(node, tree.RecordLiteral):
        for each in node.fields:
            if isinstance(each, tree.Field) and each.name.text == name.removesuffix("[]"):
                return _part(each.value, rest)
    return node


def field(base: dict[str, Any], name: str, at: tree.Node, frame: Frame) -> Any:
    if isinstance(base, Record) and base.fields is not None:
        message = f"there is no field `{name}` (but {', '.join(sorted(base.fields))})"
        if base.made:
            # Records of literals that stand for one another make one type, in which some fields may be absent.
            frame.run.observed.read(at, name in base.fields, message)
        elif name not in base.fields:
            raise ShapeFault(at, message)
    return base.get(name)


def _index(node: tree.Index, frame: Frame) -> Any:
    base = evaluate(node.base, frame)
    if base is None:
        if node.optional:
            return None
        raise ShapeFault(node, "an item is read of null")
    at = evaluate(node.index, frame)
    if isinstance(base, list):
        if at is None:
            return None
        if not is_number(at) or at != int(at):
            raise ShapeFault(node.index, f"{kind(at)} as position")
        return base[int(at)] if -len(base) <= at < len(base) else None
    if isinstance(base, dict):
        if at is None:
            return None
        if not isinstance(at, str):
            raise ShapeFault(node.index, f"{kind(at)} as key")
        if isinstance(at, Text) and at.literal and not (isinstance(base, Record) and base.made):
            return field(base, at, node.index, frame)
        return base.get(at)
    raise ShapeFault(node, f"an item is read of {kind(base)}")


def _present(node: tree.Present, frame: Frame) -> Any:
    value = evaluate(node.base, frame)
    if value is None:
        raise DesignFault(node, "`!` finds null")
    return value


def _cast(node: tree.Cast, frame: Frame) -> Any:
    value = evaluate(node.value, frame)
    schema = schema_of(node.type, frame.module)
    try:
        return view(plain(value) if isinstance(value, Opaque) else value, schema)
    except Misfit as misfit:
        raise DesignFault(node, str(misfit)) from None


def _if(node: tree.If, frame: Frame) -> Any:
    return evaluate(node.then if condition(node.condition, frame) else node.otherwise, frame)


def _list(node: tree.ListLiteral, frame: Frame) -> list[Any]:
    made: list[Any] = []
    for item in node.items:
        if isinstance(item, tree.Spread):
            value = evaluate(item.value, frame)
            if not isinstance(value, list):
                raise ShapeFault(item, f"{kind(value)} is spread in a list")
            made.extend(value)
        else:
            made.append(evaluate(item, frame))
    return made


def _record(node: tree.RecordLiteral, frame: Frame) -> Record:
    made: dict[str, Any] = {}
    names: set[str] | None = set()
    for each in node.fields:
        match each:
            case tree.Field(name=name):
                made[name.text] = evaluate(each.value, frame)
                names = None if names is None else names | {name.text}
            case tree.ComputedField():
                made[map_key(each.key, frame)] = evaluate(each.value, frame)
                names = None
            case tree.Spread():
                value = evaluate(each.value, frame)
                if value is not None and not isinstance(value, dict):
                    raise ShapeFault(each, f"{kind(value)} is spread in a record")
                made.update(value or {})
                # An empty literal, or null, adds nothing; a map may add anything.
                spread = value.fields if isinstance(value, Record) and (value or not value.made) else frozenset()
                possible = possible_fields(each.value)
                names = None if names is None or spread is None else names | spread | possible
    # `{}` may become part of a map: nothing can be said about its fields.
    return Record(made, frozenset(names) if names and node.fields else None, made=True)


def possible_fields(node: tree.Expr) -> frozenset[str]:
    """Fields that a record has or could have had: those of both branches of an `if`."""
    match node:
        case tree.If(then=then, otherwise=otherwise):
            return possible_fields(then) | possible_fields(otherwise)
        case tree.RecordLiteral(fields=fields):
            return frozenset(each.name.text for each in fields if isinstance(each, tree.Field))
    return frozenset()


def map_key(node: tree.Expr, frame: Frame) -> str:
    key = evaluate(node, frame)
    if isinstance(key, str):
        return str(key)
    raise ShapeFault(node, f"{kind(key)} as key")


def each_item(node: tree.ListComprehension | tree.MapComprehension, frame: Frame) -> Iterator[Frame]:
    for item in items_of(node.items, frame):
        inner = frame.inside(**{node.variable.text: item})
        if node.condition is None or condition(node.condition, inner):
            yield inner


def _list_comprehension(node: tree.ListComprehension, frame: Frame) -> list[Any]:
    return [evaluate(node.value, inner) for inner in each_item(node, frame)]


def _map_comprehension(node: tree.MapComprehension, frame: Frame) -> Record:
    made = {map_key(node.key, inner): evaluate(node.value, inner) for inner in each_item(node, frame)}
    return Record(made, None)


def _nonsense(node: tree.Node, frame: Frame) -> Any:
    raise ShapeFault(node, "this is no expression")


_EVALUATORS: Final[dict[type, Callable[[Any, Frame], Any]]] = {
    tree.Text: text,
    tree.Integer: lambda node, frame: node.value,
    tree.Number: lambda node, frame: node.value,
    tree.Size: lambda node, frame: node.value,
    tree.Constant: lambda node, frame: node.value,
    tree.Duration: lambda node, frame: Text(duration_text(node.value), form="duration"),
    tree.Ref: _ref,
    tree.Member: _member,
    tree.Index: _index,
    tree.Present: _present,
    tree.Unary: operators.unary,
    tree.Binary: operators.binary,
    tree.Cast: _cast,
    tree.If: _if,
    tree.Function: functions.call,
    tree.ForeignCall: _nonsense,
    tree.ListLiteral: _list,
    tree.RecordLiteral: _record,
    tree.ListComprehension: _list_comprehension,
    tree.MapComprehension: _map_comprehension,
    tree.BadExpr: _nonsense,
}
