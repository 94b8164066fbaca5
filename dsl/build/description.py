"""The lines of a `///` text → the description that they are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_FENCE: Final = re.compile(r" *(```+|~~~+)")
_ITEM: Final = re.compile(r" *(?:[-*]|\d{1,3}\.) ")
_BLOCK: Final = re.compile(r"(?:  |\t)|[|>]|#{1,6} ")
"""What has a form of its own: an indented line, the row of a table, a quotation, a heading."""


def description(lines: Iterable[str]) -> str:
    """The lines of a paragraph become one; what Markdown reads line by line stays as it is.

    An empty line ends a paragraph. Items of lists begin lines of their own; an indented line below one goes on with it.
    Indented lines elsewhere and everything between fences keep their lines.
    """
    made: list[str] = []
    fence = before = ""
    for line in lines:
        mark = _FENCE.match(line)
        if fence:
            kind = "fenced"
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
        elif mark:
            kind, fence = "fenced", mark[1]
        elif not line.strip():
            kind = "empty"
        elif _ITEM.match(line):
            kind = "item"
        elif (before == "item" and line[0] in " \t") or (before == "text" and not _BLOCK.match(line)):
            made[-1] += f" {line.strip()}"
            continue
        else:
            kind = "block" if _BLOCK.match(line) else "text"
        made.append(line)
        before = kind
    return "\n".join(made)
