"""Parameters → arguments, and where they go."""

from __future__ import annotations

from typing import Any

import pytest

from .documents import OK, TEXT, parameter, refusal, source, takes, tool


def test_arguments_of_all_places_are_one_record():
    sent = {
        "required": True,
        "content": {
            "application/json": {"schema": {"type": "object", "properties": {"note": TEXT}, "required": ["note"]}}
        },
    }
    found = tool(
        method="post",
        path="/x/{id}",
        parameters=[
            parameter("page"),
            parameter("id", "path", True),
            parameter("X-Trace", "header", True),
            parameter("visit", "cookie"),
        ],
        requestBody=sent,
    )
    assert takes(found) == {"id": True, "page": False, "X-Trace": True, "visit": False, "note": True}
    assert list(found.tool.input_schema["properties"]) == ["id", "page", "X-Trace", "visit", "note"]


def test_names_that_meet():
    schema = {"type": "object", "required": ["id"], "properties": {"id": TEXT, "query_id": TEXT, "body_id": TEXT}}
    sent = {"required": True, "content": {"application/json": {"schema": schema}}}
    found = tool(
        method="post",
        path="/x/{id}",
        parameters=[parameter("id", "header"), parameter("id"), parameter("id", "path", True)],
        requestBody=sent,
    )
    bound = {(p.location, p.name): p.argument for p in found.binding.parameters}
    assert bound == {("path", "id"): "id", ("query", "id"): "query_id", ("header", "id"): "header_id"}
    assert found.binding.body is not None
    assert [(f.name, f.argument) for f in found.binding.body.fields] == [
        ("id", "body_id"),
        ("query_id", "body_query_id"),
        ("body_id", "body_body_id"),
    ]
    assert takes(found)["body_id"]
    assert "`id` is called `query_id` here: the name is already another argument's." in {n.why for n in found.notes}


def test_parameters_of_the_path_are_shared_and_overruled():
    item = {
        "parameters": [parameter("id", "path", True), parameter("a"), parameter("b")],
        "get": {"operationId": "op", "responses": OK, "parameters": [parameter("b", required=True)]},
    }
    assert takes(source({"/x/{id}": item}).tools["op"]) == {"id": True, "a": False, "b": True}


def test_headers_that_mean_nothing_or_too_much():
    assert takes(tool(parameters=[parameter("Accept", "header", True), parameter("authorization", "header")])) == {}
    found = tool(parameters=[parameter("Transfer-Encoding", "header"), parameter("a\r\nb", "header")])
    assert takes(found) == {}
    assert len(found.notes) == 2
    assert refusal(parameters=[parameter("Host", "header", True)])[0] == "parameter"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            parameter("a", style="deepObject", schema={"type": "array", "items": TEXT}),
            "is a list, which deepObject cannot write",
        ),
        (
            parameter("a", schema={"type": "array", "items": {"type": "array", "items": TEXT}}),
            "inside of a list or object",
        ),
        (
            parameter(
                "a",
                style="deepObject",
                schema={"type": "object", "properties": {"b": {"type": "object", "properties": {"c": TEXT}}}},
            ),
            "inside of",
        ),
        (parameter("a", "cookie", schema={"type": "array", "items": TEXT}), "several cookies"),
        (parameter("a", "header", style="form"), "is none for a header"),
        (parameter("a", schema=None, content={"application/xml": {}}), "application/xml"),
    ],
)
def test_what_cannot_be_sent(given: dict[str, Any], sentence: str):
    left_out = tool(parameters=[given])
    assert takes(left_out) == {}
    assert sentence in left_out.notes[0].why
    reason, why = refusal(parameters=[{**given, "required": True}])
    assert (reason, sentence in why) == ("parameter", True)


def test_paths_and_their_parameters():
    assert refusal(path="/x/{id}") == ("broken", "`id` of the path is no parameter.")
    assert refusal(path="/x/../y")[0] == "broken"
    assert refusal(path="/x?action=1")[0] == "broken"
    assert refusal(path="x")[0] == "broken"
    assert takes(tool(parameters=[parameter("id", "path", True)])) == {}  # the path has no place for it
    assert tool(path="/a b/ü/{x}", parameters=[parameter("x", "path", True)]).binding.path == "/a%20b/%C3%BC/{x}"


def test_descriptions_defaults_and_deprecation():
    schema = {"type": "integer", "default": 5, "description": "In the schema."}
    found = tool(
        parameters=[
            parameter("a", description="Of the parameter.", deprecated=True, schema=schema),
            parameter("b", schema=schema),
        ]
    )
    assert found.tool.input_schema["properties"] == {
        "a": {"type": "integer", "default": 5, "description": "Of the parameter.", "deprecated": True},
        "b": schema,
    }
    assert (
        tool(summary="Get it.", description="All of it.", deprecated=True).tool.description
        == "Deprecated.\n\nGet it.\n\nAll of it."
    )
    assert tool().tool.description == "GET /x"
