"""Pages of a stored value: never more than fits the inline limit, and always a way to go on."""

from __future__ import annotations

from typing import Any

from .clean import compact
from .fault import fault
from .path import follow, read_path, write_path
from .problem import kind_of

Parts = tuple[str | int, ...]


def page(value: Any, path: str, offset: int, limit: int | None, most_bytes: int) -> dict[str, Any]:
    """What stands at `path` of a value, as a JSON record with at most about `most_bytes` of it.

    A list gives `items` from `offset` on, a text `text`; `next_offset` is where the next page begins, null at the end.
    Another value that fits is `value`. A record that does not fit gives `fields`: name, type and size of each. An item
    that alone does not fit is skipped and named in `too_large`, to be read by its own path.

    Faults: `invalid_input` for a path that does not exist or a negative offset.
    """
    if offset < 0 or (limit is not None and limit < 1):
        raise fault("invalid_input", "`offset` starts at 0, `limit` at 1.")
    parts = read_path(path)
    found = follow(value, parts)
    page_of: dict[str, Any] = {"path": path, "type": kind_of(found)}
    if isinstance(found, list):
        return page_of | _items(found, parts, offset, limit, most_bytes)
    if isinstance(found, str):
        return page_of | _text(found, offset, limit, most_bytes)
    if len(compact(found).encode()) <= most_bytes:
        return page_of | {"value": found}
    return page_of | _fields(found, parts, offset, limit, most_bytes)


def outline(value: Any) -> dict[str, Any]:
    """Type and size of a value, and the fields of a record or of a list's first record."""
    told = _sized(value)
    first = value[0] if isinstance(value, list) and value else value
    if isinstance(first, dict):
        told["fields"] = {name: kind_of(each) for name, each in list(first.items())[:50]}
    return told


def _sized(value: Any) -> dict[str, Any]:
    told: dict[str, Any] = {"type": kind_of(value), "bytes": len(compact(value).encode())}
    if isinstance(value, list | dict | str):
        told["length"] = len(value)
    return told


def _items(found: list[Any], parts: Parts, offset: int, limit: int | None, most_bytes: int) -> dict[str, Any]:
    end = len(found) if limit is None else min(len(found), offset + limit)
    items: list[Any] = []
    too_large: list[dict[str, Any]] = []
    used = 0
    at = offset
    while at < end:
        size = len(compact(found[at]).encode()) + 1
        if size > most_bytes:
            told = {"path": write_path((*parts, at)), **_sized(found[at])}
            size = len(compact(told)) + 1
            if used + size > most_bytes:
                break
            too_large.append(told)
        elif used + size > most_bytes:
            break
        else:
            items.append(found[at])
        used += size
        at += 1
    told = {"total": len(found), "offset": offset, "items": items, "next_offset": at if at < len(found) else None}
    return told | ({"too_large": too_large} if too_large else {})


def _text(found: str, offset: int, limit: int | None, most_bytes: int) -> dict[str, Any]:
    end = len(found) if limit is None else offset + limit
    part = cut(found[offset : min(end, offset + most_bytes)], most_bytes)
    after = offset + len(part)
    return {"total": len(found), "offset": offset, "text": part, "next_offset": after if after < len(found) else None}


def cut(text: str, most_bytes: int) -> str:
    """The beginning of a text that fits as JSON; at least one character."""
    while len(text) > 1 and (size := len(compact(text).encode())) > most_bytes:
        text = text[: max(1, len(text) * most_bytes // size)]
    return text


def _fields(found: dict[str, Any], parts: Parts, offset: int, limit: int | None, most_bytes: int) -> dict[str, Any]:
    names = list(found)[offset : None if limit is None else offset + limit]
    fields: list[dict[str, Any]] = []
    used = 0
    for name in names:
        told = {"path": write_path((*parts, name)), **_sized(found[name])}
        used += len(compact(told).encode()) + 1
        if used > most_bytes and fields:
            break
        fields.append(told)
    after = offset + len(fields)
    told_next = after if after < len(found) else None
    return {"total": len(found), "offset": offset, "fields": fields, "next_offset": told_next}
