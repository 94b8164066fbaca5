"""Which tools give their answers in pages: two signs that fit each other, never one alone."""

from __future__ import annotations

from typing import Any

import pytest

from compiler.types.from_schema import BadSchema, from_schema, parameters
from compiler.types.paging import Paging, asks_for_pages, asks_how_many, page_style, paging
from tests import corpus

TEXT, NUMBER, FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
LIST = {"type": "array", "items": TEXT}
LATER = {"type": "string", "format": "date-time"}


def record(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


def found(taken: dict[str, Any], given: dict[str, Any] | None) -> Paging | None:
    takes = parameters(taken)
    gives = from_schema(given) if given is not None else None
    assert not isinstance(takes, BadSchema)
    assert not isinstance(gives, BadSchema)
    return paging(takes.record, gives.type if gives is not None else None)


PAGED = [
    # cursor: the argument and the field that gives it
    (
        record(cursor=TEXT),
        record(items=LIST, next_cursor=TEXT),
        Paging("cursor", "cursor", None, (("next_cursor",),), ("next_cursor",)),
    ),
    (
        record(pageToken=TEXT, pageSize=NUMBER),
        record(files=LIST, nextPageToken=TEXT),
        Paging("cursor", "pageToken", "pageSize", (("nextPageToken",),), ("nextPageToken",)),
    ),
    (
        record(cursor=TEXT),
        record(messages=LIST, has_more=FLAG, response_metadata=record(next_cursor=TEXT)),
        Paging(
            "cursor",
            "cursor",
            None,
            (("response_metadata", "next_cursor"), ("has_more",)),
            ("response_metadata", "next_cursor"),
        ),
    ),
    (
        record(after=TEXT, limit=NUMBER),
        record(results=LIST, paging=record(next=record(after=TEXT))),
        Paging("cursor", "after", "limit", (("paging", "next", "after"),), ("paging", "next", "after")),
    ),
    (
        record(first=NUMBER, after={"type": ["string", "null"]}),
        record(nodes=LIST, pageInfo=record(hasNextPage=FLAG, endCursor={"type": ["string", "null"]})),
        Paging(
            "cursor",
            "after",
            "first",
            (("pageInfo", "endCursor"), ("pageInfo", "hasNextPage")),
            ("pageInfo", "endCursor"),
        ),
    ),
    (
        record(starting_after=TEXT, limit=NUMBER),
        record(data=LIST, has_more=FLAG),
        Paging("cursor", "starting_after", "limit", (("has_more",),)),
    ),
    # pages and offsets: with a size, or with what the result tells of more
    (record(page=NUMBER, per_page=NUMBER), LIST, Paging("page", "page", "per_page", ())),
    (record(page=NUMBER), record(items=LIST, total_pages=NUMBER), Paging("page", "page", None, (("total_pages",),))),
    (
        record(**{"page[number]": NUMBER, "page[size]": NUMBER}),
        record(data=LIST, links=record(next=TEXT), meta=record(total=NUMBER)),
        Paging("page", "page[number]", "page[size]", (("links", "next"), ("meta", "total"))),
    ),
    (
        record(page=NUMBER, size=NUMBER),
        record(content=LIST, last=FLAG, totalPages=NUMBER),
        Paging("page", "page", "size", (("last",), ("totalPages",))),
    ),
    (record(offset=NUMBER, limit=NUMBER), LIST, Paging("offset", "offset", "limit", ())),
    (record(start=NUMBER, rows=NUMBER), record(docs=LIST), Paging("offset", "start", "rows", ())),
    (
        record(start=NUMBER, limit=NUMBER),
        record(docs=LIST, total=NUMBER),
        Paging("offset", "start", "limit", (("total",),)),
    ),
    # a flag or a link leads nowhere as an argument
    (
        record(cursor=TEXT),
        record(items=LIST, truncated=FLAG, next_url=TEXT),
        Paging("cursor", "cursor", None, (("next_url",), ("truncated",))),
    ),
    # a link that the result has, which no argument takes
    (
        record(limit=NUMBER),
        record(data=LIST, _links=record(next=record(href=TEXT))),
        Paging("link", None, "limit", (("_links", "next"),)),
    ),
    # nothing is known of the result: the names of the arguments must leave no doubt
    (record(cursor=TEXT, limit=NUMBER), None, Paging("cursor", "cursor", "limit", ())),
    (record(after=TEXT, perPage=NUMBER), None, Paging("cursor", "after", "perPage", ())),
    (record(page=NUMBER, hitsPerPage=NUMBER), None, Paging("page", "page", "hitsPerPage", ())),
    (record(page=NUMBER, limit=NUMBER), {}, Paging("page", "page", "limit", ())),
]
PLAIN = [
    (record(limit=NUMBER), LIST),  # so many, and no way to others
    (record(cursor=TEXT), record(items=LIST)),  # where would it come from?
    (record(cursor=TEXT), record(text=TEXT, line=NUMBER)),  # of an editor
    (record(after=TEXT, limit=NUMBER), LIST),
    (record(after=LATER), record(items=LIST, next=TEXT)),  # a time is a filter
    (record(after=TEXT, limit=NUMBER), None),
    (record(page=NUMBER), record(text=TEXT)),  # of a book
    (record(page=NUMBER, size=NUMBER), record(width=NUMBER)),
    (record(page=TEXT, limit=NUMBER), LIST),  # the name of one
    (record(page=NUMBER), LIST),
    (record(offset=NUMBER, length=NUMBER), TEXT),
    (record(start=NUMBER, end=NUMBER, limit=NUMBER), LIST),  # a span of time
    (record(start=NUMBER, end=NUMBER, size=NUMBER), LIST),
    (record(start=NUMBER, limit=NUMBER), LIST),  # since a time
    (record(query=TEXT), record(items=LIST, next=TEXT)),
    (record(query=TEXT), record(items=LIST, total=NUMBER)),
    (record(limit=NUMBER), record(items=LIST, next=FLAG)),
    (record(page_id=TEXT, limit=NUMBER), LIST),
    (record("method", method={"enum": ["get", "list"]}, page=NUMBER, perPage=NUMBER), None),
    (record(), None),
]


@pytest.mark.parametrize(("taken", "given", "how"), PAGED)
def test_pages_are_found(taken, given, how):
    assert found(taken, given) == how


@pytest.mark.parametrize(("taken", "given"), PLAIN)
def test_one_sign_alone_says_nothing(taken, given):
    assert found(taken, given) is None


def test_fields_behind_references_and_alternatives_count():
    page = {"$ref": "#/$defs/Page"}
    given = {"anyOf": [page, {"type": "null"}], "$defs": {"Page": record(rows=LIST, meta=record(nextToken=TEXT))}}
    assert found(record(nextToken=TEXT), given) == Paging(
        "cursor", "nextToken", None, (("meta", "nextToken"),), ("meta", "nextToken")
    )


def test_a_schema_inside_itself_comes_to_an_end():
    deep = record(next=TEXT)
    for _ in range(3):
        deep = record(meta=deep)
    deepest = ("meta", "meta", "meta", "next")
    assert found(record(cursor=TEXT), deep) == Paging("cursor", "cursor", None, (deepest,), deepest)
    assert found(record(cursor=TEXT), record(meta=deep)) is None
    given = {"$ref": "#/$defs/M", "$defs": {"M": record(meta={"$ref": "#/$defs/M"}, rows=LIST, next=TEXT)}}
    how = found(record(cursor=TEXT), given)
    assert how is not None
    assert how.signs[0] == ("next",)


def test_names_of_arguments():
    assert [name for name in ("page", "Cursor", "pageToken", "$skip") if not asks_for_pages(name)] == []
    assert [name for name in ("repo", "start", "token", "after", "limit", "per_page") if asks_for_pages(name)] == []
    assert [name for name in ("per_page", "Limit", "page[size]", "$maxResults") if not asks_how_many(name)] == []
    assert [name for name in ("repo", "first", "size", "page") if asks_how_many(name)] == []
    assert (page_style("pageNumber"), page_style("start")) == ("page", "offset")


FILES = ("tools-github-mcp-server.json", "tools-live-servers.json", "tools-livemcpbench.json")
REAL = {"cursor": 7, "page": 18, "offset": 5}
"""Each was looked at: all give something piece by piece. Left out on purpose are three that do several things, some of
them paged: `actions_list`, `issue_read`, `projects_list`."""


def test_real_tools():
    styles: dict[str, int] = {}
    names = []
    for file in FILES:
        for tool in corpus.load(file)["tools"]:
            how = found(tool["inputSchema"], tool.get("outputSchema"))
            if how is not None:
                styles[how.style] = styles.get(how.style, 0) + 1
                names.append(tool["name"])
    assert styles == REAL
    assert "list_commits" in names
    assert {"actions_list", "issue_read", "projects_list", "read_file", "git_log"}.isdisjoint(names)
