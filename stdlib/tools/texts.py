"""Texts: what an HTML page says, and how two texts differ."""

from __future__ import annotations

import difflib
import re
from html.parser import HTMLParser
from typing import Any, Final

from . import ToolFault

MOST_HTML: Final = 2_000_000
"""Characters of a page."""
MOST_LINES: Final = 5_000
"""Of each text that is compared: the time grows with their product."""

_SKIPPED: Final = frozenset({"script", "style", "noscript", "template", "svg", "head"})
_BLOCKS: Final = frozenset(
    re.findall(
        r"\w+",
        """address article aside blockquote body caption dd details dialog div dl dt fieldset figcaption figure footer
        form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody tfoot thead tr ul""",
    )
)
_CELLS: Final = frozenset({"td", "th"})
_SPACE: Final = re.compile(r"[ \t\r\n\f\v]+")


class _Page(HTMLParser):
    """Collects text line by line; `links` are [text, href]."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.title: list[str] = []
        self.links: list[tuple[list[str], str]] = []
        self._skipping: list[str] = []
        self._in_title = False
        self._verbatim = 0
        self._link: tuple[list[str], str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "title":
            self._in_title = not self.title
        elif tag in _SKIPPED:
            self._skipping.append(tag)
        elif tag == "body":
            self._skipping.clear()  # an unclosed head hides nothing
        elif tag == "a" and not self._skipping:
            href = dict(attrs).get("href")
            self._link = ([], href) if href is not None else None
            if self._link is not None:
                self.links.append(self._link)
        self._break(tag)
        self._verbatim += tag == "pre"

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        elif tag == "a":
            self._link = None
        elif tag in self._skipping:
            del self._skipping[self._skipping.index(tag) :]
        self._break(tag)
        self._verbatim = max(0, self._verbatim - (tag == "pre"))

    def _break(self, tag: str) -> None:
        if self._skipping:
            return
        if tag in _BLOCKS or tag == "br":
            self.parts.append("\n")
        elif tag in _CELLS:
            self.parts.append("\t")

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title.append(data)
            return
        if self._skipping:
            return
        self.parts.append(data if self._verbatim else _SPACE.sub(" ", data))
        if self._link is not None:
            self._link[0].append(data)


def from_html(html: str) -> dict[str, Any]:
    """Never fails for what is no HTML: tags that are not closed and unknown ones are read as browsers do, roughly."""
    if len(html) > MOST_HTML:
        raise ToolFault(f"the page has more than {MOST_HTML} characters")
    page = _Page()
    page.feed(html)
    page.close()
    title = _line("".join(page.title))
    return {
        "text": _lines("".join(page.parts)),
        "title": title or None,
        "links": [{"text": _line("".join(text)), "href": href.strip()} for text, href in page.links],
    }


def _line(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


def _lines(text: str) -> str:
    """Cells of a row with one tab in between; never more than one empty line."""
    lines = [re.sub(r" *\t[ \t]*", "\t", line).strip(" \t") for line in text.split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def diff(before: str, after: str, context: int = 3) -> str:
    """The unified format, without file names; empty where the texts are equal."""
    old, new = before.splitlines(), after.splitlines()
    if max(len(old), len(new)) > MOST_LINES:
        raise ToolFault(f"a text has more than {MOST_LINES} lines")
    return "\n".join(list(difflib.unified_diff(old, new, n=context, lineterm=""))[2:])


TOOLS: Final[dict[str, Any]] = {"from_html": from_html, "diff": diff}
