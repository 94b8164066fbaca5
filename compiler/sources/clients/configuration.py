"""A client's configuration: all servers in it, under names that a manifest takes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from compiler.loader.lock_shape import visible
from compiler.loader.manifest_shape import NAME
from compiler.sources.clients.jsonc import read_jsonc
from compiler.sources.clients.server import read_server
from compiler.sources.clients.taken import Asked, Found, NotTaken
from stdlib.values.canonical import JsonError

CLIENTS: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "claude_desktop": (("mcpServers",),),
    "vscode": (("servers",), ("mcp", "servers")),
    "cursor": (("mcpServers",),),
}
"""Where the configuration of each client has its servers."""
LONGEST_NAME: Final = 64


class NoConfiguration(Exception):
    """The file is none: a sentence, and what to do."""

    def __init__(self, why: str, hint: str = "") -> None:
        super().__init__(why)
        self.why, self.hint = why, hint


def read_configuration(client: str, text: str, known: Iterable[str] = ()) -> dict[str, Found | NotTaken]:
    """The servers by the names that they get as sources, in their order. `known`: the sources that the manifest has.
    Raises NoConfiguration."""
    try:
        value = read_jsonc(text)
    except JsonError as error:
        raise NoConfiguration(str(error)) from None
    servers = _servers(client, value)
    inputs = _inputs(value)
    return {name: read_server(called, servers[called], name, inputs) for called, name in _names(servers, known).items()}


def _names(servers: Iterable[str], known: Iterable[str]) -> dict[str, str]:
    """The sources' names by what the servers are called. What is a name already stays, whatever comes before it; no two
    differ in case alone, because each is a file of the lock folder."""
    there = {each.lower(): each for each in known}
    names: dict[str, str] = {}
    for called in sorted(servers, key=lambda each: source_name(each) != each):
        taken = [*names.values()]
        while (name := source_name(called, taken)) != there.get(name.lower(), name):
            taken.append(name)
        names[called] = name
    return {called: names[called] for called in servers}


def source_name(called: str, taken: Iterable[str] = ()) -> str:
    """An identifier like what the server is called, and none of `taken`, whatever the case."""
    name = re.sub(r"[^A-Za-z0-9_]+", "_", called).strip("_") or "server"
    name = (name if not name[0].isdigit() else f"server_{name}")[:LONGEST_NAME]
    assert re.fullmatch(NAME, name)
    known, number, free = {each.lower() for each in taken}, 1, name
    while free.lower() in known:
        number += 1
        free = f"{name[: LONGEST_NAME - len(str(number)) - 1]}_{number}"
    return free


def _servers(client: str, value: object) -> dict[str, Any]:
    for path in CLIENTS[client]:
        servers = _at(value, path)
        if isinstance(servers, dict):
            return servers
    wanted = " or ".join(f"`{'.'.join(path)}`" for path in CLIENTS[client])
    others = [o for o, paths in CLIENTS.items() if any(isinstance(_at(value, path), dict) for path in paths)]
    if others:
        write = " or ".join(f"`{other}`" for other in others)
        raise NoConfiguration(f"It has no {wanted}.", f"It looks like one of {' or '.join(others)}: write {write}.")
    raise NoConfiguration(f"It has no {wanted}.")


def _at(value: object, path: tuple[str, ...]) -> object:
    for part in path:
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _inputs(value: object) -> dict[str, Asked]:
    """What the client asks its user for, by id. A default of what is typed unseen is none: it may be a secret."""
    listed = _at(value, ("inputs",)) or _at(value, ("mcp", "inputs"))
    found: dict[str, Asked] = {}
    for each in listed if isinstance(listed, list) else []:
        if isinstance(each, dict) and isinstance(each.get("id"), str):
            said, default = each.get("description"), each.get("default")
            shown = visible(" ".join(said.split())[:120]) if isinstance(said, str) else ""
            open_one = isinstance(default, str) and each.get("password") is not True
            found[each["id"]] = Asked(shown, default if open_one else None)
    return found
