"""What a lock says of an OpenAPI service: how it is reached, and how each operation is called.

The same as `OpenApi` and `Operation` of `stdlib.plan.openapi`, which a build makes of it.
"""

from __future__ import annotations

from typing import Final

from compiler.loader.shape import Choice, Flag, Kinds, ListOf, MapOf, Shape, Table, Text

_TEXTS: Final = ListOf(Text())
_STYLE: Final = Choice(("simple", "label", "matrix", "form", "spaceDelimited", "pipeDelimited", "deepObject"))
_PARAMETER: Final = Table(
    {
        "argument": Text(),
        "name": Text(),
        "location": Choice(("path", "query", "header", "cookie")),
        "style": _STYLE,
        "explode": Flag(),
        "reserved": Flag(),
        "json_text": Flag(),
    },
    ("argument", "name", "location", "style"),
)
_FIELD: Final = Table(
    {
        "argument": Text(),
        "name": Text(),
        "content": Choice(("text", "json", "file")),
        "style": _STYLE,
        "explode": Flag(),
        "media_type": Text(),
    },
    ("argument", "name"),
)
_BODY: Final = Table(
    {
        "encoding": Choice(("json", "form", "multipart", "text", "file")),
        "media_type": Text(),
        "argument": Text(),
        "fields": ListOf(_FIELD),
        "required": Flag(),
    },
    ("encoding", "media_type"),
)
_RESPONSE: Final = Table(
    {"status": Text(), "body": Choice(("json", "text", "bytes", "none"))},
    ("status", "body"),
)
BINDING: Final[Shape] = Table(
    {
        "method": Text(),
        "path": Text(),
        "server": Text(),
        "parameters": ListOf(_PARAMETER),
        "body": _BODY,
        "accept": _TEXTS,
        "responses": ListOf(_RESPONSE),
        "raw": Flag(),
        "security": ListOf(_TEXTS),
    },
    ("method", "path"),
    "How an operation of an OpenAPI document is called.",
)
_CREDENTIAL: Final = Kinds(
    {
        "bearer": Table({"variable": Text()}, ("variable",)),
        "basic": Table({"variable": Text(), "password_variable": Text()}, ("variable",)),
        "api_key": Table(
            {"location": Choice(("header", "query", "cookie")), "name": Text(), "variable": Text()},
            ("location", "name", "variable"),
        ),
    }
)
SERVICE: Final[Shape] = Table(
    {
        "kind": Choice(("openapi",)),
        "base_url": Text(),
        "auth": MapOf(Text(), _CREDENTIAL),
        "auth_for_all": _TEXTS,
    },
    ("kind", "base_url"),
    "How the service of an OpenAPI document is reached; names of variables.",
)
