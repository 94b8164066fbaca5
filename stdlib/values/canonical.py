"""Canonical JSON: one sequence of bytes for one value; and reading JSON strictly.

RFC 8785, extended to integers of any size (they print all their digits; the RFC stops at 2^53). Two values that are
equal as the language compares them have the same text as long as integers beyond 2^53 are not mixed with doubles.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from json.encoder import encode_basestring
from typing import Any, Final

from .numbers import MOST_DIGITS, NumberError, number_text

MOST_DEPTH: Final = 200
"""How deep lists and records may be nested."""

_quote = encode_basestring  # escapes what RFC 8785 escapes, and nothing else


class JsonError(ValueError):
    """The value or the text is no JSON as the language accepts it. The message is a sentence."""


def canonical_text(value: object) -> str:
    """RFC 8785 text of a JSON value; tuples count as lists, lone surrogates are written as U+FFFD.

    Raises JsonError for NaN, infinities, keys that are no text, other Python objects and nesting beyond MOST_DEPTH.
    """
    parts: list[str] = []
    _write(value, parts.append, MOST_DEPTH)
    text = "".join(parts)
    return text if text.isascii() else clean_text(text)


def canonical(value: object) -> bytes:
    """`canonical_text` in UTF-8."""
    return canonical_text(value).encode()


def write_canonical(value: object, take: Callable[[bytes], None]) -> None:
    """`canonical` in pieces: the text of a large value is never held as a whole. Raises as `canonical_text` does; what
    was taken before is the beginning of nothing then."""
    parts: list[str] = []
    held = 0

    def emit(part: str) -> None:
        nonlocal held
        parts.append(part)
        held += len(part) + _ROUGHLY
        if held >= _PIECE:
            flush()

    def flush() -> None:
        nonlocal held
        text = "".join(parts)
        parts.clear()
        held = 0
        take((text if text.isascii() else clean_text(text)).encode())

    _write(value, emit, MOST_DEPTH)
    flush()


_PIECE: Final = 1 << 16
_ROUGHLY: Final = 40
"""Bytes that a short part takes beside its characters."""


def _long(value: str) -> Iterator[str]:
    """A long text in parts; what may be half of a surrogate pair does not end one."""
    start = 0
    while start < len(value):
        end = start + _PIECE
        while end < len(value) and "\ud800" <= value[end - 1] <= "\udbff":
            end += 1
        yield value[start:end]
        start = end


def _write(value: object, emit: Callable[[str], None], depth: int) -> None:
    if isinstance(value, str) and len(value) > _PIECE:
        emit('"')
        for part in _long(value):
            emit(_quote(part)[1:-1])
        emit('"')
    elif isinstance(value, str):
        emit(_quote(value))
    elif value is None:
        emit("null")
    elif isinstance(value, bool):
        emit("true" if value else "false")
    elif isinstance(value, int | float):
        try:
            emit(number_text(value))
        except NumberError as error:
            raise JsonError(f"{error}".replace("The result", "A number")) from None
    elif not isinstance(value, dict | list | tuple):
        raise JsonError(f"JSON has no value like a Python {type(value).__name__}.")
    elif depth == 0:
        raise JsonError(f"The value is nested more than {MOST_DEPTH} levels deep.")
    elif isinstance(value, dict):
        separator = "{"
        for key in sorted(_keys(value), key=_utf16):
            emit(f"{separator}{_quote(key)}:")
            _write(value[key], emit, depth - 1)
            separator = ","
        emit("}" if value else "{}")
    else:
        separator = "["
        for item in value:
            emit(separator)
            _write(item, emit, depth - 1)
            separator = ","
        emit("]" if value else "[]")


def _keys(value: dict[Any, Any]) -> list[str]:
    for key in value:
        if not isinstance(key, str):
            raise JsonError("A key of a record is no text.")
    return list(value)


def _utf16(key: str) -> bytes:
    return key.encode("utf-16-be", "surrogatepass")


def clean(value: Any) -> Any:
    """The value with every text and key as Unicode scalar values: surrogate pairs joined, lone ones U+FFFD.

    Shares what needs no change. Of keys that become equal the last one stays.
    """
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        items = [(clean(key), clean(item)) for key, item in value.items()]
        unchanged = all(key is k and item is i for (key, item), (k, i) in zip(items, value.items(), strict=True))
        return value if unchanged else dict(items)
    if isinstance(value, list):
        cleaned = [clean(item) for item in value]
        return value if all(a is b for a, b in zip(cleaned, value, strict=True)) else cleaned
    return value


def clean_text(text: str) -> str:
    """The text as Unicode scalar values: surrogate pairs joined, lone surrogates U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        # A decoder may replace each byte of a bad unit; going through UTF-16 gives one U+FFFD a surrogate.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def read_json(source: bytes | str) -> Any:
    """Reads one JSON text (RFC 8259, UTF-8), strictly.

    Integers are exact; texts are clean. Raises JsonError for anything that is no JSON, duplicate keys, NaN, numbers
    that no double can hold, integers of more than MOST_DIGITS digits and nesting beyond MOST_DEPTH.
    """
    try:
        text = source.decode("utf-8") if isinstance(source, bytes) else source
    except UnicodeDecodeError as error:
        raise JsonError(f"This is no UTF-8: byte {error.start} starts no character.") from None
    try:
        value = json.loads(
            text,
            object_pairs_hook=_record,
            parse_constant=_no_constant,
            parse_float=_float,
            parse_int=_integer,
        )
    except json.JSONDecodeError as error:
        raise JsonError(
            f"This is no JSON: {_reason(error.msg)} at line {error.lineno}, column {error.colno}."
        ) from None
    except RecursionError:
        raise JsonError(f"The JSON is nested more than {MOST_DEPTH} levels deep.") from None
    if _too_deep(value):
        raise JsonError(f"The JSON is nested more than {MOST_DEPTH} levels deep.")
    return clean(value)


def _too_deep(value: object) -> bool:
    level = [value]
    for _ in range(MOST_DEPTH):
        level = [
            item
            for holder in level
            if isinstance(holder, dict | list)
            for item in (holder.values() if isinstance(holder, dict) else holder)
            if isinstance(item, dict | list)
        ]
        if not level:
            return False
    return True


def _record(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record: dict[str, Any] = {}
    for key, value in pairs:
        key = clean_text(key)
        if key in record:
            raise JsonError(f"This JSON has the key {json.dumps(key[:80], ensure_ascii=False)} twice in one object.")
        record[key] = value
    return record


def _no_constant(name: str) -> Any:
    raise JsonError(f"This is no JSON: {name} is no number.")


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise JsonError(f"The number {text[:40]} is too large.")
    return value


def _integer(text: str) -> int:
    if len(text) - text.startswith("-") > MOST_DIGITS:
        raise JsonError(f"A number has more than {MOST_DIGITS} digits.")
    return int(text)


def _reason(message: str) -> str:
    """The reader's own words, shorter and without capital."""
    return message.partition(":")[0][:1].lower() + message.partition(":")[0][1:]
