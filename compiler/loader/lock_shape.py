"""What a lock file says: `lock/NAME.json`, written by `chainc sync`, read whenever NAME is imported.

A source that an import names by its file is called by the path of that file: `lock/chains/scoring.py.json`.
"""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from compiler.loader.operation_shape import BINDING, SERVICE
from compiler.loader.shape import Anything, Choice, Either, ListOf, MapOf, Shape, Table, Text
from compiler.project import (
    CommandProgram,
    HttpServer,
    OpenApiService,
    PythonModule,
    StandardModule,
    StdioServer,
    Transport,
)
from stdlib.values.digest import digest
from stdlib.values.plain import written_out

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
            "SHA-256 of canonical JSON: of name, input and output schema, and of all that the lock holds of the tool.",
        ),
        "offered": Anything(table=True, doc="The tool as the server offered it."),
        "scopes": ListOf(Text(), "What its caller must be allowed to do."),
        "binding": BINDING,
        "pages": Table(
            {
                "style": Choice(("cursor", "page", "offset", "link")),
                "argument": Text(doc="The argument that asks for another page."),
                "field": ListOf(Text(), "Where the result leads to the next page: names, from outside inwards."),
            },
            ("style",),
            "What an OpenAPI document says about pages of the answer, beside its schemas.",
        ),
    },
    ("alias", "digest", "offered"),
)
LOCK: Final[Shape] = Table(
    {
        "format": Choice((FORMAT,)),
        "source": Text(".+"),
        "asked": Either(
            {
                "command": Table(
                    {"command": Text(), "args": ListOf(Text()), "env": ListOf(Text()), "cwd": Text()}, ("command",)
                ),
                "url": Table({"url": Text(), "headers": MapOf(Text(), Text())}, ("url",)),
                "document": Table(
                    {"document": Text(), "base_url": Text(), "auth": MapOf(Text(), Anything())}, ("document",)
                ),
                "file": Table({"file": Text()}, ("file",)),
                "module": Table({"module": Text()}, ("module",)),
            },
            "How the server was reached, as the manifest had it.",
        ),
        "server": Table({"name": Text(), "version": Text()}, ("name", "version"), "As the server called itself."),
        "package": Table({"name": Text(), "version": Text()}, ("name", "version"), "The package of the command."),
        "protocol": Text(doc="The version of the Model Context Protocol that was spoken, or of OpenAPI."),
        "files": MapOf(Text(), _DIGEST, "The files of an OpenAPI document or Python module with the SHA-256 of each."),
        "service": SERVICE,
        "digest": Text("[0-9a-f]{64}", doc="SHA-256 of canonical JSON: of `asked`, `files` and `service`."),
        "tools": ListOf(_TOOL, "Sorted by name."),
    },
    ("format", "source", "asked", "server", "tools"),
    "What a source offered when it was last asked.",
)

MOST_NAME: Final = 200


def lock_path(name: str) -> str:
    """The lock file of a source, relative to the project."""
    return f"{FOLDER}/{name}.json"


def asked(transport: Transport) -> dict[str, Any]:
    """How a source is reached, as the lock keeps it; what is empty is left out."""
    whole: dict[str, Any]
    match transport:
        case StdioServer(command=command, args=args, env=env, cwd=cwd):
            whole = {"command": command, "args": list(args), "env": list(env), "cwd": cwd}
        case HttpServer(url=url, headers=headers):
            whole = {"url": url, "headers": dict(headers)}
        case OpenApiService(document=document, base_url=base_url, auth=auth):
            whole = {"document": document, "base_url": base_url, "auth": dict(auth)}
        case PythonModule(file=file, module=module):
            whole = {"file": file, "module": module}
        case CommandProgram(program=program, env=env, cwd=cwd):
            whole = {"program": program, "env": list(env), "cwd": cwd}
        case StandardModule(name=name):
            whole = {"standard": name}
    return {key: value for key, value in whole.items() if value}


def alias_of(name: str) -> str:
    """The name with `_` for every character that a word of the language cannot have, and before a leading digit."""
    alias = "".join(c if c == "_" or (c.isascii() and c.isalnum()) else "_" for c in name)
    return f"_{alias}" if alias[:1].isdigit() else alias


def quoted(name: str) -> str:
    """The name of a tool as chains write it where no word can say it."""
    return json.dumps(name, ensure_ascii=False)


def aliases_of(names: Iterable[str]) -> dict[str, str]:
    """How chains write each of the tools of one source: by the word that is its name or its alias; in quotes where that
    word means another tool, or may mean several."""
    made = {name: alias_of(name) for name in names}
    count = Counter(made.values())
    return {name: word if name == word or count[word] == 1 else quoted(name) for name, word in made.items()}


def schema_digest(offered: dict[str, Any]) -> str:
    """What the runtime compares with the live server: name, input and output schema (see `stdlib.plan.digest`)."""
    name, takes, gives = offered["name"], offered["inputSchema"], offered.get("outputSchema")
    return digest({"name": name, "inputSchema": takes, "outputSchema": gives})


def tool_digest(tool: Mapping[str, Any]) -> str:
    """All of an entry of the lock: what was offered and, where there is more, how it is called."""
    more = {key: tool[key] for key in ("binding", "pages", "scopes") if key in tool}
    return digest({"offered": tool["offered"], **more} if more else tool["offered"])


def service_digest(lock: Mapping[str, Any]) -> str:
    """How the lock of an OpenAPI source reaches its service."""
    return digest({key: lock.get(key, {}) for key in ("asked", "files", "service")})


def bad_name(name: str) -> str:
    """Why a name cannot be shown or written safely, as the end of a sentence; empty where it can."""
    if not name:
        return "is empty"
    if len(name) > MOST_NAME:
        return f"is longer than {MOST_NAME} characters"
    return hidden_in(name)


def hidden_in(name: str) -> str:
    """Which character of a name nobody sees, as the end of a sentence; empty where there is none."""
    hidden = next((c for c in name if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")), None)
    return f"has the invisible character U+{ord(hidden):04X}" if hidden else ""


def visible(text: str, most: int = 80) -> str:
    """A text of a server in a message: invisible characters as `\\u{…}`, cut where it is long."""
    return written_out(text[:most]) + ("…" if len(text) > most else "")
