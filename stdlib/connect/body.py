"""Arguments of a tool → the body of its request."""

from __future__ import annotations

import base64
import binascii
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..plan.openapi import Body, BodyField
from ..runtime.clean import compact
from ..runtime.held import Stored
from .styles import Unsendable, one_line, pairs, scalar_text
from .upload import Upload


@dataclass(frozen=True, slots=True)
class Content:
    """Bytes and what they are."""

    content: bytes | Upload
    media_type: str


def body_of(body: Body, arguments: Mapping[str, Any]) -> Content | None:
    """None where there is nothing to send. Raises Unsendable."""
    if body.argument is not None:
        value = arguments.get(body.argument)
        if body.argument not in arguments or (value is None and body.encoding != "json"):
            return None
        if isinstance(value, Stored):
            return Content(Upload((value,)), body.media_type)
        if body.encoding == "text":
            return Content(scalar_text(value).encode(), body.media_type)
        if body.encoding == "file":
            return Content(file_bytes(value), body.media_type)
        if body.encoding == "json":
            return Content(compact(value).encode(), body.media_type)
        if not isinstance(value, dict):
            raise Unsendable("is no object")
        known = {field.name: field for field in body.fields}
        given = [(known.get(name) or _undescribed(name, item), item) for name, item in value.items()]
        return _encoded(body, given, f"{body.argument}.")
    given = [(field, arguments[field.argument]) for field in body.fields if field.argument in arguments]
    if not given and not body.required:
        return None
    if body.encoding == "json":
        return Content(compact({field.name: value for field, value in given}).encode(), body.media_type)
    return _encoded(body, given, "")


def _undescribed(name: str, value: Any) -> BodyField:
    nested = isinstance(value, dict) or (isinstance(value, list) and any(isinstance(v, dict | list) for v in value))
    return BodyField(argument=name, name=name, content="json" if nested else "text")


def _encoded(body: Body, given: list[tuple[BodyField, Any]], within: str) -> Content:
    """`within` stands before the names of fields that are no arguments of their own."""
    form: list[str] = []
    parts: list[Part] = []
    for field, value in given:
        if value is None:
            continue
        try:
            if body.encoding == "form":
                text = compact(value) if field.content == "json" else value
                form += [f"{name}={item}" for name, item in pairs(field, text)]
            else:
                parts += _parts(field, value)
        except Unsendable as found:
            where = f"{within}{field.name}" if within else field.argument
            raise Unsendable(found.problem, f"{where}{found.argument or ''}") from None
    return _multipart(parts) if body.encoding == "multipart" else Content("&".join(form).encode(), body.media_type)


Part = tuple[str, tuple[str | None, bytes | Stored, str | None]]
"""Name, then file name, bytes and media type of one part."""


def _parts(field: BodyField, value: Any) -> list[Part]:
    """A list is sent as parts of one name (RFC 7578 section 4.3), but where it is JSON."""
    if not isinstance(value, list) or field.content == "json":
        return [(field.name, _part(field, value))]
    parts: list[Part] = []
    for i, item in enumerate(value):
        try:
            parts += [(field.name, _part(field, item))] if item is not None else []
        except Unsendable as found:
            raise Unsendable(found.problem, f"[{i}]") from None
    return parts


def _part(field: BodyField, value: Any) -> tuple[str | None, bytes | Stored, str | None]:
    media_type = None if field.media_type is None else one_line(field.media_type)
    if isinstance(value, Stored):
        return field.name if field.content == "file" else None, value, media_type
    match field.content:
        case "file":
            return field.name, file_bytes(value), media_type
        case "json":
            return None, compact(value).encode(), media_type or "application/json"
        case "text":
            return None, scalar_text(value).encode(), media_type


def _multipart(parts: list[Part]) -> Content:
    """multipart/form-data (RFC 7578); the library escapes names and chooses a boundary that nobody can guess."""
    import httpx2

    if not parts:
        boundary = "empty"
        return Content(f"--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}")
    # What comes from the store has a mark in its place while the library writes the rest.
    stored = {secrets.token_hex(32).encode(): content for _, (_, content, _) in parts if isinstance(content, Stored)}
    marks = iter(stored)
    written = [
        (name, (file, next(marks) if isinstance(content, Stored) else content, media_type))
        for name, (file, content, media_type) in parts
    ]
    request = httpx2.Request("POST", "http://localhost/", files=written)
    body = request.read()
    pieces: list[bytes | Stored] = []
    for mark, content in stored.items():
        before, _, body = body.partition(mark)
        pieces += [before, content]
    return Content(Upload((*pieces, body)) if pieces else body, request.headers["Content-Type"])


def file_bytes(value: Any) -> bytes:
    """The bytes of a base64 text (RFC 4648 section 4). Raises Unsendable."""
    try:
        return base64.b64decode(scalar_text(value), validate=True)
    except (binascii.Error, ValueError):
        raise Unsendable("is no base64 text") from None
