"""Where primitive tools come from, and the tools that chains call."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .expression import Expression
from .model import JsonSchema, Model
from .openapi import OpenApi as OpenApi


class Effects(Model):
    """Tool annotations after the protocol's defaults."""

    read_only: bool = False
    idempotent: bool = False
    destructive: bool = True
    open_world: bool = True


class Stdio(Model):
    """A server started as a program: looked up beside the interpreter, then on PATH. `env` holds names of variables."""

    kind: Literal["stdio"] = "stdio"
    command: str
    args: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    cwd: str | None = None


class Http(Model):
    """A streamable HTTP server. Header values are literal, or `env:NAME`, fixed words and a blank before it or not
    (`Bearer env:NAME`)."""

    kind: Literal["http"] = "http"
    url: str
    headers: dict[str, str] = {}


class Python(Model):
    """Functions of a file, or of a module that is installed: one of the two. `file` is relative to the folder of
    sources: the project's, or `sources` of a bundle."""

    kind: Literal["python"] = "python"
    file: str | None = None
    module: str | None = None


class CommandArgument(Model):
    """One argument of a program, or each of a list where `spread`.

    `guarded`: the value comes from outside and no `--` stands before it, so that it must not begin with `-`.
    """

    value: Expression
    spread: bool = False
    guarded: bool = False


class Invocation(Model):
    """One run of a program: its expressions see the parameters of the tool, null where they are left out.

    `stdin`: a text as it is, any other value as JSON; null or None: nothing.
    """

    arguments: tuple[CommandArgument, ...] = ()
    stdin: Expression | None = None


class Command(Model):
    """A program that is started for every call, without a shell; found as `Stdio` finds one. `invocations` by the key
    of the tool."""

    kind: Literal["command"] = "command"
    program: str
    env: tuple[str, ...] = ()
    cwd: str | None = None
    invocations: dict[str, Invocation] = {}


class Std(Model):
    """A module of the standard library."""

    kind: Literal["std"] = "std"
    name: str


Transport = Annotated[Stdio | Http | OpenApi | Python | Command | Std, Field(discriminator="kind")]


class ParseRule(Model):
    """How the text of a result becomes a value. `match`: Python `re`, one record a match, a field a named group."""

    mode: Literal["text", "json", "jsonl", "lines", "csv", "match"]
    pattern: str | None = None


class Tool(Model):
    """A primitive tool as locked. `digest` covers name, input and output schema as offered.

    `result_schema` is what a result is checked against: the claim where there is one, else the output schema;
    None: the result is { text, content }. `name` is the server's; the key of a tool in its source differs from it
    where two files claim different things about one tool (`NAME#2`). `description`: the server's own words, for clients
    that are shown the tool itself. `scopes`: what who calls the tool itself must be allowed to do. `handle`: the kind
    of handle under which a result is kept as it comes; `result_schema` is then that of the kind.
    """

    name: str
    description: str = ""
    input_schema: JsonSchema
    output_schema: JsonSchema | None = None
    result_schema: JsonSchema | None = None
    parse: ParseRule | None = None
    handle: str | None = None
    effects: Effects = Effects()
    cost: float = 0.0
    scopes: tuple[str, ...] = ()
    digest: str


class Source(Model):
    """Where primitive tools come from: `kind` is that of the import, `transport` the way there. `tools` holds those
    that chains of this plan call. `alias`: what workflows call it, where that is not its name in the plan."""

    kind: Literal["mcp", "openapi", "python", "command", "std"] = "mcp"
    transport: Transport
    server: str | None = None
    alias: str | None = None
    tools: dict[str, Tool]
