"""Whether a tool gives its answer in pages, and how: read off its types and, for OpenAPI, what the document says.

Nothing in JSON Schema says it, so in types it takes two signs that fit each other: an argument that asks for another
page, and a field of the result that leads to it or an argument for the size of a page; or, where no argument asks for
another one, the size and the field. One sign alone says nothing. What a document says in so many words needs no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from stdlib.values.types import (
    BOOLEAN,
    JSON,
    UNTYPED_RESULT,
    ListType,
    LiteralType,
    MapType,
    Record,
    Scalar,
    Type,
    is_text,
    members,
    present,
)

Style = Literal["cursor", "page", "offset", "link"]
Path = tuple[str, ...]
"""Names of fields, from the result inwards."""

STYLES: Final[tuple[Style, ...]] = ("cursor", "page", "offset", "link")


@dataclass(frozen=True, slots=True)
class Paging:
    """How a tool gives pages. `argument` asks for another page; None where no argument does (style `link`, where the
    result has a URL). `size`: the argument for the number of items of a page. `signs`: fields of the result that lead
    to the next page or tell whether there is one, the most telling first; none where the result shows nothing.
    `onward`: the one of them that is given as `argument` to get the next page; none where a flag or a link is all."""

    style: Style
    argument: str | None = None
    size: str | None = None
    signs: tuple[Path, ...] = ()
    onward: Path | None = None


def paging(parameters: Record, result: Type | None, said: Mapping[str, Any] | None = None) -> Paging | None:
    """How a tool gives pages; None where it does not, or nobody can tell.

    `result` None: the tool does not say what it gives. `said`: what an OpenAPI document says in so many words, as the
    lock keeps it.
    """
    known = None if result is None or _open(result) else result
    if known is None and said is None and _does_several(parameters):
        return None
    signs = _signs(known) if known is not None else {}
    size = _named(parameters, _SIZES, _is_number)
    found = _said(parameters, signs, said) if said is not None else _guessed(parameters, known, signs, size)
    return None if found is None else replace(found, size=size)


def asks_for_pages(name: str) -> bool:
    """Whether an argument of this name asks for a page, whatever the tool."""
    return _plain(name) in (*_CURSORS, *_PAGES, "offset", "skip")


def asks_how_many(name: str) -> bool:
    """Whether an argument of this name says how much of a list is wanted, whatever the tool."""
    return _plain(name) in (*_PAGE_SIZES, "limit", "maxresults")


def _plain(name: str) -> str:
    """`nextPageToken`, `next_page_token`, `$skip` and `page[size]` in one spelling."""
    return "".join(c for c in name.lower() if c.isalnum())


_CURSORS: Final = (
    "cursor", "startcursor", "pagecursor", "nextcursor", "aftercursor", "pagetoken", "nextpagetoken", "nexttoken",
    "paginationtoken", "continuationtoken", "skiptoken", "scrollid",
)  # fmt: skip
"""Arguments that take the place where the next page begins, and can mean nothing else."""
_VAGUE_CURSORS: Final = ("after", "startingafter", "startafter", "marker", "continuation", "bookmark", "token", "next")
_PAGES: Final = ("page", "pagenumber", "pageindex", "pageidx", "pageno", "pagenum", "currentpage")
_OFFSETS: Final = ("offset", "skip", "startindex", "startat", "startrecord")
_VAGUE_OFFSETS: Final = ("start", "from")
"""A time as well as a position: with `limit` alone they say nothing."""
_ENDS: Final = ("end", "to", "until", "stop")
"""Beside one of these they are of a span of time."""
_PAGE_SIZES: Final = (
    "perpage", "pagesize", "hitsperpage", "resultsperpage", "itemsperpage", "pagelimit", "maxpagesize",
)  # fmt: skip
_SIZES: Final = (
    *_PAGE_SIZES, "limit", "maxresults", "maxitems", "maxrecords", "maxcount", "numresults", "size", "count", "top",
    "first", "take", "rows",
)  # fmt: skip
_NEXT: Final = (
    "nextcursor", "nextpagetoken", "nexttoken", "nextcontinuationtoken", "nextmarker", "nextpagecursor", "endcursor",
    "continuationtoken", "nextoffset", "nextpage", "nextlink", "odatanextlink", "nexturl", "nextpageurl",
    "nextpagelink", "next",
)  # fmt: skip
"""Fields that lead to the next page. Inside of what is about paging also those of _NEXT_INSIDE."""
_NEXT_INSIDE: Final = ("after", "cursor")
_LINKS: Final = ("nextlink", "odatanextlink", "nexturl", "nextpageurl", "nextpagelink")
"""Those that no argument takes."""
_MORE: Final = (
    "hasmore", "hasnext", "hasnextpage", "morepages", "hasmorepages", "hasmoreresults", "islast", "islastpage",
    "istruncated", "truncated", "more", "last",
)  # fmt: skip
_TOTALS: Final = (
    "totalpages", "pagecount", "numpages", "lastpage", "total", "totalcount", "totalitems", "totalresults",
)  # fmt: skip
_ABOUT: Final = ("meta", "metadata", "paging", "pagination", "pageinfo", "links", "cursors", "responsemetadata")
"""Fields of a result whose fields tell about its pages."""
_CHOICES: Final = ("method", "action", "operation", "command", "mode")
_WRAPPED: Final = ("data", "result")
_DEEP: Final = 3

_Kind = Literal["next", "more", "total"]
_Signs = dict[_Kind, list[Path]]


def page_style(name: str) -> Style:
    """Whether an argument that counts is about pages or about items."""
    return "page" if _plain(name) in _PAGES else "offset"


def _does_several(parameters: Record) -> bool:
    """Whether an argument chooses what a tool does: then some of it may have pages, and some none."""
    return any(
        f.required and _plain(f.name) in _CHOICES and any(isinstance(m, LiteralType) for m in members(f.type))
        for f in parameters.fields
    )


def _open(result: Type) -> bool:
    """Whether a type says nothing of what is in the result."""
    return result == UNTYPED_RESULT or any(m == JSON or isinstance(m, MapType) for m in members(present(result)))


def _named(parameters: Record, names: tuple[str, ...], fits: Callable[[Type], bool]) -> str | None:
    """The parameter with the first of these names whose type fits."""
    known = {_plain(f.name): f for f in reversed(parameters.fields)}
    return next((known[name].name for name in names if name in known and fits(known[name].type)), None)


def _is_number(t: Type) -> bool:
    return any(isinstance(m, Scalar) and m.name in ("integer", "number") for m in members(t))


def _is_cursor(t: Type) -> bool:
    """A text (of no form: a timestamp is a filter), or a number."""
    return any(isinstance(m, Scalar) and m.name in ("string", "integer", "number", "json") for m in members(t))


def _guessed(parameters: Record, known: Type | None, signs: _Signs, size: str | None) -> Paging | None:
    told = _in_order(signs)
    following = [path for kind in ("next", "more") for path in signs.get(kind, ())]
    sure = size is not None and _plain(size) in _PAGE_SIZES
    cursor = _named(parameters, _CURSORS, _is_cursor)
    vague = _named(parameters, _VAGUE_CURSORS, _is_cursor)
    if (cursor or vague) and following:
        return Paging("cursor", cursor or vague, None, told, _onward(signs))
    if known is None and ((cursor and size) or (vague == "after" and sure)):
        return Paging("cursor", cursor or vague, None, ())
    if known is not None and not has_list(known):
        return None
    spans = _named(parameters, _ENDS, lambda _: True) is not None
    unclear = spans or not (told or (size and _plain(size) != "limit"))
    style: Style
    for style, names in (("page", _PAGES), ("offset", _OFFSETS if unclear else (*_OFFSETS, *_VAGUE_OFFSETS))):
        argument = _named(parameters, names, _is_number)
        if argument is not None and (size or following or (style == "page" and signs.get("total"))):
            return Paging(style, argument, None, told)
    if size is not None and signs.get("next"):
        return Paging("link", None, None, told)
    return None


def _said(parameters: Record, signs: _Signs, said: Mapping[str, Any]) -> Paging | None:
    """What the document says; what it leaves open is looked for in the types."""
    style: Style = said["style"] if said.get("style") in STYLES else "link"
    argument = said.get("argument")
    if argument is not None and parameters.field(argument) is None:
        argument = None
    field = tuple(said.get("field", ()))
    told = tuple(dict.fromkeys([*((field,) if field else ()), *_in_order(signs)]))
    if argument is None:
        other: Style
        for other, names, fits in (
            ("page", _PAGES, _is_number),
            ("offset", (*_OFFSETS, *_VAGUE_OFFSETS), _is_number),
            ("cursor", _CURSORS, _is_cursor),
        ):
            # The place where a cursor begins is of use only where the result has it.
            argument = _named(parameters, names, fits) if other != "cursor" or signs.get("next") else None
            if argument is not None:
                return Paging(other, argument, None, told, _onward(signs) if other == "cursor" else None)
        return Paging("link", None, None, told)
    return Paging(style, argument, None, told, (field or _onward(signs)) if style == "cursor" else None)


def _onward(signs: _Signs) -> Path | None:
    return next((path for path in signs.get("next", ()) if _plain(path[-1]) not in _LINKS), None)


def _in_order(signs: _Signs) -> tuple[Path, ...]:
    kinds: tuple[_Kind, ...] = ("next", "more", "total")
    return tuple(path for kind in kinds for path in signs.get(kind, ()))


def _signs(result: Type) -> _Signs:
    found: dict[_Kind, dict[Path, None]] = {}
    for kind, path in _telling(result, (), False):
        found.setdefault(kind, {}).setdefault(path)
    return {kind: sorted(paths, key=_rank) for kind, paths in found.items()}


def _rank(path: Path) -> tuple[int, int, Path]:
    name = _plain(path[-1])
    return _NEXT.index(name) if name in _NEXT else len(_NEXT), len(path), path


def _telling(t: Type, path: Path, about: bool) -> Iterator[tuple[_Kind, Path]]:
    """The fields that tell about pages. `about`: the record is about paging as a whole."""
    for record in members(present(t)):
        for f in record.fields if isinstance(record, Record) else ():
            name, inside = _plain(f.name), (*path, f.name)
            kinds = members(present(f.type))
            flag = all(m == BOOLEAN or (isinstance(m, LiteralType) and isinstance(m.value, bool)) for m in kinds)
            if flag and (name in _MORE or name == "next"):
                yield "more", inside
            elif name in _TOTALS and _is_number(f.type):
                yield "total", inside
            elif (name in _NEXT or (about and name in _NEXT_INSIDE)) and any(map(_leads, kinds)):
                yield "next", inside
            elif len(path) < _DEEP and (name in (*_ABOUT, *_WRAPPED) or (about and name == "next")):
                yield from _telling(f.type, inside, name not in _WRAPPED)


def _leads(t: Type) -> bool:
    """Whether a value can lead to the next page: a text, a number, or a link with its `href`."""
    if isinstance(t, Record):
        return any(_plain(f.name) in ("href", "url") and is_text(present(f.type)) for f in t.fields)
    return is_text(t) or t == JSON or _is_number(t)


def has_list(t: Type, deep: int = 0) -> bool:
    """Whether a result is a list, or a record that has one, itself or in a record inside of it."""
    for m in members(present(t)):
        if isinstance(m, ListType | MapType) or m == JSON:
            return True
        if isinstance(m, Record) and deep < _DEEP and any(has_list(f.type, deep + 1) for f in m.fields):
            return True
    return False
