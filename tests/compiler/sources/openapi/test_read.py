"""Documents → tools: names, effects, several files, and what cannot be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compiler.loader.files import Folder
from compiler.project import Annotations
from compiler.sources.openapi.read import read_openapi
from compiler.sources.openapi.source import REASONS, OpenApiSource
from stdlib.plan.openapi import Operation

from .documents import OK, TEXT, document, files, parameter, problem, refusal, source, tool

JSON = "application/json"


def test_names_of_tools():
    get = {"responses": OK}
    found = source(
        {
            "/pets/{petId}/toys.json": {
                "parameters": [parameter("petId", "path", True)],
                "get": get,
                "post": {**get, "operationId": "add-toy"},
            },
            "/other": {
                "post": {**get, "operationId": "add_toy"},
                "put": {**get, "operationId": "bad\u202ename"},
                "patch": {**get, "operationId": ""},
            },
        }
    )
    assert list(found.tools) == ["get_pets_petId_toys_json", "add-toy", "put_other", "post_other", "patch_other"]
    assert found.tools["add-toy"].tool.alias == "add_toy"
    assert not found.refused


def test_names_that_cannot_be_told_apart():
    found = source({"/a-b": {"get": {"responses": OK}}, "/a_b": {"get": {"responses": OK}}})
    assert list(found.tools) == ["get_a_b"]
    assert [(r.operation, r.reason) for r in found.refused] == [("GET /a_b", "name")]


def test_a_name_does_not_move_because_an_operation_is_left_out():
    nowhere = {**parameter("id", "path", True), "schema": {"$ref": "#/components/schemas/None"}}
    found = source(
        {
            "/things": {"get": {"responses": OK}},
            "/a/{id}": {"get": {"operationId": "getThing", "parameters": [nowhere], "responses": OK}},
            "/b": {"delete": {"operationId": "getThing", "responses": OK}, "GET": {}},
            "/c": {"post": {"operationId": "get_things", "responses": OK}},
        }
    )
    assert [r.operation for r in found.refused] == ["GET /things", "GET /a/{id}"]
    assert {name: each.tool.description for name, each in found.tools.items()} == {
        "delete_b": "DELETE /b",
        "get_things": "POST /c",  # the names that the document gives come first
    }
    assert [(each.operation, each.note.why, str(each.note.place)) for each in found.remarks] == [
        ("/b", "`GET` is no method: methods are written small.", "api.json#/paths/~1b/GET"),
        (
            "DELETE /b",
            "It is called `delete_b`, not `getThing`: `getThing` is GET /a/{id}.",
            "api.json#/paths/~1b/delete/operationId",
        ),
    ]


@pytest.mark.parametrize(
    ("method", "effects"),
    [
        ("get", Annotations(True, True, False, True)),
        ("head", Annotations(True, True, False, True)),
        ("options", Annotations(True, True, False, True)),
        ("put", Annotations(False, True, True, True)),
        ("delete", Annotations(False, True, True, True)),
        ("post", Annotations(False, False, True, True)),
        ("patch", Annotations(False, False, True, True)),
    ],
)
def test_effects_by_method(method: str, effects: Annotations):
    assert tool(method=method).tool.annotations == effects


def test_trace_is_refused():
    assert refusal(method="trace")[0] == "method"


SPLIT = {
    "api": "openapi: 3.0.3\ninfo: {title: T, version: 1}\npaths:\n  /pets/{id}: {$ref: 'paths/pet.yaml#/item'}\n",
    "paths__pet": """
item:
  parameters: [{$ref: '../parts.yaml#/id'}]
  get:
    operationId: getPet
    responses:
      200: {$ref: '../parts.yaml#/found'}
""",
    "parts": """
id: {name: id, in: path, required: true, schema: {type: integer}}
found: {description: ok, content: {application/json: {schema: {$ref: 'models/pet.yaml'}}}}
""",
    "models__pet": "type: object\nproperties:\n  name: {type: string}\n"
    "  friend: {$ref: '#'}\n  tag: {$ref: '../parts.yaml#/id/schema'}\n",
}


def test_references_across_files(tmp_path: Path):
    found = read_openapi(files(**SPLIT), "api.yaml")
    assert isinstance(found, OpenApiSource)
    assert found.files == ("api.yaml", "paths/pet.yaml", "parts.yaml", "models/pet.yaml")
    schema = found.tools["getPet"].tool.output_schema
    assert schema == {
        "$ref": "#/$defs/pet",
        "$defs": {
            "pet": {
                "type": "object",
                "properties": {"name": TEXT, "friend": {"$ref": "#/$defs/pet"}, "tag": {"$ref": "#/$defs/schema"}},
            },
            "schema": {"type": "integer"},
        },
    }
    for name, text in SPLIT.items():
        path = tmp_path / f"{name.replace('__', '/')}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert read_openapi(Folder(tmp_path).text, "api.yaml") == found


def test_anchors():
    pet = {"$anchor": "pet", "type": "object", "properties": {"a": TEXT}}
    responses = {"200": {"description": "", "content": {JSON: {"schema": {"$ref": "#pet"}}}}}
    assert tool(responses=responses, components={"schemas": {"Pet": pet}}).tool.output_schema is not None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("swagger: '2.0'", "This is Swagger 2.0."),
        ("openapi: 3.2.0\npaths: {}", "This is OpenAPI 3.2.0; 3.0 and 3.1 can be read."),
        ("openapi: 3.1.0\ninfo: {}", "no paths"),
        ("a: 1", "does not say"),
        ("[]", "no object"),
        ("", "no object"),
        ("a: [", "no YAML"),
    ],
)
def test_what_is_no_document(text: str, sentence: str):
    assert sentence in problem(text).why


def test_a_document_that_is_not_there():
    found = read_openapi(files(), "api.yaml")
    assert getattr(found, "why", "") == "There is no file `api.yaml`."


def test_one_bad_operation_leaves_the_others():
    broken: list[Any] = [
        *(None, 7, "text", []),
        {"parameters": 5},
        {"parameters": [5]},
        {"parameters": [{"name": "a", "in": "body"}]},
        {"requestBody": 5},
        {"responses": []},
        {"responses": {"200": 5}},
        {"responses": {"200": {"content": 5}}},
        {"security": 5},
        {"security": [5]},
    ]
    paths: dict[str, Any] = {f"/b{n}": {"get": each} for n, each in enumerate(broken)}
    found = source({**paths, "/odd": 5, "/good": {"get": {"operationId": "good", "responses": OK}}, "x-more": 1})
    assert list(found.tools) == ["good"]
    assert {r.reason for r in found.refused} == {"broken"}
    assert len(found.refused) == len(broken) + 1
    assert all(r.reason in REASONS for r in found.refused)


def test_bindings_survive_as_json():
    found = tool(
        method="post",
        path="/x/{a}",
        parameters=[parameter("a", "path", True)],
        requestBody={"content": {JSON: {"schema": {}}}},
    )
    assert (
        Operation.model_validate(json.loads(json.dumps(found.binding.model_dump(mode="json", exclude_defaults=True))))
        == found.binding
    )


def test_reading_twice_gives_the_same():
    api = document({"/x": {"get": {"responses": OK}}})
    assert read_openapi(files(api=api), "api.json") == read_openapi(files(api=api), "api.json")
