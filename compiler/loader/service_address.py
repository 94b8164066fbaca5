"""Server Objects of an OpenAPI document: where a service is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from stdlib.values.plain import plain

_VARIABLE = re.compile(r"\{([^{}]*)\}")
MOST_SERVERS = 50


@dataclass(frozen=True, slots=True)
class Server:
    """A server of the document, variables filled in with their defaults. A relative URL needs a base URL."""

    url: str
    description: str = ""

    @property
    def absolute(self) -> bool:
        return self.url.lower().startswith(("http://", "https://"))


def read_servers(given: Any) -> tuple[Server, ...]:
    """What `servers` of a document, path or operation holds; servers that are no place of HTTP are left out."""
    found = map(_server, given[:MOST_SERVERS] if isinstance(given, list) else ())
    return tuple(server for server in found if server is not None)


def address(servers: Iterable[Server]) -> str | None:
    """Where the service is: the first server that says so."""
    return next((server.url for server in servers if server.absolute), None)


def _server(given: Any) -> Server | None:
    """Variables get their default; one without default leaves no URL."""
    url, missing = _text(given, "url"), False

    def default(match: re.Match[str]) -> str:
        nonlocal missing
        value = _text(_inside(_inside(given, "variables"), match[1]), "default")
        missing = missing or not value
        return value

    url = _VARIABLE.sub(default, url).strip()
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", url)
    if missing or not url or plain(url, 2000) != url or (scheme and scheme[1].lower() not in ("http", "https")):
        return None
    return Server(url, plain(_text(given, "description"), 200))


def _inside(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _text(value: Any, key: str) -> str:
    found = _inside(value, key)
    return found if isinstance(found, str) else ""
