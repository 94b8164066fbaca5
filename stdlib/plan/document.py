"""Plans and catalogues as text: readable, without defaults, the same bytes for the same model."""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic import BaseModel

_SURROGATE = re.compile("[\ud800-\udfff]")
_ALWAYS = frozenset({"kind", "format"})


def to_json(model: BaseModel) -> dict[str, Any]:
    """The model as a JSON value in the order of its fields. Fields that hold their default are left out, except those
    that tell what the object is (`kind`, `format`)."""
    written: dict[str, Any] = {}
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        is_default = not field.is_required() and value == field.default and type(value) is type(field.default)
        if not is_default or (name in _ALWAYS and value is not None):
            written[field.alias or name] = _value(value)
    return written


def to_text(model: BaseModel) -> str:
    """Indented JSON with a final newline. Integers stay exact at any size."""
    return json_text(to_json(model))


def json_text(value: Any) -> str:
    """Indented JSON with a final newline; keys stay in their order, lone surrogates become U+FFFD."""
    return _SURROGATE.sub("\ufffd", json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)) + "\n"


def _value(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return to_json(value)
    if isinstance(value, list | tuple):
        return [_value(each) for each in value]
    if isinstance(value, dict):
        return {key: _value(each) for key, each in value.items()}
    return value
