"""Responses Objects: what the successes of an operation give, as one schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from compiler.loader.lock_shape import visible
from compiler.sources.openapi.documents import At, Documents
from compiler.sources.openapi.parameters import is_json
from compiler.sources.openapi.schemas import SchemaWriter
from compiler.sources.openapi.source import Unserved
from stdlib.plan.openapi import Response

_SUCCESS = re.compile(r"2(?:[0-9]{2}|[xX]{2})")
_EMPTY = ("204", "205")
_MEDIA = re.compile(r"[\w!#$&^.+*-]+/[\w!#$&^.+*-]+(?:\s*;[ -~]*)?", re.ASCII)
_NO_VALUES = ("text/event-stream", "application/x-ndjson", "application/jsonl")
"""Streams of many values."""
_NULL: dict[str, Any] = {"type": "null"}
_SCHEMAS: Mapping[str, dict[str, Any]] = {
    "none": _NULL,
    "text": {"type": "string"},
    "bytes": {"type": "string", "format": "byte"},
}


@dataclass(frozen=True, slots=True)
class Results:
    """`schema`: of a success, definitions not yet added; None where no success has a described body."""

    responses: tuple[Response, ...]
    accept: tuple[str, ...]
    schema: dict[str, Any] | None


def read_responses(documents: Documents, writer: SchemaWriter, at: At, method: str) -> Results:
    """Of one success with several media types JSON is taken, else text, else bytes. A success without a body gives
    null; several successes give one of their results. Without any 2xx `default` is the success. Raises Unserved."""
    given = at.record("`responses`") if at.value is not None else {}
    statuses = [status for status in given if _SUCCESS.fullmatch(status)] or [s for s in ("default",) if s in given]
    if method == "HEAD":
        return Results(tuple(Response(status=s.upper(), body="none") for s in statuses), (), _NULL)
    bodies = {status: _content(documents, at.get(status), status) for status in statuses}
    accept = tuple(dict.fromkeys(media for media, _ in filter(None, bodies.values()) if "*" not in media))
    described = [each for each in bodies.values() if each is not None]
    if not described and not (statuses and all(status in _EMPTY for status in statuses)):
        return Results((), (), None)
    responses: list[Response] = []
    schemas: list[dict[str, Any]] = []
    for status, body in bodies.items():
        form = "none" if body is None else _form(body[0])
        wire = status if status == "default" else status.upper()
        responses.append(Response.model_validate({"status": wire, "body": form}))
        schema = _SCHEMAS[form] if body is None or form != "json" else writer.write(body[1])
        if schema not in schemas:
            schemas.append(schema)
    return Results(tuple(responses), accept, schemas[0] if len(schemas) == 1 else {"anyOf": schemas})


def _content(documents: Documents, at: At, status: str) -> tuple[str, At] | None:
    """Media type and schema of one success; None where it has no body."""
    at = documents.resolved(at)
    at.record("A response")
    content = at.get("content")
    if content.value is None or content.value == {} or status in _EMPTY:
        return None
    media_types = list(content.record("`content`"))
    for wanted in (is_json, _is_text, _is_bytes):
        for media in media_types:
            if wanted(media):
                return media, content.get(media, "schema")
    names = ", ".join(visible(media) for media in media_types)
    raise Unserved("response_body", content.place, f"A success is {names}, which cannot be read as one value.")


def _form(media: str) -> str:
    return "json" if is_json(media) else "text" if _is_text(media) else "bytes"


def _is_text(media: str) -> bool:
    name = media.partition(";")[0].strip().lower()
    return name not in _NO_VALUES and (name.startswith("text/") or name.endswith(("/xml", "+xml", "/yaml")))


def _is_bytes(media: str) -> bool:
    name = media.partition(";")[0].strip().lower()
    return bool(_MEDIA.fullmatch(media)) and name not in _NO_VALUES and not name.startswith("multipart/")
