"""A quick yes for values that fit their schema, so that only those that do not pay for an explanation.

Compiles the keywords that nearly all schemas are made of into closures. A schema with any other keyword has no quick
check; then the library decides alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ..plan.model import JsonSchema
from ..values.ecma import as_python
from ..values.formats import valid_format
from ..values.pattern import BadPattern, compiled
from ..values.types import FORMATS
from .matching import fits

Accepts = Callable[[Any], bool]

_NOTES: Final = frozenset(
    {
        "$comment",
        "$defs",
        "$schema",
        "default",
        "definitions",
        "deprecated",
        "description",
        "examples",
        "readOnly",
        "title",
        "writeOnly",
    }
)
_FORMAT_TYPES: Final = {format_name: name for name, format_name in FORMATS.items()}


class _Unknown(Exception):
    """The schema uses something that is not compiled here."""


def quick_check(schema: JsonSchema) -> Accepts | None:
    """True of a value: it fits. False: ask the library. None: there is no quick check for this schema."""
    try:
        return _compiled(schema)
    except (_Unknown, BadPattern, RecursionError, TypeError, AttributeError):
        # The last two: keywords with values that they cannot have.
        return None


def _compiled(schema: Any) -> Accepts:
    if schema is True:
        return lambda value: True
    if schema is False:
        return lambda value: False
    if not isinstance(schema, dict):
        raise _Unknown
    checks: list[Accepts] = []
    for keyword, wanted in schema.items():
        if keyword in _NOTES or keyword.startswith("x-"):
            continue
        make = _KEYWORDS.get(keyword)
        if make is None:
            raise _Unknown
        checks.append(make(wanted, schema))
    if len(checks) == 1:
        return checks[0]
    return lambda value: all(check(value) for check in checks)


def _type(wanted: Any, _: JsonSchema) -> Accepts:
    if isinstance(wanted, list):
        kinds = tuple(_TYPES[each] for each in wanted if each in _TYPES)
        if len(kinds) != len(wanted):
            raise _Unknown
        return lambda value: any(kind(value) for kind in kinds)
    if wanted not in _TYPES:
        raise _Unknown
    return _TYPES[wanted]


def _is_integer(value: Any) -> bool:
    return (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, float) and value.is_integer())


_TYPES: Final[dict[str, Accepts]] = {
    "string": lambda value: isinstance(value, str),
    "integer": _is_integer,
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def _properties(wanted: Any, schema: JsonSchema) -> Accepts:
    fields = {name: _compiled(each) for name, each in wanted.items()}

    def check(value: Any) -> bool:
        return not isinstance(value, dict) or all(fields[name](each) for name, each in value.items() if name in fields)

    return check


def _required(wanted: Any, _: JsonSchema) -> Accepts:
    if not isinstance(wanted, list):
        raise _Unknown
    names = tuple(wanted)
    return lambda value: not isinstance(value, dict) or all(name in value for name in names)


def _additional(wanted: Any, schema: JsonSchema) -> Accepts:
    known = frozenset(schema.get("properties", {}))
    rest = _compiled(wanted)
    return lambda value: (
        not isinstance(value, dict) or all(rest(each) for name, each in value.items() if name not in known)
    )


def _items(wanted: Any, _: JsonSchema) -> Accepts:
    item = _compiled(wanted)  # a list here is the tuple of earlier drafts: not compiled
    return lambda value: not isinstance(value, list) or all(item(each) for each in value)


def _any_of(wanted: Any, _: JsonSchema) -> Accepts:
    branches = tuple(_compiled(each) for each in wanted)
    return lambda value: any(branch(value) for branch in branches)


def _enum(wanted: Any, _: JsonSchema) -> Accepts:
    if not all(isinstance(each, str) or each is None for each in wanted):
        raise _Unknown  # 1, 1.0 and true: equality has its own rules
    return lambda value: (isinstance(value, str) or value is None) and value in wanted


def _format(wanted: Any, _: JsonSchema) -> Accepts:
    name = _FORMAT_TYPES.get(wanted)
    if name is None:
        return lambda value: True
    return lambda value: not isinstance(value, str) or valid_format(name, value)


def _pattern(wanted: Any, _: JsonSchema) -> Accepts:
    compiled(as_python(wanted))  # what is no pattern has no quick check
    return lambda value: not isinstance(value, str) or fits(wanted, value)


def _bound(fits: Callable[[Any, Any], bool]) -> Callable[[Any, JsonSchema], Accepts]:
    def make(wanted: Any, _: JsonSchema) -> Accepts:
        if isinstance(wanted, bool) or not isinstance(wanted, int | float):
            raise _Unknown
        return lambda value: isinstance(value, bool) or not isinstance(value, int | float) or fits(value, wanted)

    return make


def _length(
    kind: type[str] | type[list[Any]], fits: Callable[[int, int], bool]
) -> Callable[[Any, JsonSchema], Accepts]:
    def make(wanted: Any, _: JsonSchema) -> Accepts:
        if isinstance(wanted, bool) or not isinstance(wanted, int):
            raise _Unknown
        return lambda value: not isinstance(value, kind) or fits(len(value), wanted)

    return make


_KEYWORDS: Final[dict[str, Callable[[Any, JsonSchema], Accepts]]] = {
    "type": _type,
    "properties": _properties,
    "required": _required,
    "additionalProperties": _additional,
    "items": _items,
    "anyOf": _any_of,
    "enum": _enum,
    "const": lambda wanted, schema: _enum([wanted], schema),
    "format": _format,
    "pattern": _pattern,
    "minimum": _bound(lambda value, wanted: value >= wanted),
    "maximum": _bound(lambda value, wanted: value <= wanted),
    "exclusiveMinimum": _bound(lambda value, wanted: value > wanted),
    "exclusiveMaximum": _bound(lambda value, wanted: value < wanted),
    "minLength": _length(str, lambda length, wanted: length >= wanted),
    "maxLength": _length(str, lambda length, wanted: length <= wanted),
    "minItems": _length(list, lambda length, wanted: length >= wanted),
    "maxItems": _length(list, lambda length, wanted: length <= wanted),
}
