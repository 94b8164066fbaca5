"""Types and values as chains write them, with the limits of texts, numbers and lists."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from compiler.types.refinements import KEYWORDS
from stdlib.values.pattern import BadPattern, compiled
from stdlib.values.show import is_word, show
from stdlib.values.types import (
    Constraints,
    Field,
    ListType,
    LiteralType,
    MapType,
    Record,
    Scalar,
    Type,
    Union,
    is_null,
    members,
)

_ALL: Final = 1_000_000
_PLAIN: Final = ("string", "integer", "number", "boolean", "json")
"""Scalars of which a literal may be a value."""


def written(t: Type) -> str:
    """As `show` has it, with refinements; a limit that the language has no word for is left out."""
    match t:
        case Scalar(name=name, constraints=constraints):
            return name + _settings(name, constraints)
        case ListType(item=item, constraints=constraints):
            return f"list<{written(item)}>{_settings('list', constraints)}"
        case MapType(value=value):
            return f"map<{written(value)}>"
        case Record(fields=fields):
            return f"{{ {', '.join(map(written_field, fields))} }}" if fields else "{}"
        case Union(members=alternatives):
            shown = [written(each) for each in alternatives if not is_null(each)]
            if len(shown) == len(alternatives):
                return " | ".join(shown)
            return f"{shown[0]}?" if len(shown) == 1 else f"({' | '.join(shown)})?"
        case _:
            return show(t, _ALL)


def written_field(field: Field) -> str:
    """`name: type`, and its default where that can be written."""
    value = None if field.default is None else field.default[0]
    default = None if value is None or not _can_default(field.type) else written_value(value)
    name = field.name if is_word(field.name) else written_value(field.name)
    kind = written(field.type)
    if field.required or default is not None or kind.endswith("?"):
        return f"{name}: {kind}{'' if default is None else f' = {default}'}"
    return f"{name}: ({kind})?" if " | " in kind and isinstance(field.type, Union) else f"{name}: {kind}?"


def written_value(value: object) -> str:
    """A JSON value."""
    match value:
        case str():
            quoted = json.dumps(value, ensure_ascii=False)
            return quoted.replace("${", "\\${").replace("{{", "{\\{")
        case list():
            return f"[{', '.join(map(written_value, value))}]"
        case dict():
            fields = (f"{k if is_word(k) else written_value(k)}: {written_value(v)}" for k, v in value.items())
            return f"{{ {', '.join(fields)} }}" if value else "{}"
        case _:
            return json.dumps(value)


def _can_default(t: Type) -> bool:
    """Whether a literal is a value of the type: a date or a duration is written in another way than its text."""
    return all(
        isinstance(each, LiteralType | MapType | Record)
        or (isinstance(each, Scalar) and (each.name in _PLAIN or is_null(each)))
        or (isinstance(each, ListType) and _can_default(each.item))
        for each in members(t)
    )


def _settings(name: str, constraints: Constraints) -> str:
    words = {keyword: word for word, keyword in KEYWORDS.get(name, {}).items()}
    parts = [f"{words[keyword]}: {written_value(bound)}" for keyword, bound in _in_order(words, constraints)]
    return f"({', '.join(parts)})" if parts else ""


def _in_order(words: dict[str, str], constraints: Constraints) -> Iterable[tuple[str, object]]:
    known = dict(constraints)
    return [(each, known[each]) for each in words if each in known and _is_limit(each, known[each])]


def _is_limit(keyword: str, bound: object) -> bool:
    """Whether the language takes it: a pattern may be of another dialect."""
    if keyword != "pattern":
        return True
    try:
        compiled(str(bound))
    except BadPattern:
        return False
    return True
