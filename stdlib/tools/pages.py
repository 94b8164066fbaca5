"""HTML pages: what they say, and where they lead."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any, Final

from .markup import line, readable

_BLOCKS: Final = frozenset(
    re.findall(
        r"\w+",
        """address article aside blockquote caption dd details dialog div dl dt fieldset figcaption figure footer
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
        self._in_title = False
        self._verbatim = 0
        self._link: tuple[list[str], str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "title":
            self._in_title = not self.title
        elif tag in _BLOCKS or tag == "body":
            self._in_title = False  # one that is not closed hides nothing
        elif tag == "a":
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
        self._break(tag)
        self._verbatim = max(0, self._verbatim - (tag == "pre"))

    def _break(self, tag: str) -> None:
        if tag in _BLOCKS or tag == "br":
            self.parts.append("\n")
        elif tag in _CELLS:
            self.parts.append("\t")

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title.append(data)
            return
        self.parts.append(data if self._verbatim else _SPACE.sub(" ", data))
        if self._link is not None:
            self._link[0].append(data)


def from_html(html: str) -> dict[str, Any]:
    """Never fails for what is no HTML: tags that are not closed and unknown ones are read as browsers do, roughly."""
    page = _Page()
    page.feed(readable(html))
    page.close()
    title = line("".join(page.title))
    return {
        "text": _lines("".join(page.parts)),
        "title": title or None,
        "links": [{"text": line("".join(text)), "href": href.strip()} for text, href in page.links],
    }


def _lines(text: str) -> str:
    """Cells of a row with one tab in between; never more than one empty line."""
    lines = [re.sub(r" *\t[ \t]*", "\t", line).strip(" \t") for line in text.split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")
