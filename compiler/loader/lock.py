"""Lock files read: damage is told, never guessed around."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from shlex import quote
from typing import Any

from compiler.loader.files import Folder, Refused
from compiler.loader.lock_shape import (
    LOCK,
    alias_of,
    aliases_of,
    asked,
    bad_name,
    lock_path,
    schema_digest,
    service_digest,
    tool_digest,
    visible,
)
from compiler.loader.manifest import ManifestSource
from compiler.loader.reached import differs
from compiler.loader.shape import problems
from compiler.project import Annotations, LockedSource, LockedTool, OpenApiService
from stdlib.values.canonical import JsonError, read_json

MOST_LOCK_BYTES = 64_000_000


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock file: its value, which has the form of `LOCK` and whose digests are right."""

    value: dict[str, Any]

    @property
    def pages(self) -> dict[str, dict[str, Any] | None]:
        """What is said about pages of each answer, by name of the tool."""
        return {tool["offered"]["name"]: tool.get("pages") for tool in self.value["tools"]}

    @property
    def tools(self) -> dict[str, dict[str, Any]]:
        """What was offered, by name."""
        return {tool["offered"]["name"]: tool["offered"] for tool in self.value["tools"]}


def read_lock(folder: Folder, name: str) -> Lock | Refused:
    """The lock of a source. E0219: there is none; E0220: it is damaged; E0225: a name in it is dangerous."""
    path = lock_path(name)
    again = f"Run `chainc sync {name}`."
    text = folder.text(path, MOST_LOCK_BYTES)
    if isinstance(text, Refused):
        if text.code == "E0216":
            return Refused("E0219", f"It is not known yet what `{name}` offers: there is no `{path}`.", again)
        return text
    try:
        value = read_json(text)
        for code, wrong in _damages(value, name):
            return Refused(code, f"`{path}` is damaged: {wrong}", again)
    except JsonError as error:
        return Refused("E0220", f"`{path}` is damaged: {error}", again)
    return Lock(value)


def _damages(value: Any, name: str) -> Iterator[tuple[str, str]]:
    for problem in problems(LOCK, value):
        yield "E0220", problem.message
    if value["source"] != name:
        yield "E0220", f"it is about `{value['source']}`."
    if "document" in value["asked"]:
        yield from _of_service(value)
    names: set[str] = set()
    for i, tool in enumerate(value["tools"]):
        offered = tool["offered"]
        wrong = offered_wrong(offered)
        if wrong:
            yield "E0220", f"tool {i + 1} {wrong}."
        title = offered["name"]
        if bad := bad_name(title):
            yield "E0225", f"the name `{visible(title)}` {bad}."
        if title in names:
            yield "E0220", f"it has `{title}` twice."
        names.add(title)
        edited = tool["digest"] != {"schema": schema_digest(offered), "tool": tool_digest(tool)}
        if edited or tool["alias"] != alias_of(title):
            yield "E0220", f"`{title}` was changed by hand."


def _of_service(value: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if "service" not in value:
        yield "E0220", "`service` is missing."
    for tool in value["tools"]:
        if "binding" not in tool:
            yield "E0220", f"it does not say how `{visible(str(tool['offered'].get('name')))}` is called."
    if "digest" in value and value["digest"] != service_digest(value):
        yield "E0220", "how its service is reached was changed by hand."


def offered_wrong(offered: dict[str, Any]) -> str:
    """What is missing in a tool as offered, as the end of a sentence."""
    if not isinstance(offered.get("name"), str):
        return "has no name"
    if not isinstance(offered.get("inputSchema"), dict):
        return "has no input schema"
    if not isinstance(offered.get("outputSchema"), dict | None):
        return "has an output schema that is no object"
    if not isinstance(offered.get("description"), str | None):
        return "has a description that is no text"
    if not isinstance(offered.get("annotations"), dict | None):
        return "has annotations that are no object"
    return ""


def locked_source(folder: Folder, entry: ManifestSource, lock: Lock, text: str | None = None) -> LockedSource | Refused:
    """The source as chains see it; `text` is what its file holds. E0221: the manifest reaches it in another way now, a
    file of it is another one, or it reaches a service otherwise than manifest and document say."""
    assert entry.transport is not None, "only sources that can be used are read"
    name, value = entry.name, lock.value
    again = f"Run `chainc sync {quote(name)}` and look at the diff."
    if value["asked"] != asked(entry.transport):
        what = f"The manifest starts or reaches `{name}` in another way than when `{lock_path(name)}` was written."
        return Refused("E0221", what, again)
    texts: dict[str, str] = {}
    for path, known in value.get("files", {}).items():
        document = folder.text(path, MOST_LOCK_BYTES)
        if isinstance(document, Refused):
            return document
        if file_digest(document) != known:
            what = f"`{path}` is not as it was when `{lock_path(name)}` was written."
            at_once = f"Run `chainc sync {quote(name)} --yes`, then look at the diff of `{lock_path(name)}`."
            return Refused("E0221", what, at_once)
        texts[path] = document
    if isinstance(entry.transport, OpenApiService):
        root = texts.get(entry.transport.document)
        if "digest" not in value or root is None:
            return Refused("E0221", f"`{lock_path(name)}` does not keep how the service of `{name}` is reached.", again)
        if why := differs(entry.transport, value["service"], root):
            what = f"`{lock_path(name)}` reaches the service of `{name}` in another way than it should. {why}"
            return Refused("E0221", what, again)
    server = f"{value['server']['name']} {value['server']['version']}".strip()
    return LockedSource(name, entry.kind, entry.transport, server, locked_tools(lock), value.get("service"), text)


def locked_tools(lock: Lock) -> dict[str, LockedTool]:
    """The tools as they were locked, by name."""
    tools = lock.value["tools"]
    aliases = aliases_of(tool["offered"]["name"] for tool in tools)
    made = [_tool(tool, aliases[tool["offered"]["name"]]) for tool in tools]
    return {each.name: each for each in made}


def file_digest(text: str) -> str:
    """SHA-256 of a file's text, hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def _tool(tool: dict[str, Any], alias: str) -> LockedTool:
    offered = tool["offered"]
    return LockedTool(
        name=offered["name"],
        alias=alias,
        description=offered.get("description") or "",
        input_schema=offered["inputSchema"],
        output_schema=offered.get("outputSchema"),
        annotations=hinted_effects(offered.get("annotations")),
        digest=tool["digest"]["schema"],
        scopes=tuple(tool.get("scopes", ())),
        binding=tool.get("binding"),
        pages=tool.get("pages"),
    )


def hinted_effects(hints: dict[str, Any] | None) -> Annotations | None:
    """The protocol's hints with its defaults; None where none of the four is given.

    A tool that only reads destroys nothing and may be called twice: those hints mean something for writes only.
    """
    keys = ("readOnlyHint", "idempotentHint", "destructiveHint", "openWorldHint")
    given = {key: hints[key] for key in keys if isinstance(hints.get(key), bool)} if hints else {}
    if not given:
        return None
    read_only = given.get("readOnlyHint", False)
    return Annotations(
        read_only=read_only,
        idempotent=read_only or given.get("idempotentHint", False),
        destructive=not read_only and given.get("destructiveHint", True),
        open_world=given.get("openWorldHint", True),
    )
