"""Paths into a value, as the language writes them: `commits[3].files`, `["odd name"].x`, `[-1]`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Final

from ..values.show import is_word
from .fault import fault

_PART: Final = re.compile(
    r"""\.?(?P<name>[A-Za-z_][A-Za-z0-9_]*) | \[(?P<index>-?\d{1,9})\] | \[(?P<quoted>"(?:[^"\\]|\\.)*")\]""",
    re.VERBOSE,
)


def read_path(text: str) -> tuple[str | int, ...]:
    """The parts of a path; the empty text is the whole value. Raises the fault `invalid_input`."""
    parts: list[str | int] = []
    place = 0
    while place < len(text):
        found = _PART.match(text, place)
        if found is None or (place == 0 and text.startswith(".")):
            raise fault("invalid_input", f"`{text[:200]}` is no path. Write one like `items[3].title`.")
        try:
            quoted = found["quoted"]
            parts.append(json.loads(quoted) if quoted else int(found["index"]) if found["index"] else found["name"])
        except ValueError:
            raise fault("invalid_input", f"`{text[:200]}` is no path. Write one like `items[3].title`.") from None
        place = found.end()
    return tuple(parts)


def write_path(parts: Iterable[str | int]) -> str:
    """`("items", 3, "owner")` → `items[3].owner`; names that are no identifiers in brackets and quotes."""
    text = ""
    for part in parts:
        if isinstance(part, int):
            text += f"[{part}]"
        elif is_word(part):
            text += f".{part}" if text else part
        else:
            text += f"[{json.dumps(part, ensure_ascii=False)}]"
    return text


def follow(value: Any, parts: Iterable[str | int]) -> Any:
    """What stands at a path. Raises the fault `invalid_input` naming the part that does not exist."""
    seen: list[str | int] = []
    for part in parts:
        if isinstance(part, int):
            if not isinstance(value, list):
                raise fault("invalid_input", f"{_there(seen)} is no list, so it has no item {part}.")
            if not -len(value) <= part < len(value):
                raise fault("invalid_input", f"{_there(seen)} has {len(value)} items, so there is no item {part}.")
            value = value[part]
        else:
            if not isinstance(value, dict) or part not in value:
                known = f" It has: {', '.join(list(value)[:20])}." if isinstance(value, dict) else ""
                raise fault("invalid_input", f"{_there(seen)} has no field `{part}`.{known}")
            value = value[part]
        seen.append(part)
    return value


def _there(parts: list[str | int]) -> str:
    return f"`{write_path(parts)}`" if parts else "The value"
