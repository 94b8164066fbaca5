"""What `chainc.toml` may say."""

from __future__ import annotations

from typing import Final

from compiler.loader.shape import Amount, Anything, Choice, Either, Flag, ListOf, MapOf, Shape, Table, Text, Whole
from stdlib.values.secret_forms import SECRET_FORMS

LANGUAGES: Final = ("1",)
NAME: Final = r"[A-Za-z_][A-Za-z0-9_-]{0,63}"
"""Names of sources: they are words in chains and files in the lock folder."""

_WORD = Text(NAME, '"sales"')
_VARIABLE = Text(r"[A-Za-z_][A-Za-z0-9_]*", '"GITHUB_TOKEN"')
_ENV: Final = ListOf(
    _VARIABLE,
    "Names of variables that the program gets; never their values.",
    "Names only: `env = [{1}]`. Values are set where chainc starts, as by `export {0}=…`.",
)
_DURATION: Final = Text(r"[0-9]{1,9}(?:ms|s|m|h|d)", '"10m"', "A number and ms, s, m, h or d.")
_SIZE: Final = Text(r"[0-9]{1,9}(?:B|KB|MB|GB)", '"16KB"', "A number and B, KB, MB or GB; a KB has 1000 bytes.")
_FOLDER: Final = Text(".+", '"data"', "Where it starts: in the project, from which it is written, or in `allow.roots`.")

STDIO: Final = Table(
    {
        "command": Text(".+", '"mcp-server-git"', "The program, looked up beside the interpreter, then on PATH."),
        "args": ListOf(Text()),
        "env": _ENV,
        "cwd": _FOLDER,
    },
    ("command",),
    "An MCP server that is started as a program.",
)
HTTP: Final = Table(
    {
        "url": Text(r"https?://[^\s/]+.*", '"https://search.example/mcp"'),
        "headers": MapOf(
            Text(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", '"Authorization"'),
            Text(),
            "Values; env:NAME, or Bearer env:NAME, for what is secret.",
        ),
    },
    ("url",),
    "An MCP server that answers over streamable HTTP.",
)
OPENAPI: Final = Table(
    {
        "file": Text(".+", '"shop.openapi.json"', "The document, JSON or YAML."),
        "base_url": Text(r"https?://[^\s/]+.*", '"https://shop.example/v2"', "Instead of the document's first server."),
        "auth": MapOf(
            Text(".+", '"bearer"'),
            Anything(),
            "By the name of a security scheme, or bearer, basic, api_key: env:NAME, or { user, password } so.",
        ),
    },
    ("file",),
    "A service that an OpenAPI document describes.",
)
PYTHON: Final = Either(
    {
        "file": Table({"file": Text(".+", '"scoring.py"', "A file of the project.")}, ("file",)),
        "module": Table(
            {
                "module": Text(
                    r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", '"acme.scoring"', "A module that is installed beside chainc."
                )
            },
            ("module",),
        ),
    },
    "The public functions of a file or module.",
)
COMMAND: Final = Table(
    {
        "program": Text(".+", '"du"', "Looked up beside the interpreter, then on PATH."),
        "env": _ENV,
        "cwd": _FOLDER,
    },
    ("program",),
    "A program that is started for every call.",
)
_SOURCE: Final = Either(
    {
        "mcp": Table({"mcp": Either({"command": STDIO, "url": HTTP})}, ("mcp",)),
        "openapi": Table({"openapi": OPENAPI}, ("openapi",)),
        "python": Table({"python": PYTHON}, ("python",)),
        "command": Table({"command": COMMAND}, ("command",)),
    },
    'Where tools come from; `import … from KIND "NAME"` refers to it.',
)
_PROJECT: Final = Table(
    {
        "name": Text("[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?", '"acme-support"', "Of the server and of its package."),
        "version": Text(r"(?:0|[1-9][0-9]*)(?:\.(?:0|[1-9][0-9]*)){2}", '"1.0.0"', "Three numbers."),
        "language": Choice(LANGUAGES, "The version of the language that the chains are written in."),
        "chains": ListOf(Text(".+", '"chains/*.chain"'), "The files whose chains become tools."),
    },
    ("name", "version", "language"),
)
_SERVER: Final = Table(
    {
        "profile": Choice(("semantic", "all"), "Chains only, or primitive tools, too."),
        "groups": ListOf(_WORD, "The groups that are served; none: all."),
        "stages": ListOf(_WORD),
        "consent": Choice(
            ("destructive", "listed", "never"),
            "What the client's user is asked about first: tools of sources that may destroy something and what "
            "ask_first lists; the latter alone; nothing.",
        ),
        "ask_first": ListOf(Text(r"[A-Za-z_][A-Za-z0-9_.-]{0,127}", '"refund_order"'), "Chains and tools by name."),
        "inline_limit": _SIZE,
        "result_limit": _SIZE,
        "handle_limit": _SIZE,
        "discovery_above": Whole(1, "With more visible tools than this they are found by find_tools."),
        "replay_window": _DURATION,
    }
)
_ALLOWANCE: Final = Table(
    {
        "window": Text(_DURATION.pattern, '"1h"', "How long what was used counts; an hour unless it is said."),
        "calls": Whole(1, "Calls of tools."),
        "bytes": Text(_SIZE.pattern, '"100MB"', "Of results of tools."),
        "time": Text(_DURATION.pattern, '"30m"', "That calls of tools take, added up."),
        "cost": Amount("In the unit of the tools' costs."),
        "parallel": Whole(1, "Calls of a client that are under way at once."),
    }
)
_LIMITS: Final = Table(
    {"principal": _ALLOWANCE, "session": _ALLOWANCE},
    doc="What one principal, and one session, may use within a window of time.",
)
_MASK: Final = Table(
    {
        "builtin": ListOf(Choice(tuple(SECRET_FORMS)), "Well-known secrets."),
        "patterns": MapOf(Text(NAME, "customer"), Text(".+", "'ACME-[0-9]{8}'"), "Python's re, by a name of yours."),
    },
    doc="What clients do not get to see; steps pass it on as it is.",
)
_POLICY: Final = Choice(("encode", "prose", "non_strict", "refuse"), "What is done where strict mode cannot say it.")

STORE: Final = r"memory|sqlite:.+"
MANIFEST: Final[Shape] = Table(
    {
        "project": _PROJECT,
        "sources": MapOf(Text(NAME, "github"), _SOURCE),
        "allow": Table({"roots": ListOf(Text()), "hosts": ListOf(Text()), "private_networks": Flag()}),
        "server": _SERVER,
        "limits": _LIMITS,
        "mask": _MASK,
        "providers": Table({"openai": Table({"policy": _POLICY})}),
        "contracts": Table({"baseline": Text(), "ttl": _DURATION, "client_upgrade": _DURATION, "rollback": _DURATION}),
        "engine": Table(
            {
                "kind": Choice(("local", "dbos", "temporal")),
                "store": Text(STORE, "sqlite:.chainc/state.db"),
                "keep": _DURATION,
            }
        ),
    },
    ("project",),
    "The manifest of a chainc project, chainc.toml.",
)

WITHOUT_EFFECT: Final = (("contracts",),)
"""Understood and checked, but nothing acts on it yet; the author is told."""


def size(text: str) -> int:
    """Bytes of a size such as `16KB`."""
    digits = text.rstrip("KMGB")
    return int(digits) * {"B": 1, "KB": 1000, "MB": 1000**2, "GB": 1000**3}[text[len(digits) :]]


def milliseconds(text: str) -> int:
    """Of a time such as `10m`."""
    digits = text.rstrip("mshd")
    return int(digits) * {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}[text[len(digits) :]]
