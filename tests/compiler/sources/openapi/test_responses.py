"""Responses → what a tool gives."""

from __future__ import annotations

from typing import Any

import pytest

from .documents import TEXT, refusal, tool

BYTES = {"type": "string", "format": "byte"}

JSON = "application/json"


def success(**by_status: Any) -> dict[str, Any]:
    """Responses: `s200={media: schema}`, None for none."""
    return {
        name.removeprefix("s"): {
            "description": "",
            **({} if content is None else {"content": {m: {"schema": s} for m, s in content.items()}}),
        }
        for name, content in by_status.items()
    }


@pytest.mark.parametrize(
    ("responses", "schema", "bodies"),
    [
        (success(s200={JSON: TEXT}, s404={JSON: {"type": "integer"}}), TEXT, {"200": "json"}),
        (success(s200={JSON: TEXT}, s201={JSON: {}}), {"anyOf": [TEXT, {}]}, {"200": "json", "201": "json"}),
        (success(s200={JSON: TEXT}, s204=None), {"anyOf": [TEXT, {"type": "null"}]}, {"200": "json", "204": "none"}),
        (success(s204=None), {"type": "null"}, {"204": "none"}),
        (success(s2xx={JSON: TEXT}), TEXT, {"2XX": "json"}),
        (success(default={JSON: TEXT}), TEXT, {"default": "json"}),
        (success(s200={"text/plain": TEXT}), TEXT, {"200": "text"}),
        (success(s200={"text/csv": {}, "application/hal+json": TEXT}), TEXT, {"200": "json"}),
        (success(s200={"image/png": {}, JSON: TEXT}), TEXT, {"200": "json"}),
        (success(s200={"image/png": {}}), BYTES, {"200": "bytes"}),
        (success(s200={"application/pdf": {}, "application/xml": {}}), {"type": "string"}, {"200": "text"}),
        (
            success(s200={"application/octet-stream": {}}, s204=None),
            {"anyOf": [BYTES, {"type": "null"}]},
            {"200": "bytes", "204": "none"},
        ),
        (success(s200=None), None, {}),
        (success(s302=None), None, {}),
        ({}, None, {}),
    ],
)
def test_successes(responses: Any, schema: Any, bodies: dict[str, str]):
    found = tool(responses=responses)
    assert found.tool.output_schema == schema
    assert {each.status: each.body for each in found.binding.responses} == bodies
    assert found.binding.raw == (schema is None)


def test_results_that_cannot_be_read():
    assert refusal(responses=success(s200={"text/event-stream": {}})) == (
        "response_body",
        "A success is text/event-stream, which cannot be read as one value.",
    )
    assert refusal(responses=success(s200={"application/x-ndjson": {}}))[0] == "response_body"
    assert refusal(responses=success(s200={"multipart/mixed": {}}))[0] == "response_body"


def test_head_has_no_body():
    found = tool(method="head", responses=success(s200={"image/png": {}}))
    assert found.tool.output_schema == {"type": "null"}
    assert found.binding.accept == ()
