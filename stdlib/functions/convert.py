"""From one kind of value to another, always spoken out: nothing is converted by itself."""

from __future__ import annotations

import re
from typing import Any

from ..values import digest as digests
from ..values.canonical import JsonError, canonical_text, read_json
from ..values.numbers import MOST_DIGITS, number_text
from .entry import Family, FunctionFault, bounded_text

CONVERT = Family("Conversions")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


@CONVERT.function(
    "to_text(string | number | boolean) -> string",
    "The value as it stands in a text: numbers with the fewest digits, true or false.",
    ("to_text(2.50)", "2.5"),
    ("to_text(1.0)", "1"),
    ("to_text(true)", "true"),
)
def to_text(value: str | int | float | bool) -> str:
    if isinstance(value, str):
        return value
    return number_text(value) if not isinstance(value, bool) else "true" if value else "false"


@CONVERT.function(
    "to_number(string) -> number?",
    "The number that the text is, white space around it aside; null where it is none.",
    ('to_number(" 2.5 ")', 2.5),
    ('to_number("1e3")', 1000),
    ('to_number("two")', None),
)
def to_number(text: str) -> int | float | None:
    text = text.strip()
    if _INTEGER.fullmatch(text):
        return to_integer(text)
    value = float(text) if _NUMBER.fullmatch(text) else None
    return None if value is None or value in (float("inf"), float("-inf")) else value


@CONVERT.function(
    "to_integer(string) -> integer?",
    "The integer that the text is, white space around it aside; null where it is none.",
    ('to_integer("42")', 42),
    ('to_integer("4.2")', None),
)
def to_integer(text: str) -> int | None:
    text = text.strip()
    return int(text) if _INTEGER.fullmatch(text) and len(text) <= MOST_DIGITS else None


@CONVERT.function(
    "to_json(json) -> string",
    "The value as canonical JSON (RFC 8785).",
    ('to_json({ b: [1.0, null], a: "x" })', '{"a":"x","b":[1,null]}'),
)
def to_json(value: Any) -> str:
    try:
        return bounded_text(canonical_text(value))
    except JsonError as error:
        raise FunctionFault(str(error)) from None


@CONVERT.function(
    "parse_json(string) -> json",
    "The value that the JSON text stands for; fails where the text is no JSON.",
    ('parse_json("[1, 2]")', [1, 2]),
)
def parse_json(text: str) -> Any:
    try:
        return read_json(text)
    except JsonError as error:
        raise FunctionFault(str(error), "shape_mismatch") from None


@CONVERT.function(
    "digest(json) -> string",
    "The SHA-256 of the value's canonical JSON, 64 hexadecimal digits: equal values have equal ones.",
    ("digest({})", "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"),
)
def digest(value: Any) -> str:
    try:
        return digests.digest(value)
    except JsonError as error:
        raise FunctionFault(str(error)) from None


@CONVERT.function(
    "url_encode(string) -> string",
    "The text as it may stand in any place of a URL: all but letters, digits and -._~ as %XX.",
    ('url_encode("a b/ü")', "a%20b%2F%C3%BC"),
)
def url_encode(text: str) -> str:
    from urllib.parse import quote

    return bounded_text(quote(text, safe=""))


@CONVERT.function(
    "url_decode(string) -> string",
    "The text with every %XX resolved; bytes that are no UTF-8 become U+FFFD.",
    ('url_decode("a%20b%2F%C3%BC")', "a b/ü"),
)
def url_decode(text: str) -> str:
    from urllib.parse import unquote

    return unquote(text, errors="replace")


@CONVERT.function(
    "encode_base64(string) -> bytes",
    "The UTF-8 of the text as base64.",
    ('encode_base64("né")', "bsOp"),
)
def encode_base64(text: str) -> str:
    from base64 import b64encode

    return bounded_text(b64encode(text.encode("utf-8", "replace")).decode("ascii"))


@CONVERT.function(
    "decode_base64(bytes) -> string?",
    "The text whose UTF-8 the bytes are, null where they are no text.",
    ('decode_base64("bsOp")', "né"),
    ('decode_base64("/w==")', None),
)
def decode_base64(encoded: str) -> str | None:
    from base64 import b64decode

    try:
        return b64decode(encoded, validate=True).decode("utf-8")
    except ValueError:
        return None
