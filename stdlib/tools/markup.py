"""HTML made safe for a parser that looks for the end of everything that begins: what nobody reads is taken out first.

The parser of the standard library looks through the rest of a page for the end of each comment, and once more for the
next. One pass from the left, which ends with the first thing that has no end, keeps its time in line with the length.
"""

from __future__ import annotations

import re
from typing import Final

from . import ToolFault

MOST_HTML: Final = 2_000_000
"""Characters of a page."""

_UNREAD: Final = (
    "script",
    "style",
    "noscript",
    "template",
    "svg",
    "math",
    "iframe",
    "object",
    "textarea",
    "select",
    "xmp",
)
_BEGIN: Final = re.compile(rf"<!--|<[!?]|<({'|'.join(_UNREAD)})(?=[\s/>])", re.IGNORECASE | re.ASCII)
_SPACE: Final = re.compile(r"[ \t\r\n\f\v]+")
_COMMENT_END: Final = re.compile(r"--!?>")
_ENDS: Final[dict[str, re.Pattern[str]]] = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE | re.ASCII) for name in _UNREAD
}


def readable(html: str) -> str:
    """The page without comments, declarations, scripts, styles and whatever else is no text of it."""
    if len(html) > MOST_HTML:
        raise ToolFault(f"the page has more than {MOST_HTML} characters")
    kept: list[str] = []
    place = 0
    while found := _BEGIN.search(html, place):
        kept.append(html[place : found.start()])
        kept.append(" ")  # what stood before must not begin a tag with what comes behind
        end = _end_of(html, found)
        if end is None:
            place = len(html)
            break
        place = end
    kept.append(html[place:])
    text = "".join(kept)
    last = text.rfind(">") + 1
    return text[:last] + text[last:].replace("<", "&lt;")  # behind the last `>` no tag can end


def _end_of(html: str, begin: re.Match[str]) -> int | None:
    """Behind what begins there; None where it has no end, and is the rest of the page (HTML, section 13.2.5)."""
    name = begin[1]
    if name is not None:
        closing = _ENDS[name.lower()].search(html, begin.end())
        end = -1 if closing is None else html.find(">", closing.end())
    elif begin[0] == "<!--":
        comment = _COMMENT_END.search(html, begin.start() + 2)
        return None if comment is None else comment.end()
    else:
        end = html.find(">", begin.end())
    return None if end < 0 else end + 1


def line(text: str) -> str:
    """White space as a browser shows it on one line."""
    return _SPACE.sub(" ", text).strip()
