"""Values from outside: made safe before anything reads them."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

from .fault import fault

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
DEPTH_LIMIT: Final = 200
"""Most levels of lists and records in a value; what JSON parsers accept in practice."""


def clean_text(text: str) -> str:
    """The text as Unicode scalar values: every lone surrogate becomes U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def clean(value: Any, depth: int = 0) -> Any:
    """A JSON value with clean texts. Raises the fault `shape_mismatch` for numbers that are not finite, for what is no
    JSON value and for values that are nested too deep. Unchanged parts are shared, not copied."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        raise fault("shape_mismatch", "A number in the value is not finite (NaN or infinite).")
    if depth >= DEPTH_LIMIT:
        raise fault("shape_mismatch", f"The value is nested more than {DEPTH_LIMIT} levels deep.")
    if isinstance(value, list | tuple):
        return [clean(each, depth + 1) for each in value]
    if isinstance(value, dict):
        return {clean_text(str(key)): clean(each, depth + 1) for key, each in value.items()}
    raise fault("shape_mismatch", f"The value holds something that is no JSON: {type(value).__name__}.")


def compact(value: Any) -> str:
    """JSON on one line in the order of the value's fields; integers stay exact at any size."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


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
