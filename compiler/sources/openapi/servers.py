"""Server Objects: where a service is."""

from __future__ import annotations

import re

from compiler.sources.openapi.documents import At
from compiler.sources.openapi.source import Server
from stdlib.values.plain import plain

_VARIABLE = re.compile(r"\{([^{}]*)\}")
MOST_SERVERS = 50


def read_servers(at: At) -> tuple[Server, ...]:
    """The servers of a document, path or operation; those that are no place of HTTP are left out."""
    given = at.value if isinstance(at.value, list) else []
    found = [_server(at.get(i)) for i in range(min(len(given), MOST_SERVERS))]
    return tuple(server for server in found if server is not None)


def _server(at: At) -> Server | None:
    """Variables get their default; one without default leaves no URL."""
    url, missing = at.text("url"), False

    def default(match: re.Match[str]) -> str:
        nonlocal missing
        value = at.get("variables", match[1]).text("default")
        missing = missing or not value
        return value

    url = _VARIABLE.sub(default, url).strip()
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", url)
    if missing or not url or plain(url, 2000) != url or (scheme and scheme[1].lower() not in ("http", "https")):
        return None
    return Server(url, plain(at.text("description"), 200))
