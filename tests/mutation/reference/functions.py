"""Calls of functions. The bodies are the table's own; what they are given is checked here, value by value."""

from __future__ import annotations

from typing import Any, Final

from dsl import tree
from stdlib.functions import Entry, FunctionFault, find
from stdlib.functions.signature import Parameter
from stdlib.values.formats import valid_format
from stdlib.values.types import (
    FORMATS,
    ListType,
    LiteralType,
    MapType,
    Scalar,
    Type,
    Union,
    Variable,
    present,
)
from stdlib.values.types import (
    Record as RecordType,
)
from tests.mutation.reference.faults import DesignFault, ShapeFault
from tests.mutation.reference.operators import TIMES
from tests.mutation.reference.scope import Frame
from tests.mutation.reference.values import Opaque, Record, Text, is_number, kind, plain, text_format

OUTCOMES: Final = ("succeeded", "skipped", "failed")
ALLOWED: Final = {
    "order": {"number", "text", "boolean", *TIMES},
    "key": {"number", "text", "boolean", *TIMES},
    "quantity": {"number", "duration"},
    "number": {"number"},
}
"""What functions can compare or add up, by what they demand."""


def call(node: tree.Function, frame: Frame) -> Any:
    name = node.name.text
    if name in OUTCOMES:
        return _outcome(node, frame)
    entry = find(name)
    if entry is None:
        raise ShapeFault(node.name, f"there is no function {name}")
    places = assigned(node, entry)
    from tests.mutation.reference.expressions import evaluate

    values = {parameter: evaluate(argument.value, frame) for parameter, argument in places.items()}
    for parameter in entry.signature.parameters:
        if parameter.name in values:
            _check(parameter, values[parameter.name], places[parameter.name])
    _check_keys(node, entry, values, places)
    return _called(node, entry, values)


def assigned(node: tree.Function, entry: Entry) -> dict[str, tree.Argument]:
    """The arguments by parameter; a fault where one is missing, unknown or given twice."""
    positional = [each for each in entry.signature.parameters if each.positional]
    named = {each.name: each for each in entry.signature.parameters if not each.positional}
    # Bodies may call a named parameter something else than its author does.
    found: dict[str, tree.Argument] = {}
    for argument in node.arguments:
        if argument.spread:
            raise ShapeFault(argument, "functions take no spread")
        if argument.name is None:
            if not positional:
                raise ShapeFault(argument, f"too many arguments for {entry.name}")
            parameter = positional.pop(0)
        elif argument.name.text in named:
            parameter = named.pop(argument.name.text)
        else:
            raise ShapeFault(argument, f"{entry.name} has no parameter {argument.name.text}")
        found[parameter.name] = argument
    for parameter in (*positional, *named.values()):
        if parameter.required:
            raise ShapeFault(node, f"{entry.name} lacks an argument ({parameter.name})")
    return found


def _outcome(node: tree.Function, frame: Frame) -> bool:
    name = step_of(node)
    cell = frame.cell(name)
    if cell is None:
        raise ShapeFault(node, f"{name} is no step")
    cell.force(node)
    return cell.outcome == node.name.text


def step_of(node: tree.Function) -> str:
    """The step that an outcome is asked of."""
    if len(node.arguments) == 1 and isinstance(node.arguments[0].value, tree.Ref) and not node.arguments[0].name:
        return node.arguments[0].value.name
    raise ShapeFault(node, f"{node.name.text} takes the name of a step")


def _check(parameter: Parameter, value: Any, argument: tree.Argument) -> None:
    if value is None and not parameter.required:
        return
    if not accepts(value, parameter.type):
        raise ShapeFault(argument.value, f"{kind(value)} does not fit the parameter {parameter.name}")


def accepts(value: Any, wanted: Type) -> bool:
    """Whether a value is of a type of a signature; variables take everything."""
    match wanted:
        case Variable(name="N"):
            return is_number(value)
        case Variable():
            return True
        case Union(members=members):
            return any(accepts(value, member) for member in members)
        case LiteralType(value=literal):
            return bool(kind(value) == kind(literal) and value == literal)
        case ListType(item=item):
            return isinstance(value, list) and all(accepts(each, item) for each in value)
        case MapType(value=inner):
            return isinstance(value, dict) and all(accepts(each, inner) for each in value.values())
        case Scalar(name=name):
            return _is_scalar(value, name)
    return False


def _is_scalar(value: Any, name: str) -> bool:
    if name in FORMATS:
        literal = isinstance(value, Text) and value.literal and valid_format(name, value)
        return text_format(value) == name or literal
    if name == "integer":
        return is_number(value) and value == int(value)
    return name == "json" or kind(value) == {"string": "text"}.get(name, name)


def _check_keys(node: tree.Function, entry: Entry, values: dict[str, Any], places: dict[str, tree.Argument]) -> None:
    """What a function compares or adds up must be of one kind that allows it."""
    keys = _keys(entry, values, places)
    if entry.demands is None or entry.demands == "equality":
        return
    if entry.demands == "key" and None in keys:
        raise ShapeFault(node, f"{entry.name} has null as key")
    found = {_order_kind(key) for key in keys if key is not None}
    odd = sorted(found - ALLOWED[entry.demands])
    if odd:
        raise ShapeFault(node, f"{entry.name} cannot work with {odd[0]}")
    # A text beside times may be one of them: leave it to others.
    if entry.demands != "key" and len(found - {"text"} if found & set(TIMES) else found) > 1:
        raise ShapeFault(node, f"{entry.name} works with {' and '.join(sorted(found))}")


def _order_kind(key: Any) -> str:
    name = text_format(key)
    return name if name in TIMES else kind(key)


def _keys(entry: Entry, values: dict[str, Any], places: dict[str, tree.Argument]) -> list[Any]:
    by = next((each for each in entry.signature.parameters if each.field_of is not None), None)
    if by is None or values.get(by.name) is None:
        if entry.ordered is None:
            return []
        first = entry.signature.parameters[0]
        given = values.get(first.name)
        others = [values[each.name] for each in entry.signature.parameters[1:] if isinstance(each.type, Variable)]
        return [*given, *others] if isinstance(given, list) else [given, *others]
    name, at = values[by.name], places[by.name].value
    items = next((value for value in values.values() if isinstance(value, list)), [])
    for item in items:
        if item is None:
            continue
        if not isinstance(item, Record):
            raise ShapeFault(at, f"`{name}` is read of {kind(item)}")
        if item.fields is not None and name not in item.fields:
            raise ShapeFault(at, f"there is no field `{name}`")
    return [None if item is None else item.get(name) for item in items]


def _called(node: tree.Function, entry: Entry, values: dict[str, Any]) -> Any:
    keys = _keys_for_order(entry, values)
    given = {
        each.name: plain(values[each.name]) if each.type == Scalar("json") else values[each.name]
        for each in entry.signature.parameters
        if each.name in values
    }
    try:
        result = entry.call(given, keys)
    except FunctionFault as fault:
        raise DesignFault(node, fault.message) from None
    return marked(result, entry.signature.result)


def _keys_for_order(entry: Entry, values: dict[str, Any]) -> str | None:
    """How times among the keys are read."""
    if entry.ordered is None:
        return None
    by = next((each for each in entry.signature.parameters if each.field_of is not None), None)
    name = values.get(by.name) if by else None
    found = values.get(entry.ordered)
    items = found if isinstance(found, list) else [found]
    keys = [item.get(name) if name is not None and isinstance(item, dict) else item for item in items]
    formats = {text_format(key) for key in keys if key is not None}
    only = formats.pop() if len(formats) == 1 else None
    return only if only in TIMES else None


def marked(value: Any, made: Type) -> Any:
    """A result with what the signature declares of it."""
    if value is None:
        return None
    match made:
        case Scalar(name="json"):
            return value if isinstance(value, Opaque) else Opaque(value)
        case Scalar(name="string"):
            return Text(value)
        case Scalar(name=name) if name in FORMATS:
            return Text(value, form=name)
        case ListType(item=item):
            return [marked(each, item) for each in value]
        case MapType(value=inner):
            return Record({key: marked(each, inner) for key, each in value.items()}, None)
        case RecordType(fields=fields):
            return Record({f.name: marked(value[f.name], f.type) for f in fields}, frozenset(f.name for f in fields))
        case Union():
            return marked(value, present(made)) if not isinstance(present(made), Union) else value
        case Variable(name=name) if "." in name and isinstance(value, str) and not isinstance(value, Text):
            return Text(value, form="duration")  # a sum of durations
    return value
