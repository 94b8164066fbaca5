"""Types as the author would write them."""

from __future__ import annotations

import json
from typing import Final

from .types import (
    ErrorType,
    Handle,
    ListType,
    LiteralType,
    MapType,
    Never,
    Record,
    Scalar,
    Type,
    Union,
    Variable,
    is_null,
)

RESERVED: Final = frozenset(["and", "as", "else", "false", "for", "if", "in", "not", "null", "or", "then", "true"])
"""Words of the language that are no names without quotes."""


def is_word(name: str) -> bool:
    """Whether a name needs no quotes: ASCII letters, digits and `_`, no digit first, and no word of the language."""
    return name.isascii() and name.isidentifier() and name not in RESERVED


def show(t: Type | None, most_fields: int = 6) -> str:
    """The type in the language's own syntax; long records are cut with `…`."""
    match t:
        case None:
            return "nothing"
        case Scalar(name=name):
            return name
        case LiteralType(value=value):
            return json.dumps(value, ensure_ascii=False)
        case ListType(item=item):
            return f"list<{show(item, most_fields)}>"
        case MapType(value=value):
            return f"map<{show(value, most_fields)}>"
        case Handle(kind=kind):
            return f"handle<{kind}>"
        case Variable(name=name):
            return name
        case Never():
            return "nothing"
        case ErrorType():
            return "unknown"
        case Record(fields=fields):
            return _record(fields, most_fields)
        case Union(members=members):
            shown = [show(m, most_fields) for m in members if not is_null(m)]
            nullable = len(shown) < len(members)
            if not nullable:
                return " | ".join(shown)
            return f"{shown[0]}?" if len(shown) == 1 else f"({' | '.join(shown)})?"


def _record(fields: tuple[object, ...], most_fields: int) -> str:
    from .types import Field

    parts: list[str] = []
    for f in fields[:most_fields]:
        assert isinstance(f, Field)
        text = show(f.type, most_fields)
        name = f.name if is_word(f.name) else json.dumps(f.name, ensure_ascii=False)
        parts.append(f"{name}: {text if f.required or text.endswith('?') else text + '?'}")
    if len(fields) > most_fields:
        parts.append("…")
    return "{ " + ", ".join(parts) + " }" if parts else "{}"
