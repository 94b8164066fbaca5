"""What a lock file says: `lock/NAME.json`, written by `chainc sync`, read whenever NAME is imported."""

from __future__ import annotations

import unicodedata
from typing import Any, Final

from compiler.loader.manifest_shape import NAME
from compiler.loader.shape import Anything, Choice, Either, ListOf, MapOf, Shape, Table, Text
from compiler.project import HttpServer, StdioServer
from stdlib.values.digest import digest

FORMAT: Final = "chainc.lock/1"
FOLDER: Final = "lock"

_DIGEST: Final = Text("[0-9a-f]{64}")
_TOOL: Final = Table(
    {
        "alias": Text("[A-Za-z_][A-Za-z0-9_]*", doc="The name that needs no quotes in a chain."),
        "digest": Table(
            {
                "schema": _DIGEST,
                "tool": _DIGEST,
            },
            ("schema", "tool"),
            "SHA-256 of canonical JSON: of name, input and output schema, and of all that was offered.",
        ),
        "offered": Anything(table=True, doc="The tool as the server offered it."),
    },
    ("alias", "digest", "offered"),
)
LOCK: Final[Shape] = Table(
    {
        "format": Choice((FORMAT,)),
        "source": Text(NAME),
        "asked": Either(
            {
                "command": Table(
                    {"command": Text(), "args": ListOf(Text()), "env": ListOf(Text()), "cwd": Text()}, ("command",)
                ),
                "url": Table({"url": Text(), "headers": MapOf(Text(), Text())}, ("url",)),
            },
            "How the server was reached, as the manifest had it.",
        ),
        "server": Table({"name": Text(), "version": Text()}, ("name", "version"), "As the server called itself."),
        "package": Table({"name": Text(), "version": Text()}, ("name", "version"), "The package of the command."),
        "protocol": Text(doc="The version of the Model Context Protocol that was spoken."),
        "tools": ListOf(_TOOL, "Sorted by name."),
    },
    ("format", "source", "asked", "server", "protocol", "tools"),
    "What an MCP server offered when it was last asked.",
)

MOST_NAME: Final = 200


def lock_path(name: str) -> str:
    """The lock file of a source, relative to the project."""
    return f"{FOLDER}/{name}.json"


def asked(transport: StdioServer | HttpServer) -> dict[str, Any]:
    """How a server is reached, as the lock keeps it; what is empty is left out."""
    if isinstance(transport, HttpServer):
        whole: dict[str, Any] = {"url": transport.url, "headers": dict(transport.headers)}
    else:
        args, env = list(transport.args), list(transport.env)
        whole = {"command": transport.command, "args": args, "env": env, "cwd": transport.cwd}
    return {key: value for key, value in whole.items() if value}


def alias_of(name: str) -> str:
    """The name with `_` for every character that a word of the language cannot have, and before a leading digit."""
    alias = "".join(c if c == "_" or (c.isascii() and c.isalnum()) else "_" for c in name)
    return f"_{alias}" if alias[:1].isdigit() else alias


def schema_digest(offered: dict[str, Any]) -> str:
    """What the runtime compares with the live server: name, input and output schema (see `stdlib.plan.digest`)."""
    name, takes, gives = offered["name"], offered["inputSchema"], offered.get("outputSchema")
    return digest({"name": name, "inputSchema": takes, "outputSchema": gives})


def bad_name(name: str) -> str:
    """Why a name cannot be shown or written safely, as the end of a sentence; empty where it can."""
    if not name:
        return "is empty"
    if len(name) > MOST_NAME:
        return f"is longer than {MOST_NAME} characters"
    hidden = next((c for c in name if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")), None)
    return f"has the invisible character U+{ord(hidden):04X}" if hidden else ""


def visible(text: str, most: int = 80) -> str:
    """A text of a server in a message: invisible characters as `\\u{…}`, cut where it is long."""
    shown = "".join(f"\\u{{{ord(c):x}}}" if bad_name(c) else c for c in text[:most])
    return shown + ("…" if len(text) > most else "")
