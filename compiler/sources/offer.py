"""What a source offers, whatever its kind: the content of a lock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """`offered` by the names of the Model Context Protocol, schemas untouched. `binding`: how it is called, where that
    is not by its name. `pages`: what is said about pages of its answer, beside its schemas."""

    offered: dict[str, Any]
    binding: Mapping[str, Any] | None = field(default=None, repr=False)
    scopes: tuple[str, ...] = ()
    pages: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that is no tool, and why: a sentence. `place`: file and JSON pointer, where it is in a document."""

    name: str
    why: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class Offer:
    """`server` and `version` as the source calls itself; `protocol` is empty where none is spoken. `files`: digests of
    what was read, by path; `service`: how an OpenAPI service is reached. `left_out_together`: a sentence about all that
    are no tools, in place of one about each. `remarks`: what tools lack, or have otherwise than the document says."""

    server: str
    version: str
    tools: tuple[OfferedTool, ...]
    protocol: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    service: Mapping[str, Any] | None = None
    left_out: tuple[LeftOut, ...] = ()
    left_out_together: str = ""
    remarks: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a source could not be asked: the code of the diagnostic, a sentence, what to do."""

    code: str
    message: str
    help: str = ""
