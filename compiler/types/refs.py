"""Where a `$ref` of a schema leads. Only places inside the same document: nothing is ever fetched."""

from __future__ import annotations

from urllib.parse import unquote

MOST_VISITED = 20_000
"""So many places are searched for an anchor."""


def resolve(root: object, ref: str) -> tuple[str, object] | None:
    """(JSON pointer, schema) of `#`, `#/a/b` (RFC 6901) or `#anchor`; None where there is no such place."""
    if not ref.startswith("#"):
        return None
    fragment = unquote(ref[1:])
    if not fragment:
        return "", root
    if not fragment.startswith("/"):
        return _anchor(root, fragment)
    at = root
    for token in fragment[1:].split("/"):
        key = token.replace("~1", "/").replace("~0", "~")
        if isinstance(at, dict) and key in at:
            at = at[key]
        elif isinstance(at, list) and key.isascii() and key.isdigit() and len(key) < 9 and int(key) < len(at):
            at = at[int(key)]
        else:
            return None
    return fragment, at


def below(pointer: str, *keys: str | int) -> str:
    """The pointer of something inside."""
    return pointer + "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in keys)


def _anchor(root: object, name: str) -> tuple[str, object] | None:
    """`$anchor` (2019-09 and later) or `$id: "#name"` (draft-07), breadth first."""
    pending: list[tuple[str, object]] = [("", root)]
    for pointer, at in pending:
        if isinstance(at, dict):
            if at.get("$anchor") == name or at.get("$id") == f"#{name}":
                return pointer, at
            pending += [(below(pointer, key), value) for key, value in at.items()]
        elif isinstance(at, list):
            pending += [(below(pointer, i), value) for i, value in enumerate(at)]
        if len(pending) > MOST_VISITED:
            return None
    return None
