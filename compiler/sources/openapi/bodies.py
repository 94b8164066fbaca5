"""Request Body Objects: the fields of an object become arguments, anything else is the argument `body`."""

from __future__ import annotations

from typing import Any, Final, Literal

from compiler.loader.lock_shape import visible
from compiler.sources.openapi.arguments import Arguments
from compiler.sources.openapi.documents import At, Documents
from compiler.sources.openapi.files import FILE, file_schema, files_among, parts_of
from compiler.sources.openapi.flatten import Fields, fields_of
from compiler.sources.openapi.parameters import is_json, unsendable, with_remark
from compiler.sources.openapi.schemas import SchemaWriter
from compiler.sources.openapi.source import Note, Unserved
from compiler.types.from_schema import BadSchema, from_schema
from stdlib.plan.openapi import Body, BodyField
from stdlib.values.types import ListType, MapType, Record, members

Encoding = Literal["json", "form", "multipart", "text", "file"]

_ORDER: Final[tuple[Encoding, ...]] = ("json", "form", "multipart", "text", "file")
"""Of several media types the first in this order is sent."""


def encoding_of(media: str) -> Encoding | None:
    """How a media type is written; None where it cannot be (XML, images as text …)."""
    name = media.partition(";")[0].strip().lower()
    if is_json(name):
        return "json"
    known: dict[str, Encoding] = {"application/x-www-form-urlencoded": "form", "multipart/form-data": "multipart"}
    if name in known:
        return known[name]
    if name.startswith("text/") and name not in ("text/xml", "text/*"):
        return "text"
    binary = name == "application/octet-stream" or name.startswith(("image/", "audio/", "video/", "application/zip"))
    return "file" if binary and "*" not in name else None


def add_body(documents: Documents, writer: SchemaWriter, arguments: Arguments, at: At) -> Body | None:
    """Add the arguments of a request body. Raises Unserved."""
    if at.value is None:
        return None
    at = documents.resolved(at)
    at.record("A request body")
    content = at.get("content")
    media_types = [media for media in content.record("`content`") if encoding_of(media)]
    required = at.flag("required")
    if not media_types:
        names = ", ".join(visible(media) for media in content.value) or "none"
        if not required:
            arguments.notes.append(Note(content.place, f"The body is left out: it is written as {names}.", lost=True))
            return None
        raise Unserved("request_body", content.place, f"The body is written as {names}, which cannot be done.")
    media = min(media_types, key=lambda each: _ORDER.index(encoding_of(each) or "file"))
    encoding = encoding_of(media)
    assert encoding is not None
    one = _Body(
        documents, writer, arguments, content.get(media), encoding, "application/json" if "*" in media else media
    )
    return one.read(at, required)


class _Body:
    def __init__(
        self, documents: Documents, writer: SchemaWriter, arguments: Arguments, media: At, encoding: Encoding, name: str
    ) -> None:
        self.documents, self.writer, self.arguments = documents, writer, arguments
        self.media, self.encoding, self.name = media, encoding, name
        self.files: dict[str, dict[str, Any]] = {}

    def read(self, at: At, required: bool) -> Body:
        schema = self.media.get("schema")
        if self.encoding in ("text", "file"):
            written = dict(FILE) if self.encoding == "file" else {"type": "string"}
            return self.whole(with_remark(written, at), at, required, ())
        fields = fields_of(self.documents, schema, self.writer)
        if fields is None or (fields.required and not required):
            # An optional body with required fields: all of it, or nothing.
            self.mark_files(schema)
            return self.whole(with_remark(self.writer.write(schema), at), at, required, self.described(fields))
        added = [self.added(name, parts, name in fields.required) for name, parts in fields.schemas.items()]
        return Body(encoding=self.encoding, media_type=self.name, fields=tuple(filter(None, added)), required=required)

    def added(self, name: str, parts: list[At], required: bool) -> BodyField | None:
        """One field as an argument; one that need not be sent, and cannot, is left out."""
        try:
            how = self.field(name, name)
        except Unserved as unserved:
            if required or unserved.reason != "request_body":
                raise
            why = f"`{visible(name)}` is left out. {unserved.why}"
            self.arguments.notes.append(Note(parts[0].place, why, lost=True))
            return None
        argument = self.arguments.add(name, "body", self.schema(name, parts), required, parts[0].place)
        return how.model_copy(update={"argument": argument})

    def whole(self, schema: dict[str, Any], at: At, required: bool, fields: tuple[BodyField, ...]) -> Body:
        if self.encoding in ("form", "multipart"):
            self.must_be_object(schema, at)
        argument = self.arguments.add("body", "body", schema, required, at.place)
        return Body(encoding=self.encoding, media_type=self.name, argument=argument, fields=fields, required=required)

    def must_be_object(self, schema: dict[str, Any], at: At) -> None:
        alone = SchemaWriter(self.documents, "request")
        reading = from_schema(alone.finish(alone.write(self.media.get("schema"))))
        if isinstance(reading, BadSchema):
            return  # told for the whole tool
        if not all(isinstance(each, Record | MapType) for each in members(reading.type)):
            raise Unserved("request_body", at.place, f"A body of {self.name} is an object, but its schema is none.")

    def mark_files(self, schema: At) -> None:
        """Within a whole object, too, files are bytes."""
        if self.encoding == "multipart":
            parts = parts_of(self.documents, schema)
            self.files = files_among(self.documents, parts)
            self.writer.instead.update({at.place: file for name, file in self.files.items() for at in parts[name]})

    def described(self, fields: Fields | None) -> tuple[BodyField, ...]:
        """How the fields of a whole object are written; only forms need to know."""
        if self.encoding == "json":
            return ()
        return tuple(self.field(name, name) for name in (self.files if fields is None else fields.schemas))

    def schema(self, name: str, parts: list[At]) -> dict[str, Any]:
        """The schema of one field. Files are bytes: base64 in the argument."""
        file = file_schema(self.documents, parts[0]) if self.encoding == "multipart" else None
        if file is not None:
            return file
        if len(parts) == 1:
            return self.writer.write(parts[0])
        return {"allOf": [self.writer.write(part) for part in parts]}

    def field(self, name: str, argument: str) -> BodyField:
        if self.encoding == "json":
            return BodyField(argument=argument, name=name)
        at = self.documents.resolved(self.media.get("schema"))
        properties = self.properties(name)
        how = self.media.get("encoding", name)
        media = how.text("contentType").partition(",")[0].strip()
        if self.encoding == "multipart":
            return self.part(name, argument, properties, media)
        style = how.text("style") or "form"
        explode = how.flag("explode", style in ("form", "deepObject"))
        if style not in ("form", "spaceDelimited", "pipeDelimited", "deepObject"):
            raise Unserved("request_body", how.place, f"The style {visible(style)} is none for a field of a form.")
        as_json = is_json(media) if media else ("style" not in (how.value or {}) and self.nested(properties))
        if not as_json and self.nested(properties, style, explode):
            raise Unserved("request_body", at.place, f"`{name}` holds what {style} cannot write.")
        content: Literal["text", "json"] = "json" if as_json else "text"
        return BodyField.model_validate(
            {"argument": argument, "name": name, "content": content, "style": style, "explode": explode}
        )

    def part(self, name: str, argument: str, at: At | None, media: str) -> BodyField:
        if name in self.files or (at is not None and file_schema(self.documents, at) is not None):
            named = media if media and "*" not in media else "application/octet-stream"
            return BodyField(argument=argument, name=name, content="file", media_type=named)
        if media and not is_json(media) and not media.lower().startswith("text/"):
            raise Unserved(
                "request_body", self.media.place, f"`{name}` is sent as {visible(media)}, which cannot be done."
            )
        as_json = is_json(media) if media else self.nested(at)
        return BodyField(
            argument=argument, name=name, content="json" if as_json else "text",
            media_type=media or ("application/json" if as_json else None),
        )  # fmt: skip

    def properties(self, name: str) -> At | None:
        fields = fields_of(self.documents, self.media.get("schema"), self.writer)
        return fields.schemas[name][0] if fields is not None and name in fields.schemas else None

    def nested(self, at: At | None, style: str = "form", explode: bool = True) -> bool:
        """Whether a field holds objects (or lists of lists), which a plain form field has no place for."""
        if at is None:
            return False
        alone = SchemaWriter(self.documents, "request")
        reading = from_schema(alone.finish(alone.write(at)))
        if isinstance(reading, BadSchema):
            return False
        if style != "form":
            return bool(unsendable(reading.type, "body", style, explode))
        return any(
            isinstance(each, Record | MapType)
            or (
                isinstance(each, ListType)
                and any(isinstance(m, ListType | Record | MapType) for m in members(each.item))
            )
            for each in members(reading.type)
        )
