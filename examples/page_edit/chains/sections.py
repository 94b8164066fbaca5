"""Sections of Markdown: a heading and what stands below it, up to the next heading of its rank or a higher one."""

import re
from collections.abc import Iterator


def read(text: str, heading: str) -> str:
    """What stands below a heading, without the heading."""
    lines = text.splitlines(keepends=True)
    start, end = _section(lines, heading)
    return "".join(lines[start:end]).strip()


def replace(text: str, heading: str, body: str) -> Iterator[str]:
    """The text with another body below a heading; all else is as it was, to the byte."""
    lines = text.splitlines(keepends=True)
    start, end = _section(lines, heading)
    yield "".join(lines[:start])
    yield f"\n{body.strip()}\n" + ("\n" if end < len(lines) else "")
    yield "".join(lines[end:])


def _section(lines: list[str], heading: str) -> tuple[int, int]:
    """From the line behind the heading to the line that does not belong to it any more."""
    headings = list(_headings(lines))
    found = [(at, rank) for at, rank, title in headings if title == heading.strip()]
    if len(found) != 1:
        raise ValueError(f"The page has {len(found) or 'no'} section{'s' if found else ''} called {heading}.")
    ((start, rank),) = found
    return start + 1, next((at for at, other, _ in headings if at > start and other <= rank), len(lines))


def _headings(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """Number of the line, rank and title; not those within a block of code."""
    fence = None
    for at, line in enumerate(lines):
        mark = re.match(r" {0,3}(```+|~~~+)", line)
        if mark and fence is None:
            fence = mark[1]
        elif mark and mark[1].startswith(fence or "") and not line[mark.end() :].strip():
            fence = None
        elif fence is None and (found := re.match(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$", line)):
            yield at, len(found[1]), found[2]
