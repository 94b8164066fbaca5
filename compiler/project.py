"""What the loader hands on: the project's files parsed, its manifest read, its locked sources at hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from dsl.tree import File

JsonSchema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Annotations:
    """A tool's effects after the protocol's defaults."""

    read_only: bool = False
    idempotent: bool = False
    destructive: bool = True
    open_world: bool = True


@dataclass(frozen=True, slots=True)
class LockedTool:
    """A primitive tool as the server offered it (schemas untouched). `alias` is the name usable without quotes.

    `annotations` is None where the server said nothing about effects.
    """

    name: str
    alias: str
    description: str
    input_schema: JsonSchema = field(repr=False)
    output_schema: JsonSchema | None = field(repr=False)
    annotations: Annotations | None
    digest: str


@dataclass(frozen=True, slots=True)
class StdioServer:
    command: str
    args: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    cwd: str | None = None


@dataclass(frozen=True, slots=True)
class HttpServer:
    url: str
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class LockedSource:
    """A source of the manifest with the tools its lock file holds. `transport` is how to reach it."""

    name: str
    kind: Literal["mcp"]
    transport: StdioServer | HttpServer
    server: str
    tools: Mapping[str, LockedTool]


@dataclass(frozen=True, slots=True)
class Module:
    """One `.chain` file. `imports` maps an alias to a module path (kind chain) or a source name (kind mcp).

    An import that could not be loaded (already reported) is absent from both maps but in `broken`.
    """

    path: str
    file: File
    chain_imports: Mapping[str, str]
    source_imports: Mapping[str, str]
    broken: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Settings:
    """The manifest's answers, defaults filled in. Bytes and milliseconds."""

    name: str
    version: str
    language: str = "1"
    profile: Literal["semantic", "all"] = "semantic"
    groups: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()
    inline_limit: int = 16 * 1024
    openai_policy: Literal["encode", "prose", "non_strict", "refuse"] = "encode"


@dataclass(frozen=True, slots=True)
class Project:
    """`root` is the folder of the manifest (absolute, never in an artefact). `modules` by project-relative path in
    dependency order (imported ones first); `entries` are the files whose chains become tools."""

    root: str
    settings: Settings
    modules: Mapping[str, Module]
    entries: tuple[str, ...]
    sources: Mapping[str, LockedSource]
