"""Values from outside: made safe before anything reads them."""

from __future__ import annotations

import json
import math
from typing import Any, Final

from ..values.canonical import MOST_DEPTH, clean_text
from .fault import fault

_PIECE: Final = 1 << 16
_write: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def clean(value: Any, depth: int = 0) -> Any:
    """A JSON value whose texts are Unicode scalar values. Unchanged parts are shared, not copied.

    Raises the fault `shape_mismatch` for numbers that are not finite, for what is no JSON value and for values that
    are nested too deep.
    """
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        raise fault("shape_mismatch", "A number in the value is not finite (NaN or infinite).")
    if depth >= MOST_DEPTH:
        raise fault("shape_mismatch", f"The value is nested more than {MOST_DEPTH} levels deep.")
    if isinstance(value, list | tuple):
        return [clean(each, depth + 1) for each in value]
    if isinstance(value, dict):
        return {clean_text(str(key)): clean(each, depth + 1) for key, each in value.items()}
    raise fault("shape_mismatch", f"The value holds something that is no JSON: {type(value).__name__}.")


def compact(value: Any) -> str:
    """JSON on one line in the order of the value's fields; integers stay exact at any size."""
    return _write(value)


def json_bytes(value: Any) -> int:
    """The size of `compact(value)` in UTF-8. Of a long text, or a record's, no copy is made."""
    if isinstance(value, str) and len(value) > _PIECE:
        parts = (value[start : start + _PIECE] for start in range(0, len(value), _PIECE))
        return 2 + sum(len(_write(part).encode("utf-8", "replace")) - 2 for part in parts)
    if isinstance(value, dict):
        long = [each for each in value.values() if isinstance(each, str) and len(each) > _PIECE]
        if long:
            rest = {name: "" if any(each is one for one in long) else each for name, each in value.items()}
            return json_bytes(rest) + sum(json_bytes(each) - 2 for each in long)
    text = compact(value)
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def excerpt(value: Any, limit: int = 80) -> str:
    """The beginning of a value as JSON, for messages."""
    text = value if isinstance(value, str) else _start(value)
    shown = json.dumps(text[:limit], ensure_ascii=False) if isinstance(value, str) else text[:limit]
    return shown + ("…" if len(text) > limit else "")


def _start(value: Any) -> str:
    """Enough of the JSON to cut an excerpt from, without writing all of a large value."""
    if isinstance(value, list) and len(value) > 20:
        value = value[:20]
    elif isinstance(value, dict) and len(value) > 20:
        value = dict(list(value.items())[:20])
    return json.dumps(value, ensure_ascii=False, default=str)
