"""JSON documents: pointers (RFC 6901), patches (RFC 6902), merge patches (RFC 7396), differences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from ..values.subtype import same_value
from . import ToolFault

_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,9}")
_BAD_ESCAPE: Final = re.compile(r"~(?![01])")
MOST_OPERATIONS: Final = 20_000
MOST_COPIED: Final = 5_000_000
"""Values, and sixteens of characters, that the copies of one patch have together: each may double the whole."""


def get(value: Any, pointer: str) -> dict[str, Any]:
    """`found` tells a null that is there from nothing."""
    for key in _keys(pointer):
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and _INDEX.fullmatch(key) and int(key) < len(value):
            value = value[int(key)]
        else:
            return {"found": False, "value": None}
    return {"found": True, "value": value}


def patch(value: Any, operations: list[dict[str, Any]]) -> Any:
    """All or nothing: the first operation that cannot be done is told, and nothing is given."""
    if len(operations) > MOST_OPERATIONS:
        raise ToolFault(f"there are more than {MOST_OPERATIONS} operations")
    left = MOST_COPIED
    for number, each in enumerate(operations, start=1):
        try:
            if each["op"] == "copy" and each.get("from") is not None:
                left -= _weight(get(value, each["from"])["value"], left)
            value = _applied(value, each)
        except ToolFault as problem:
            raise ToolFault(f"operation {number} ({each['op']} `{each['path']}`): {problem}") from None
    return value


def merge(value: Any, changes: Any) -> Any:
    """Fields of `changes` replace those of `value`, null removes; what is no object is replaced as a whole."""
    if not isinstance(changes, dict):
        return changes
    made = dict(value) if isinstance(value, dict) else {}
    for key, change in changes.items():
        if change is None:
            made.pop(key, None)
        else:
            made[key] = merge(made.get(key), change)
    return made


def diff(before: Any, after: Any) -> list[dict[str, Any]]:
    """Operations of a patch that make `after` from `before`. Items of lists are compared place by place."""
    found: list[dict[str, Any]] = []
    for each in _differences(before, after, ""):
        found.append(each)
        if len(found) > MOST_OPERATIONS:
            raise ToolFault(f"there are more than {MOST_OPERATIONS} differences")
    return found


def _weight(value: Any, most: int) -> int:
    """How much a copy is. Raises ToolFault where it is more than `most`."""
    found, stack = 0, [value]
    while stack:
        each = stack.pop()
        found += 1 + (len(each) // 16 if isinstance(each, str) else 0)
        if found + len(stack) > most:
            raise ToolFault("the copies would be too large")
        if isinstance(each, dict | list):
            stack.extend(each.values() if isinstance(each, dict) else each)
    return found


def _keys(pointer: str) -> list[str]:
    if pointer and not pointer.startswith("/"):
        raise ToolFault(f'the pointer "{pointer[:80]}" does not begin with `/`')
    if _BAD_ESCAPE.search(pointer):
        raise ToolFault(f'the pointer "{pointer[:80]}" has a `~` that is neither `~0` nor `~1`')
    return [each.replace("~1", "/").replace("~0", "~") for each in pointer.split("/")[1:]]


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _differences(before: Any, after: Any, path: str) -> Iterator[dict[str, Any]]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before:
            if key not in after:
                yield {"op": "remove", "path": f"{path}/{_escaped(key)}", "value": None}
        for key, value in after.items():
            if key in before:
                yield from _differences(before[key], value, f"{path}/{_escaped(key)}")
            else:
                yield {"op": "add", "path": f"{path}/{_escaped(key)}", "value": value}
    elif isinstance(before, list) and isinstance(after, list):
        for place, (old, new) in enumerate(zip(before, after, strict=False)):
            yield from _differences(old, new, f"{path}/{place}")
        for place in range(len(before) - 1, len(after) - 1, -1):  # from the end, so that places stay right
            yield {"op": "remove", "path": f"{path}/{place}", "value": None}
        for value in after[len(before) :]:
            yield {"op": "add", "path": f"{path}/-", "value": value}
    elif not _equal(before, after):
        yield {"op": "replace", "path": path, "value": after}


def _equal(a: Any, b: Any) -> bool:
    """Whether two values are one as JSON: true is not 1, and 1 is 1.0."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_equal(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_equal, a, b))
    return type(a) not in (dict, list) and type(b) not in (dict, list) and same_value(a, b)


def _applied(value: Any, operation: dict[str, Any]) -> Any:
    op, path = operation["op"], operation["path"]
    keys = _keys(path)
    if op in ("move", "copy"):
        source = operation.get("from")
        if source is None:
            raise ToolFault("it needs `from`")
        taken = get(value, source)
        if not taken["found"]:
            raise ToolFault(f"there is nothing at `{source}`")
        if op == "move":
            if f"{path}/".startswith(f"{source}/") and path != source:
                raise ToolFault("a value cannot be moved into itself")
            value = _changed(value, _keys(source), "remove", None)
        return _changed(value, keys, "add", taken["value"])
    given = operation.get("value")
    if op == "test":
        there = get(value, path)
        if not there["found"] or not _equal(there["value"], given):
            raise ToolFault("another value is there")
        return value
    return _changed(value, keys, op, given)


def _changed(value: Any, keys: list[str], op: str, new: Any) -> Any:
    """The value with one place added, replaced or removed; what does not change is shared, nothing is written into."""
    if not keys:
        return None if op == "remove" else new
    key, rest = keys[0], keys[1:]
    if isinstance(value, dict):
        if rest or op != "add":
            _there(key in value, key)
        made = dict(value)
        if rest:
            made[key] = _changed(value[key], rest, op, new)
        elif op == "remove":
            del made[key]
        else:
            made[key] = new
        return made
    if isinstance(value, list):
        last = len(value) if op == "add" and not rest else len(value) - 1
        place = len(value) if key == "-" and op == "add" and not rest else _place(key)
        _there(place <= last, key)
        items = list(value)
        if rest:
            items[place] = _changed(value[place], rest, op, new)
        elif op == "remove":
            del items[place]
        elif op == "add":
            items.insert(place, new)
        else:
            items[place] = new
        return items
    raise ToolFault(f"`{key}` leads into what is neither object nor list")


def _place(key: str) -> int:
    if not _INDEX.fullmatch(key):
        raise ToolFault(f"`{key[:80]}` is no place in a list")
    return int(key)


def _there(found: bool, key: str) -> None:
    if not found:
        raise ToolFault(f"there is no `{key[:80]}`")


TOOLS: Final[dict[str, Any]] = {"get": get, "patch": patch, "merge": merge, "diff": diff}
