"""Documents of one operation or a few, for the tests."""

from __future__ import annotations

import json
from typing import Any

from compiler.loader.files import Refused
from compiler.sources.openapi.read import read_openapi
from compiler.sources.openapi.source import OpenApiSource, OpenApiTool, Problem, Read
from compiler.types.from_schema import BadSchema, parameters

OK = {"200": {"description": "Done.", "content": {"application/json": {"schema": {}}}}}


def files(**texts: Any) -> Read:
    """A project of these files; `__` in a name is `/`, the extension is .json where the content is no text."""
    known = {}
    for name, content in texts.items():
        path = name.replace("__", "/")
        if isinstance(content, str):
            known[f"{path}.yaml"] = content
        else:
            known[f"{path}.json"] = json.dumps(content)
    return lambda path: known[path] if path in known else Refused("E0216", f"There is no file `{path}`.")


def document(paths: dict[str, Any], version: str = "3.1.0", **more: Any) -> dict[str, Any]:
    return {"openapi": version, "info": {"title": "Test", "version": "1"}, "paths": paths, **more}


def source(paths: dict[str, Any], version: str = "3.1.0", **more: Any) -> OpenApiSource:
    found = read_openapi(files(api=document(paths, version, **more)), "api.json")
    assert isinstance(found, OpenApiSource), found
    return found


def operation(
    version: str = "3.1.0", *, method: str = "get", path: str = "/x", components: Any = None, **what: Any
) -> OpenApiSource:
    """A document of one operation, called `op`."""
    whole = {"operationId": "op", "responses": OK, **what}
    return source({path: {method: whole}}, version, **({"components": components} if components else {}))


def tool(version: str = "3.1.0", **what: Any) -> OpenApiTool:
    found = operation(version, **what)
    assert not found.refused, found.refused
    return found.tools["op"]


def refusal(version: str = "3.1.0", **what: Any) -> tuple[str, str]:
    """Reason and sentence of the only operation."""
    found = operation(version, **what)
    assert len(found.refused) == 1, found.tools
    return found.refused[0].reason, found.refused[0].why


def problem(text: str, path: str = "api.yaml") -> Problem:
    found = read_openapi(lambda _: text, path)
    assert isinstance(found, Problem), found
    return found


def result(schema: Any, version: str = "3.1.0", **schemas: Any) -> Any:
    """The output schema of an operation that answers by `schema`, `schemas` being components."""
    responses = {"200": {"description": "", "content": {"application/json": {"schema": schema}}}}
    return tool(version, responses=responses, components={"schemas": schemas}).tool.output_schema


def body(
    schema: Any,
    media: str = "application/json",
    required: bool = True,
    version: str = "3.1.0",
    encoding: Any = None,
    **schemas: Any,
) -> OpenApiTool:
    """A tool that sends a body of `schema`."""
    content = {media: {"schema": schema, **({"encoding": encoding} if encoding else {})}}
    sent = {"required": required, "content": content}
    return tool(version, method="post", requestBody=sent, components={"schemas": schemas})


TEXT = {"type": "string"}


def takes(found: OpenApiTool) -> dict[str, bool]:
    """The arguments of a tool, and whether they are required. The record is closed and has a type."""
    schema = found.tool.input_schema
    assert schema["additionalProperties"] is False
    assert not isinstance(parameters(schema), BadSchema)
    return {name: name in schema.get("required", ()) for name in schema["properties"]}


def parameter(name: str, place: str = "query", required: bool = False, **more: Any) -> dict[str, Any]:
    return {"name": name, "in": place, "required": required, **({"schema": TEXT} | more)}
