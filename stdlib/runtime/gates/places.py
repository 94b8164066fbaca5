"""Where in the arguments of a tool addresses and paths stand, as its input schema says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

EACH: Final = ""
"""In the way to a place: every item of a list, or every further field of a record. No parameter has this name."""

_KINDS: Final[Mapping[str, Literal["url", "path"]]] = {
    "uri": "url",
    "url": "url",
    "iri": "url",
    "path": "path",
    "file-path": "path",
    "directory-path": "path",
}
_DEEPEST: Final = 8
_MOST: Final = 10_000


@dataclass(frozen=True, slots=True)
class Place:
    """`way`: names of fields from the arguments inwards, `EACH` for whatever is there."""

    way: tuple[str, ...]
    kind: Literal["url", "path"]

    def texts(self, arguments: Any) -> Iterator[str]:
        """The texts that stand there."""
        yield from _texts(arguments, self.way)


def places(schema: Mapping[str, Any]) -> tuple[Place, ...]:
    """By `format`: `uri`, `url`, `iri`, and `path`, `file-path`, `directory-path` (as Python's paths are declared).
    Records, lists, alternatives and references within the schema are followed, `_DEEPEST` levels, `_MOST` nodes."""
    walk = _Walk(schema)
    walk.look(schema, (), 0)
    return tuple(dict.fromkeys(walk.found))


class _Walk:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self.found: list[Place] = []
        self._root = root
        self._left = _MOST

    def look(self, node: Any, way: tuple[str, ...], depth: int) -> None:
        self._left -= 1
        if not isinstance(node, Mapping) or depth > _DEEPEST or self._left < 0:
            return
        kind = _KINDS.get(node["format"]) if isinstance(node.get("format"), str) else None
        if kind is not None:
            self.found.append(Place(way, kind))
        if isinstance(node.get("$ref"), str):
            self.look(_referred(self._root, node["$ref"]), way, depth + 1)
        for keyword in ("anyOf", "oneOf", "allOf", "prefixItems"):
            forms = node.get(keyword)
            inner = (*way, EACH) if keyword == "prefixItems" else way
            for each in forms if isinstance(forms, list) else ():
                self.look(each, inner, depth + 1)
        properties = node.get("properties")
        for name, each in properties.items() if isinstance(properties, Mapping) else ():
            self.look(each, (*way, name), depth + 1)
        for keyword in ("items", "additionalProperties"):
            self.look(node.get(keyword), (*way, EACH), depth + 1)


def _referred(root: Mapping[str, Any], reference: str) -> Any:
    if not reference.startswith("#/"):
        return None
    node: Any = root
    for part in reference[2:].split("/"):
        name = part.replace("~1", "/").replace("~0", "~")
        node = node.get(name) if isinstance(node, Mapping) else None
    return node


def _texts(value: Any, way: tuple[str, ...]) -> Iterator[str]:
    if not way:
        if isinstance(value, str):
            yield value
    elif way[0] == EACH:
        for each in value if isinstance(value, list) else value.values() if isinstance(value, dict) else ():
            yield from _texts(each, way[1:])
    elif isinstance(value, dict) and way[0] in value:
        yield from _texts(value[way[0]], way[1:])
