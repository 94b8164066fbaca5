"""Tools of the standard library that are functions of their arguments: tests of chains call them as they are."""

from __future__ import annotations

import logging
from typing import Any, Final

from ..runtime.clean import compact
from ..runtime.fault import fault
from ..runtime.result import ToolAnswer
from ..tools import ToolFault, bodies

PURE: Final = frozenset(("base64", "hash", "json", "tables", "text"))
"""Modules whose tools neither reach anything nor draw lots."""

log = logging.getLogger("chainc.connect")


def pure_answer(module: str, name: str, label: str, arguments: dict[str, Any]) -> ToolAnswer | None:
    """What a tool answers, here and now; None where it is not pure. The arguments have the form that it declares;
    `label` is how messages call it. Raises the fault `tool_error`."""
    if module not in PURE:
        return None
    try:
        value = bodies(module)[name](**arguments)
    except ToolFault as problem:
        raise fault("tool_error", f"{label} failed: {problem}.") from None
    except (RecursionError, MemoryError) as error:
        log.warning("a call of %s failed", label, exc_info=error)
        raise fault("tool_error", f"{label} failed: the value is too large.") from None
    text = value if isinstance(value, str) else compact(value)
    return ToolAnswer(({"type": "text", "text": text},), value)
