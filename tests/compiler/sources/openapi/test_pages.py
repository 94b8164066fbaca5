"""Pages of an answer: what documents say of them in so many words, and what then counts as the way to the next one."""

from __future__ import annotations

from typing import Any

import pytest

from compiler.sources.openapi.read import read_openapi
from compiler.sources.openapi.source import OpenApiSource, OpenApiTool
from compiler.types.from_schema import BadSchema, from_schema, parameters
from compiler.types.paging import Paging, paging
from tests.compiler.sources.openapi.documents import TEXT, document, files, parameter, source, tool

NUMBER = {"type": "integer"}
LIST = {"type": "array", "items": TEXT}


def record(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def answers(schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"200": {"description": "", "content": {"application/json": {"schema": schema}}, **more}}


def by(extension: str, said: Any) -> dict[str, Any]:
    return {extension: said}


def pages(found: OpenApiTool) -> Paging | None:
    """As check and `chainc tools` see it."""
    taken, given = parameters(found.tool.input_schema), from_schema(found.tool.output_schema)
    assert not isinstance(taken, BadSchema)
    assert not isinstance(given, BadSchema)
    return paging(taken.record, given.type, found.tool.pages)


LINK: dict[str, Any] = {"headers": {"link": {"schema": TEXT}}}
SPEAKEASY = [
    (
        {
            "type": "cursor",
            "inputs": [{"name": "from", "in": "parameters", "type": "cursor"}],
            "outputs": {"results": "$.items", "nextCursor": "$.info.upTo"},
        },
        {"style": "cursor", "argument": "from", "field": ["info", "upTo"]},
    ),
    (
        {
            "type": "offsetLimit",
            "inputs": [{"name": "size", "type": "limit"}, {"name": "number", "in": "parameters", "type": "page"}],
            "outputs": {"numPages": "$.last"},
        },
        {"style": "page", "argument": "number", "field": ["last"]},
    ),
    ({"type": "offsetLimit", "inputs": [{"name": "from", "type": "offset"}]}, {"style": "offset", "argument": "from"}),
    ({"type": "url", "outputs": {"nextUrl": "$.onward"}}, {"style": "link", "field": ["onward"]}),
    (
        {
            "type": "cursor",
            "inputs": [{"name": "from", "type": "cursor"}],
            "outputs": {"nextCursor": "$.items[-1].created_at"},
        },
        {"style": "cursor", "argument": "from"},
    ),
    ({"type": "cursor", "inputs": [{"name": "not_there", "type": "cursor"}]}, {"style": "cursor"}),
    ({"type": "somehow"}, None),
    ({"type": ["cursor"], "inputs": {"name": 1}, "outputs": "x"}, None),
    ({"type": "cursor", "inputs": ["x", None, {"name": {}, "type": []}], "outputs": {"nextCursor": 5}},
     {"style": "cursor"}),
    ("yes", None),
]  # fmt: skip


@pytest.mark.parametrize(("said", "kept"), SPEAKEASY)
def test_x_speakeasy_pagination(said, kept):
    given = [parameter(name) for name in ("from", "number", "size")]
    assert tool(parameters=given, **by("x-speakeasy-pagination", said)).tool.pages == kept


FERN = [
    (
        {"cursor": "$request.from", "next_cursor": "$response.info.up_to", "results": "$response.items"},
        {"style": "cursor", "argument": "from", "field": ["info", "up_to"]},
    ),
    (
        {"offset": "$request.page", "has-next-page": "$response.further", "results": "$response.items"},
        {"style": "page", "argument": "page", "field": ["further"]},
    ),
    ({"offset": "$request.from", "results": "$response.items"}, {"style": "offset", "argument": "from"}),
    ({"next_uri": "$response.onward", "results": "$response.items"}, {"style": "link", "field": ["onward"]}),
    (True, {"style": "cursor", "argument": "from", "field": ["whole"]}),
    (False, None),
    ({"cursor": 7}, None),
]


@pytest.mark.parametrize(("said", "kept"), FERN)
def test_x_fern_pagination(said, kept):
    given = [parameter("from"), parameter("page", schema=NUMBER)]
    one = {"operationId": "op", "parameters": given, "responses": answers({}), "x-fern-pagination": said}
    whole = {"cursor": "$request.from", "next_cursor": "$response.whole", "results": "$response.items"}
    found = source({"/x": {"get": one}}, **by("x-fern-pagination", whole))
    assert found.tools["op"].tool.pages == kept


def test_x_ms_pageable():
    result = record(**{"value": LIST, "@odata.nextLink": TEXT})
    given = [parameter("$skip", schema=NUMBER), parameter("$top", schema=NUMBER)]
    found = tool(
        parameters=given, responses=answers(result), **by("x-ms-pageable", {"nextLinkName": "@odata.nextLink"})
    )
    assert found.tool.pages == {"style": "link", "field": ["@odata.nextLink"]}
    assert pages(found) == Paging("offset", "$skip", "$top", (("@odata.nextLink",),))
    for said in ({"nextLinkName": None}, {}, {"nextLinkName": "next\u202elink"}, None):
        assert tool(**by("x-ms-pageable", said)).tool.pages is None


def test_a_body_asks_for_pages_too():
    sent = {"content": {"application/json": {"schema": record(at=TEXT, words=TEXT)}}}
    said = {
        "type": "cursor",
        "inputs": [{"name": "at", "in": "requestBody", "type": "cursor"}],
        "outputs": {"nextCursor": "$.on"},
    }
    given = answers(record(hits=LIST, on=TEXT))
    found = tool(method="post", requestBody=sent, responses=given, **by("x-speakeasy-pagination", said))
    assert pages(found) == Paging("cursor", "at", None, (("on",),), ("on",))


def test_an_argument_has_the_name_that_the_tool_gives_it():
    given = [parameter("id", "path", required=True), parameter("id", schema=TEXT)]
    said = {"type": "cursor", "inputs": [{"name": "id", "type": "cursor"}], "outputs": {"nextCursor": "$.on"}}
    found = tool(path="/x/{id}", parameters=given, **by("x-speakeasy-pagination", said))
    assert found.tool.pages is not None
    assert found.tool.pages["argument"] == "query_id"


def test_a_link_header_leads_to_the_next_page():
    by_page = [parameter("page", schema=NUMBER), parameter("after"), parameter("per_page", schema=NUMBER)]
    found = tool(parameters=by_page, responses=answers(LIST, **LINK))
    assert (found.tool.pages, pages(found)) == ({"style": "link"}, Paging("page", "page", "per_page", ()))
    # The cursor is in the header alone, where no chain reads it.
    only_after = tool(parameters=[parameter("after")], responses=answers(LIST, **LINK))
    assert pages(only_after) == Paging("link")
    assert tool(method="post", responses=answers(LIST, **LINK)).tool.pages is None
    assert tool(responses={**answers(LIST), "404": {"description": "", **LINK}}).tool.pages is None
    assert tool(responses=answers(LIST, headers={"X-Next": {"schema": TEXT}})).tool.pages is None
    assert tool(responses=answers(LIST, headers=["Link"])).tool.pages is None


def test_a_link_header_leads_to_much_else():
    one = record(id=TEXT, name=TEXT)
    assert tool(responses=answers(one, **LINK)).tool.pages is None
    assert tool(responses=answers(record(users=LIST), **LINK)).tool.pages == {"style": "link"}
    assert tool(responses=answers({}, **LINK)).tool.pages == {"style": "link"}  # nobody knows
    for said, kept in (
        ("The next and the last page (rel=next, rel=last).", {"style": "link"}),
        ("To the schema of this record, and to the nextcloud.", None),
    ):
        header = {"description": said, "schema": TEXT}
        assert tool(responses=answers(one, headers={"Link": header})).tool.pages == kept
        components = {"headers": {"Where": header}}
        behind = {"Link": {"$ref": "#/components/headers/Where"}}
        assert tool(responses=answers(one, headers=behind), components=components).tool.pages == kept
    nowhere = {"Link": {"$ref": "#/components/headers/Gone"}}
    assert tool(responses=answers(one, headers=nowhere)).tool.pages is None


def test_the_header_may_stand_behind_references():
    responses = {"2XX": {"$ref": "more.json#/responses/Listed"}}
    listed = {"responses": {"Listed": answers(LIST, headers={"Link": {"$ref": "#/headers/Link"}})["200"]}}
    whole = document({"/x": {"get": {"operationId": "op", "responses": responses}}})
    found = read_openapi(files(api=whole, more=listed), "api.json")
    assert isinstance(found, OpenApiSource)
    assert found.tools["op"].tool.pages == {"style": "link"}
