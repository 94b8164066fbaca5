"""Values in URLs, headers and forms: the styles of OpenAPI 3.1 (section 4.8.12, after RFC 6570), percent-encoded.

Delimiters of a style stay as they are, every character of a value that is not unreserved (RFC 3986 section 2.3) is
encoded, so that no value can end one parameter and begin another.
"""

from __future__ import annotations

import json
from typing import Any, Final
from urllib.parse import quote

from ..plan.openapi import BodyField, Parameter
from ..runtime.clean import compact
from ..values.numbers import number_text

RESERVED: Final = ":/?@!$'()*,;"
"""What `allowReserved` leaves as it is: reserved characters that structure no query. `& = + # [ ]` do."""

_DELIMITERS: Final = {"form": ",", "spaceDelimited": "%20", "pipeDelimited": "%7C"}
_PLAIN: Final = {"spaceDelimited": " ", "pipeDelimited": "|"}


class Unsendable(Exception):
    """A value that has no place in a request. `problem` goes on after the argument's name, where that is known."""

    def __init__(self, problem: str, argument: str | None = None) -> None:
        super().__init__(problem)
        self.problem, self.argument = problem, argument


def scalar_text(value: Any) -> str:
    """The text of one value. Raises Unsendable for null, lists and objects."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number_text(value)
    what = "null" if value is None else "an object" if isinstance(value, dict) else "a list"
    raise Unsendable(f"holds {what} where only a text, a number or a truth value can be sent")


def encoded(value: Any, reserved: bool = False) -> str:
    """A scalar, percent-encoded."""
    return quote(scalar_text(value), safe=RESERVED if reserved else "", encoding="utf-8", errors="replace")


def pairs(parameter: Parameter | BodyField, value: Any) -> list[tuple[str, str]]:
    """(name, value) of a query or form field, both encoded; null and empty lists give none. Raises Unsendable."""
    name, style = encoded(parameter.name), parameter.style
    reserved = isinstance(parameter, Parameter) and parameter.reserved
    if value is None:
        return []
    if isinstance(parameter, Parameter) and parameter.json_text:
        return [(name, encoded(compact(value), reserved))]
    if isinstance(value, dict):
        fields = {key: item for key, item in value.items() if item is not None}
        if style == "deepObject":
            return [(f"{name}%5B{encoded(key)}%5D", encoded(item, reserved)) for key, item in fields.items()]
        if parameter.explode:
            return [(encoded(key), encoded(item, reserved)) for key, item in fields.items()]
        return _joined(name, style, [part for pair in fields.items() for part in pair], reserved)
    if isinstance(value, list):
        if style == "deepObject":
            raise Unsendable("is a list, which cannot be written as an object")
        if parameter.explode:
            return [(name, encoded(item, reserved)) for item in value]
        return _joined(name, style, value, reserved)
    return [(name, encoded(value, reserved))]


def _joined(name: str, style: str, items: list[Any], reserved: bool) -> list[tuple[str, str]]:
    own = _PLAIN.get(style)
    if own is not None and any(own in scalar_text(item) for item in items):
        raise Unsendable(f"has an item with `{own}` in it, which separates items here")
    kept = RESERVED.replace(",", "") if reserved else ""
    texts = [quote(scalar_text(item), safe=kept, encoding="utf-8", errors="replace") for item in items]
    return [(name, _DELIMITERS[style].join(texts))] if items else []


def path_text(parameter: Parameter, value: Any) -> str:
    """What stands in the path for `{name}`. Raises Unsendable, also for what could lead to another path."""
    if parameter.json_text:
        return encoded(compact(value))
    _check_path(value)
    name, style, explode = encoded(parameter.name), parameter.style, parameter.explode
    first, between = {"label": (".", "." if explode else ","), "matrix": (";", ";" if explode else ",")}.get(
        style, ("", ",")
    )
    if isinstance(value, dict):
        parts = [f"{encoded(k)}{'=' if explode else ','}{encoded(v)}" for k, v in value.items() if v is not None]
        lead = f"{name}=" if style == "matrix" and not explode else ""
    elif isinstance(value, list):
        each = f"{name}=" if style == "matrix" and explode else ""
        parts = [each + encoded(item) for item in value]
        lead = f"{name}=" if style == "matrix" and not explode else ""
    else:
        parts, lead = [encoded(value)], f"{name}=" if style == "matrix" else ""
    return first + lead + between.join(parts)


def _check_path(value: Any) -> None:
    """Servers and proxies may decode before they look at the path: no value may climb in it."""
    items = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else [value]
    if not items:
        raise Unsendable("is empty, but a part of the path")
    for item in items:
        text = scalar_text(item)
        if not text:
            raise Unsendable("is empty, but a part of the path")
        if any(part in (".", "..") for part in text.replace("\\", "/").split("/")):
            raise Unsendable("has `.` or `..` as a part, which would lead to another path")
        if any(ord(c) < 0x20 or ord(c) == 0x7F for c in text):
            raise Unsendable("has a control character, which a path cannot have")


def header_text(parameter: Parameter, value: Any) -> str:
    """A header's value (style simple, not encoded). Raises Unsendable for what would not be one line of ASCII."""
    if parameter.json_text:
        return json.dumps(value, separators=(",", ":"))
    if isinstance(value, dict):
        between = "=" if parameter.explode else ","
        text = ",".join(f"{k}{between}{scalar_text(v)}" for k, v in value.items() if v is not None)
    else:
        text = ",".join(map(scalar_text, value)) if isinstance(value, list) else scalar_text(value)
    return one_line(text)


def one_line(text: str) -> str:
    """A text that may be a header's value: printable ASCII, no space at its ends (RFC 9110 section 5.5)."""
    if any(not 0x20 <= ord(c) < 0x7F for c in text):
        raise Unsendable("has a line break or another character that a header cannot have")
    if text != text.strip():
        raise Unsendable("begins or ends with a space, which a header cannot")
    return text


def cookie_pair(parameter: Parameter, value: Any) -> str:
    """`name=value` of one cookie. Raises Unsendable."""
    if isinstance(value, list | dict) and parameter.explode and not parameter.json_text:
        raise Unsendable("is a list or an object, which one cookie cannot hold")
    found = pairs(parameter, value)
    return f"{parameter.name}={found[0][1] if found else ''}"
