"""server/: the bundle as a Python package that starts as an MCP server, its runtime inside.

The package needs neither chainc nor its sources: `NAME/_runtime/` is the standard library as it is installed here,
whose imports are relative for this purpose.
"""

from __future__ import annotations

import json
import keyword
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from compiler.emit.artefact import Artefact, Bundle
from compiler.emit.openai import decoders_of
from compiler.emit.template import fill
from compiler.project import Settings
from dsl.diagnostics import Sink
from stdlib.plan.document import to_text
from stdlib.plan.openapi import credential_variables
from stdlib.plan.plan import Command, Http, OpenApi, Stdio, Transport
from stdlib.values.header_value import from_variable

DEPENDENCIES = ("jsonschema>=4.23,<5", "mcp>=2.3,<3", "pydantic>=2.11,<3")
"""What a generated package takes from the index; mcp brings anyio, httpx2, starlette and uvicorn."""

EXTRAS = {"otel": ("opentelemetry-exporter-otlp-proto-http>=1.30,<2", "opentelemetry-sdk>=1.30,<2")}
"""What it can take beside: `pip install NAME[otel]` has spans."""

_RUNTIME_FILES = (".py", ".json", ".chain", ".typed")
_LEFT_OUT = ("schemas", "examples")
"""What is published for other programs and for people; nothing reads it at run time."""
_BESIDE = """
    annotated-types anyio attrs click exceptiongroup h11 httpcore2 httpx2 idna jsonschema jsonschema-specifications mcp
    mcp-types opentelemetry-api pydantic pydantic-core pyjwt python-multipart pywin32 referencing rpds-py sse-starlette
    starlette truststore typing-extensions typing-inspection uvicorn
"""
_NEEDED = frozenset(_BESIDE.split())
"""Distributions that are installed beside a generated package: one of the same name would take their place."""
_TAKEN = frozenset(name.replace("-", "_") for name in _NEEDED) | frozenset(
    ("attr", "jwt", "multipart", "opentelemetry", "rpds", "server")
)
"""What they are imported as."""


def emit_server(bundle: Bundle, sink: Sink) -> Iterator[Artefact]:
    """The package below `server/`; the same bundle gives the same files and, built, the same wheel."""
    module = module_name(bundle.plan.name)
    values = _values(bundle, module)
    for name in ("pyproject.toml", "README.md"):
        yield Artefact(f"server/{name}", fill(f"server.{name}", **values))
    for name in ("__init__.py", "__main__.py"):
        yield Artefact(f"server/{module}/{name}", fill(f"server.{name}", **values))
    yield Artefact(f"server/{module}/plan.json", to_text(bundle.plan))
    yield Artefact(f"server/{module}/catalogue.json", to_text(bundle.catalogue))
    yield Artefact(f"server/{module}/openai.decoders.json", decoders_of(bundle))
    for path, text in bundle.files.items():
        yield Artefact(f"server/{module}/sources/{path}", text)
    for path, text in runtime_files():
        yield Artefact(f"server/{module}/_runtime/{path}", text)


def server_options(settings: Settings) -> tuple[str, ...]:
    """What the manifest decides for a server, as options of the command; those given later win."""
    options = {
        "profile": settings.profile,
        "consent": settings.consent,
        "ask-first": ",".join(settings.ask_first),
        "groups": ",".join(settings.groups),
        "stages": ",".join(settings.stages),
        "discovery-above": settings.discovery_above,
    }
    return tuple(f"--{name}={value}" for name, value in options.items() if value)


def module_name(name: str) -> str:
    """The import package for a project: its name in lower case, never one that hides a package it needs."""
    module = re.sub(r"[^a-z0-9_]+", "_", name.lower()).strip("_") or "tools"
    if module[0].isdigit():
        module = f"tools_{module}"
    if module in _TAKEN or keyword.iskeyword(module) or module in sys.stdlib_module_names:
        module += "_server"
    return module


def distribution_name(name: str) -> str:
    """The name for the package index and the command (core metadata: letters, digits, `.`, `_`, `-`), never that of a
    package which it needs (compared as indexes do, PEP 503)."""
    written = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("._-") or "tools"
    return f"{written}-server" if re.sub(r"[-_.]+", "-", written).lower() in _NEEDED else written


def distribution_version(version: str) -> str:
    """The version as PEP 440 has it: what follows a `-` becomes a pre-release where it is one, else a local label."""
    core, dash, rest = version.partition("-")
    found = re.fullmatch(r"(alpha|beta|rc|a|b)\.?(\d*)", rest)
    if not dash or found is None:
        label = re.sub(r"[^A-Za-z0-9]+", ".", rest).strip(".").lower()
        return f"{core}+{label}" if label else core
    kind = {"alpha": "a", "beta": "b"}.get(found[1], found[1])
    return f"{core}{kind}{found[2] or '0'}"


@cache
def runtime_files() -> tuple[tuple[str, str], ...]:
    """The standard library's files as (path, text), ordered by path."""
    return tuple(sorted(_below(files("stdlib"), "")))


def _below(folder: Traversable, prefix: str) -> Iterator[tuple[str, str]]:
    for each in folder.iterdir():
        path = f"{prefix}{each.name}"
        if each.is_dir():
            if not each.name.startswith((".", "__pycache__")) and each.name not in _LEFT_OUT:
                yield from _below(each, f"{path}/")
        elif each.name.endswith(_RUNTIME_FILES):
            yield path, each.read_text(encoding="utf-8")


def _values(bundle: Bundle, module: str) -> dict[str, Any]:
    """What the templates show."""
    name = distribution_name(bundle.plan.name)
    variables = _variables(bundle)
    started: dict[str, Any] = {"command": name, "args": []}
    if variables:
        started["env"] = {each: f"<{each}>" for each in variables}
    reached = {"type": "http", "url": "http://127.0.0.1:8765/mcp"}
    return {
        "name": name,
        "project": bundle.plan.name,
        "module": module,
        "version": distribution_version(bundle.plan.version),
        "dependencies": DEPENDENCIES,
        "extras": EXTRAS,
        "options": json.dumps(server_options(bundle.settings)),
        "tools": bundle.visible(),
        "variables": variables,
        "programs": sorted({name for each in bundle.plan.sources.values() for name in _programs(each.transport)}),
        "standard": _json({"mcpServers": {name: started}}),
        "vscode": _json({"servers": {name: {"type": "stdio", **started}}}),
        "http": _json({"mcpServers": {name: reached}}),
    }


def _variables(bundle: Bundle) -> list[str]:
    """Names of the environment variables that the sources need."""
    return sorted({name for each in bundle.plan.sources.values() for name in _variables_of(each.transport)})


def _variables_of(transport: Transport) -> tuple[str, ...]:
    match transport:
        case Http(headers=headers):
            return tuple(found.variable for value in headers.values() if (found := from_variable(value)) is not None)
        case OpenApi(auth=auth):
            return tuple(name for each in auth.values() for name in credential_variables(each))
        case Stdio(env=env) | Command(env=env):
            return env
        case _:
            return ()


def _programs(transport: Transport) -> tuple[str, ...]:
    match transport:
        case Stdio(command=program) | Command(program=program):
            return (program,)
        case _:
            return ()


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
