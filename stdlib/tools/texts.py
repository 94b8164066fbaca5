"""Texts: how two of them differ, line by line."""

from __future__ import annotations

import difflib
from typing import Any, Final

from . import ToolFault
from .html_tables import html_tables
from .pages import from_html

MOST_LINES: Final = 5_000
"""Of each text that is compared: the time grows with their product."""


def diff(before: str, after: str, context: int = 3) -> str:
    """The unified format, without file names; empty where the texts are equal."""
    old, new = before.splitlines(), after.splitlines()
    if max(len(old), len(new)) > MOST_LINES:
        raise ToolFault(f"a text has more than {MOST_LINES} lines")
    return "\n".join(list(difflib.unified_diff(old, new, n=context, lineterm=""))[2:])


TOOLS: Final[dict[str, Any]] = {"from_html": from_html, "html_tables": html_tables, "diff": diff}
