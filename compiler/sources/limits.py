"""What changed in the bounds, patterns and defaults of a field whose type is shown the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from compiler.loader.lock_shape import visible
from stdlib.values.show import show
from stdlib.values.types import Constraints, Field, ListType, MapType, Record, Scalar, Type, Union

_MOST: Final = 120
_BOUNDS: Final = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "multipleOf": "multiples of {}",
    "pattern": "what matches {}",
}


def changed_limits(result: str, old: Field, new: Field) -> Iterator[str]:
    """Ends of sentences that begin with the tool. `result`: stands before names, where they are of its result."""
    yield from _field(result, old.name, old, new)


def _field(result: str, path: str, old: Field, new: Field) -> Iterator[str]:
    if old.default != new.default:
        yield _default(f"{result}`{visible(path)}`", old.default, new.default)
    yield from _type(result, path, old.type, new.type)


def _type(result: str, path: str, old: Type, new: Type) -> Iterator[str]:
    match old, new:
        case Scalar(name=one), Scalar(name=other) if one == other:
            yield from _bounds(result, path, old.constraints, new.constraints)
        case ListType(), ListType():
            yield from _bounds(result, path, old.constraints, new.constraints)
            yield from _type(result, f"{path}[]", old.item, new.item)
        case MapType(), MapType():
            yield from _type(result, f"{path}[]", old.value, new.value)
        case Record(), Record():
            yield from _record(result, path, old, new)
        case Union(members=members), Union(members=others) if len(members) == len(others):
            for before, after in zip(members, others, strict=True):
                yield from _type(result, path, before, after)
        case _ if old != new:
            verb, at = ("gives", "as") if result else ("takes", "for")
            yield f"{verb} {show(new, 3)} {at} {result}`{visible(path)}`, not {show(old, 3)}"


def _record(result: str, path: str, old: Record, new: Record) -> Iterator[str]:
    for f in old.fields:
        now, name = new.field(f.name), f"{result}`{visible(f'{path}.{f.name}')}`"
        if now is None:
            yield f"lost {name}"
            continue
        if f.required != now.required:
            yield f"requires {name} now" if now.required else f"does not require {name} any more"
        yield from _field(result, f"{path}.{f.name}", f, now)
    for f in new.fields:
        if old.field(f.name) is None:
            yield f"has the new {result}`{visible(f'{path}.{f.name}')}: {show(f.type, 3)}`"


def _bounds(result: str, path: str, old: Constraints, new: Constraints) -> Iterator[str]:
    before, after, name = dict(old), dict(new), f"{result}`{visible(path)}`"
    for keyword in dict.fromkeys([*after, *before]):
        was, now = _bound(keyword, before), _bound(keyword, after)
        if was == now:
            continue
        if not now:
            yield f"does not limit {name} to {was} any more"
        elif not was:
            yield f"limits {name} to {now} now"
        else:
            yield f"limits {name} to {now}, not {was}"


def _bound(keyword: str, constraints: dict[str, object]) -> str:
    if keyword not in constraints:
        return ""
    value = constraints[keyword]
    shown = f"`{visible(value, _MOST)}`" if isinstance(value, str) else _value(value)
    return _BOUNDS.get(keyword, f"{keyword} {{}}").format(shown)


def _default(name: str, old: tuple[object] | None, new: tuple[object] | None) -> str:
    if new is None:
        return f"has no default for {name} any more" + ("" if old is None else f", which was {_value(old[0])}")
    return f"has the default {_value(new[0])} for {name}" + (" now" if old is None else f", not {_value(old[0])}")


def _value(value: object) -> str:
    return visible(json.dumps(value, ensure_ascii=False), _MOST)
