"""The tools of the corpus, imported as `chainc sync` and the loader import them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compiler.loader.files import Folder, Refused
from compiler.loader.lock import locked_source, read_lock
from compiler.loader.manifest import ManifestSource
from compiler.project import LockedSource, StdioServer
from compiler.sources.clients.configuration import source_name
from compiler.sources.lock_text import Unfit, lock_text, lock_value
from compiler.sources.offer import Offer, OfferedTool
from compiler.types.from_schema import BadSchema, Note, from_schema, parameters
from dsl.source import Source, Span
from tests.corpus import load

FILES = {"tools-github-mcp-server.json": 53, "tools-livemcpbench.json": 261, "tools-live-servers.json": 137}
_OFFERED = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")


@dataclass(frozen=True, slots=True)
class Imported:
    """A tool of a source. `refused` is (code, why) where it has no types; `notes`: what its types leave to run time."""

    source: str
    name: str
    alias: str
    schema: dict[str, Any]
    notes: tuple[Note, ...] = ()
    result_notes: tuple[Note, ...] = ()
    refused: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Corpus:
    tools: tuple[Imported, ...]
    sources: Mapping[str, LockedSource]


def read(folder: Path) -> Corpus:
    """All tools of the corpus, through locks that are written into `folder`. Skips the test where there is none."""
    offered: dict[str, list[dict[str, Any]]] = {}
    for file, count in FILES.items():
        tools = load(file)["tools"]
        assert len(tools) == count
        for tool in tools:
            name = source_name(f"{file.removeprefix('tools-').removesuffix('.json')} {tool.get('server', '')}")
            offered.setdefault(name, []).append({key: tool[key] for key in _OFFERED if tool.get(key) is not None})
    return imported(offered, folder)


def imported(offered: Mapping[str, list[dict[str, Any]]], folder: Path) -> Corpus:
    """Tools by the names of their sources."""
    found: list[Imported] = []
    sources: dict[str, LockedSource] = {}
    for name, tools in offered.items():
        source = _locked(name, tools, folder)
        if isinstance(source, LockedSource):
            sources[name] = source
            found += [_typed(source, tool["name"]) for tool in tools]
        else:
            found += [Imported(name, each["name"], each["name"], each["inputSchema"], refused=source) for each in tools]
    return Corpus(tuple(found), sources)


def _locked(name: str, tools: list[dict[str, Any]], folder: Path) -> LockedSource | tuple[str, str]:
    how = StdioServer(name)
    offer = Offer("", "", tuple(map(OfferedTool, tools)))
    try:
        text = lock_text(lock_value(name, how, offer, {}))
    except Unfit as unfit:
        return unfit.code, unfit.why
    (folder / "lock").mkdir(exist_ok=True)
    (folder / "lock" / f"{name}.json").write_text(text, "utf-8")
    place = Folder(folder)
    lock = read_lock(place, name)
    entry = ManifestSource(name, "mcp", how, Span(Source("chainc.toml", ""), 0, 0))
    source = lock if isinstance(lock, Refused) else locked_source(place, entry, lock)
    return (source.code, source.message) if isinstance(source, Refused) else source


def _typed(source: LockedSource, name: str) -> Imported:
    tool = source.tools[name]
    taken = parameters(tool.input_schema)
    given = from_schema(tool.output_schema) if tool.output_schema is not None else None
    schema = json.loads(json.dumps(tool.input_schema))
    for what, reading in (("input", taken), ("output", given)):
        if isinstance(reading, BadSchema):
            why = f"its {what} schema at {reading.pointer or '/'}: {reading.why}"
            return Imported(source.name, name, tool.alias, schema, refused=("E0208", why))
    assert not isinstance(taken, BadSchema)
    result_notes = () if given is None or isinstance(given, BadSchema) else given.notes
    return Imported(source.name, name, tool.alias, schema, taken.notes, result_notes)
