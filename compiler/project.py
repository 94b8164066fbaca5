"""What the loader hands on: the project's files parsed, its manifest read, its locked sources at hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

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
    """A primitive tool as the server offered it (schemas untouched). `alias` is how chains write it: the name usable
    without quotes, or the quoted one where that word means another tool.

    `annotations` is None where the server said nothing about effects.
    """

    name: str
    alias: str
    description: str
    input_schema: JsonSchema = field(repr=False)
    output_schema: JsonSchema | None = field(repr=False)
    annotations: Annotations | None
    digest: str
    scopes: tuple[str, ...] = ()
    binding: Mapping[str, Any] | None = field(default=None, repr=False)
    """How the tool is called, where that is not by its name: for OpenAPI a `stdlib.plan.openapi.Operation`."""
    pages: Mapping[str, Any] | None = field(default=None, repr=False)
    """What an OpenAPI document says about pages of the answer: `style`, `argument` and `field`, a path; all but the
    first may be left out (see `compiler.types.paging`)."""


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
class OpenApiService:
    """A document of the project and the service that it describes. `base_url` None: the document says it.

    `auth` as the manifest has it: the name or kind of a security scheme → `env:NAME`, or user and password so.
    """

    document: str
    base_url: str | None = None
    auth: Mapping[str, str | Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PythonModule:
    """Functions of a file of the project, or of an installed module: one of the two."""

    file: str | None = None
    module: str | None = None


@dataclass(frozen=True, slots=True)
class CommandProgram:
    """A program that is started for every call. `env`: names of the variables that it gets."""

    program: str
    env: tuple[str, ...] = ()
    cwd: str | None = None


@dataclass(frozen=True, slots=True)
class StandardModule:
    """A module of the standard library; `declared` is the path among the modules of the file with its tools."""

    name: str
    declared: str


Transport = StdioServer | HttpServer | OpenApiService | PythonModule | CommandProgram | StandardModule
SourceKind = Literal["mcp", "openapi", "python", "command", "std"]


@dataclass(frozen=True, slots=True)
class LockedSource:
    """A source with the tools its lock file holds. `transport` is how to reach it.

    `name` is the manifest's; where an import names a file, the path of that file in the project; `command:PROGRAM` and
    `std:MODULE` where it names those. The tools of commands and of the standard library are declared in the language,
    so there are none here. `service` is how an OpenAPI service is reached, a `stdlib.plan.openapi.OpenApi` without
    operations; `text` what a file of functions holds, which is shipped with a bundle.
    """

    name: str
    kind: SourceKind
    transport: Transport
    server: str
    tools: Mapping[str, LockedTool]
    service: Mapping[str, Any] | None = field(default=None, repr=False)
    text: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Module:
    """One `.chain` file. Imports map an alias to a module path (kind chain) or to the name of a source (other kinds).

    An import that could not be loaded (already reported) is absent from both maps but in `broken`.
    """

    path: str
    file: File
    chain_imports: Mapping[str, str]
    source_imports: Mapping[str, str]
    broken: frozenset[str] = frozenset()


KEPT_MS: Final = 30 * 86_400_000
"""How old runs are that `chainc runs forget` removes where nobody says another time."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The manifest's answers, defaults filled in. Bytes and milliseconds. `discovery_above`, `store`, `consent` None:
    the server decides. `limits`: of `principal` and `session`, by the names of `stdlib.plan.plan.Allowance`. `mask`:
    patterns with their names. `kept_ms`: how old runs are that `chainc runs forget` removes."""

    name: str
    version: str
    language: str = "1"
    profile: Literal["semantic", "all"] = "semantic"
    groups: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()
    inline_limit: int = 16 * 1024
    result_limit: int = 64 * 1024 * 1024
    handle_limit: int = 1024 * 1024 * 1024
    openai_policy: Literal["encode", "prose", "non_strict", "refuse"] = "encode"
    hosts: tuple[str, ...] = ()
    private_networks: bool = False
    roots: tuple[str, ...] = ()
    consent: Literal["destructive", "listed", "never"] | None = None
    ask_first: tuple[str, ...] = ()
    limits: Mapping[str, Mapping[str, int | float]] = field(default_factory=dict)
    mask: tuple[tuple[str, str], ...] = ()
    replay_window: int = 600_000
    discovery_above: int | None = None
    store: str | None = None
    kept_ms: int = KEPT_MS


@dataclass(frozen=True, slots=True)
class Project:
    """`root` is the folder of the manifest (absolute, never in an artefact). `modules` by project-relative path in
    dependency order (imported ones first); `entries` are the files whose chains become tools."""

    root: str
    settings: Settings
    modules: Mapping[str, Module]
    entries: tuple[str, ...]
    sources: Mapping[str, LockedSource]
