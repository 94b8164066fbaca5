"""What is read from an OpenAPI document, and what cannot be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from compiler.loader.files import Refused
from compiler.loader.service_address import Server, address
from compiler.project import LockedTool
from compiler.types.refs import below
from stdlib.plan.openapi import Operation

Read = Callable[[str], str | Refused]
"""Gives the text of a file of the project by its path, or says why it cannot be had. It must guard the root."""

REASONS: Final = {
    "broken": "the document is wrong here",
    "reference": "a reference leads nowhere, in circles, or out of the project",
    "schema": "a schema has no finite reading",
    "parameter": "a required parameter cannot be sent",
    "request_body": "no media type of the body can be written",
    "response_body": "no media type of a success can be read",
    "security": "no way of its security can be followed",
    "name": "its name cannot be told apart from another one",
    "method": "its method has no answer to read",
}
"""Why an operation is no tool, by the word in the report."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a document: file (path in the project) and JSON pointer (RFC 6901, empty for all of it)."""

    file: str
    pointer: str = ""

    def at(self, *keys: str | int) -> Place:
        return Place(self.file, below(self.pointer, *keys))

    def __str__(self) -> str:
        return f"{self.file}#{self.pointer}"


@dataclass(frozen=True, slots=True)
class Problem:
    """The document as a whole cannot be used. `line` counts from 1, where it is known."""

    place: Place
    why: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """An operation that is no tool. `operation` is `POST /orders`, `reason` a key of REASONS, `why` a sentence."""

    operation: str
    place: Place
    reason: str
    why: str


@dataclass(frozen=True, slots=True)
class Note:
    """Something that a tool leaves out or has otherwise than the document, and why: a sentence. `lost`: something of
    the operation cannot be reached at all, or not where the document says."""

    place: Place
    why: str
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Remark:
    """A note about an operation (`POST /orders`, or a path) beside what its tool says itself."""

    operation: str
    note: Note


@dataclass(frozen=True, slots=True)
class OpenApiTool:
    """`tool` as chains see it, `binding` how it is called. `scopes`: what OAuth asks for, in the document's order."""

    tool: LockedTool
    binding: Operation
    scopes: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    servers: Place | None = None
    """Where the operation, or its path, has servers of its own."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """A way of authentication that can be followed. For `api_key` also where the key goes and its name there."""

    kind: Literal["bearer", "basic", "api_key"]
    location: Literal["header", "query", "cookie"] = "header"
    name: str = "Authorization"


@dataclass(frozen=True, slots=True)
class OpenApiSource:
    """A document's tools by name, in its order. `files` are all that were read, the document first.

    `secured`: the document says which operations need credentials.
    """

    title: str
    version: str
    openapi: str
    servers: tuple[Server, ...]
    schemes: Mapping[str, Scheme]
    secured: bool
    tools: Mapping[str, OpenApiTool] = field(repr=False)
    refused: tuple[Refusal, ...]
    remarks: tuple[Remark, ...]
    files: tuple[str, ...]

    @property
    def base_url(self) -> str | None:
        """The first server that says where it is."""
        return address(self.servers)


class Unserved(Exception):
    """An operation that cannot be served; caught where the operation is read."""

    def __init__(self, reason: str, place: Place, why: str) -> None:
        super().__init__(why)
        self.reason, self.place, self.why = reason, place, why
