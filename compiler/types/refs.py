"""Where a `$ref` of a schema leads. Only places inside the same document: nothing is ever fetched.

JSON Schema 2020-12 section 8: `$id` begins a resource of its own, to which the references inside of it are relative;
`$anchor` and `$dynamicAnchor` name a place in a resource. In draft-07 `$id: "#name"` does that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from urllib.parse import unquote, urljoin

MOST_VISITED = 200_000
"""So many places of a document are searched for names."""

_VALUES = frozenset(("const", "enum", "default", "example", "examples"))
"""Keywords that hold values, in which nothing is a schema…"""
_NAMES = frozenset(
    ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "schemas", "responses")
)
"""… unless they are names, as below these."""
_NOWHERE = object()


class References:
    """What the references of one document mean. `base` is its URI, where it has one; names are looked for once."""

    def __init__(self, root: object, base: str = "") -> None:
        self._root, self._base = root, base

    def resolve(self, ref: str, at: str = "") -> tuple[str, object] | None:
        """(JSON pointer, schema) of `#`, `#/a/b` (RFC 6901), `#anchor`, or the same behind the URI of a `$id`.

        `at` is where the reference stands. None where there is no such place.
        """
        location, _, fragment = ref.partition("#")
        around, uri = self.around(at)
        fragment = unquote(fragment)
        if location:
            pointer = self.resources.get(joined(uri, location))
            return None if pointer is None else self._inside(pointer, fragment)
        found = self._inside(around, fragment)
        # Many who write `$id` still mean the whole document by `#/…`: so does what the resource itself lacks.
        return self._inside("", fragment) if found is None and fragment.startswith("/") else found

    def around(self, at: str) -> tuple[str, str]:
        """Pointer and URI of the innermost resource around a place: that of a `$id`, or the document."""
        found, node, pointer = ("", self._base), self._root, ""
        for token in (*at.split("/")[1:], ""):
            name = _id(node)
            if name is not None:
                found = pointer, joined(found[1], name)
            node, pointer = _step(node, token), f"{pointer}/{token}"
        return found

    @property
    def resources(self) -> Mapping[str, str]:
        """The pointer of each `$id`, by its URI; the first one counts."""
        return self._named[0]

    def _inside(self, start: str, fragment: str) -> tuple[str, object] | None:
        """A fragment of the resource that begins at `start`."""
        pointer = start + fragment
        if fragment and not fragment.startswith("/"):
            named = self._named[1].get((start, fragment))
            if named is None:
                return None
            pointer = named
        node = self._root
        for token in pointer.split("/")[1:]:
            node = _step(node, token)
        return None if node is _NOWHERE else (pointer, node)

    @cached_property
    def _named(self) -> tuple[dict[str, str], dict[tuple[str, str], str]]:
        """Pointers of resources by URI, and of anchors by the pointer of their resource and their name."""
        resources: dict[str, str] = {}
        anchors: dict[tuple[str, str], str] = {}
        pending: list[tuple[str, object, str | int, str, str]] = [("", self._root, "", "", self._base)]
        for pointer, node, key, around, uri in pending:
            name = _id(node)
            if name is not None:
                around, uri = pointer, joined(uri, name)
                resources.setdefault(uri, pointer)
            for anchor in _anchors(node):
                anchors.setdefault((around, anchor), pointer)
            if len(pending) < MOST_VISITED:
                pending += ((below(pointer, step), inner, step, around, uri) for step, inner in _schemas(node, key))
        return resources, anchors


def joined(base: str, ref: str) -> str:
    """A reference as a whole URI (RFC 3986 section 5); what is none stays as it is written."""
    try:
        return urljoin(base, ref)
    except ValueError:
        return ref


def below(pointer: str, *keys: str | int) -> str:
    """The pointer of something inside."""
    return pointer + "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in keys)


def _step(node: object, token: str) -> object:
    """One step of a pointer (RFC 6901 section 4): an index has no zeros in front."""
    key = token.replace("~1", "/").replace("~0", "~")
    if isinstance(node, dict):
        return node.get(key, _NOWHERE)
    is_index = key.isascii() and key.isdigit() and len(key) < 9 and (key == "0" or key[0] != "0")
    return node[int(key)] if isinstance(node, list) and is_index and int(key) < len(node) else _NOWHERE


def _id(node: object) -> str | None:
    """The `$id` that makes a resource, without its fragment."""
    name = node.get("$id") if isinstance(node, dict) else None
    return name.partition("#")[0] or None if isinstance(name, str) else None


def _anchors(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        for keyword in ("$anchor", "$dynamicAnchor"):
            if isinstance(name := node.get(keyword), str):
                yield name
        old = node.get("$id")
        if isinstance(old, str) and old.startswith("#"):
            yield old[1:]


def _schemas(node: object, key: str | int) -> Iterator[tuple[str | int, object]]:
    """What is inside of a node that lies below `key`, as far as it can be or hold a schema."""
    if isinstance(node, dict):
        yield from ((k, v) for k, v in node.items() if k not in _VALUES or key in _NAMES)
    elif isinstance(node, list):
        yield from enumerate(node)
