"""The files of one document, and where a `$ref` in them leads. Nothing is fetched: only files below the root."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote

from compiler.loader.files import Refused
from compiler.loader.lock_shape import visible
from compiler.sources.openapi.document import Unreadable, read_document
from compiler.sources.openapi.source import Place, Problem, Read, Unserved
from compiler.types.refs import resolve

MOST_FILES: Final = 500
MOST_HOPS: Final = 32
"""So many references may lead to references."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")


@dataclass(frozen=True, slots=True)
class At:
    """A value of a document and its place; references have been followed."""

    value: Any
    place: Place

    def get(self, *keys: str | int) -> At:
        """What is inside, None where there is nothing."""
        value = self.value
        for key in keys:
            if isinstance(value, dict) and isinstance(key, str):
                value = value.get(key)
            elif isinstance(value, list) and isinstance(key, int) and key < len(value):
                value = value[key]
            else:
                value = None
        return At(value, self.place.at(*keys))

    def record(self, what: str) -> dict[str, Any]:
        """The value, which must be an object; raises Unserved."""
        if not isinstance(self.value, dict):
            raise Unserved("broken", self.place, f"{what} must be an object.")
        return self.value

    def list(self, what: str) -> list[Any]:
        """The value, which must be a list, empty where it is missing; raises Unserved."""
        if self.value is None:
            return []
        if not isinstance(self.value, list):
            raise Unserved("broken", self.place, f"{what} must be a list.")
        return self.value

    def text(self, key: str) -> str:
        """A text inside, empty where there is none."""
        found = self.value.get(key) if isinstance(self.value, dict) else None
        return found if isinstance(found, str) else ""

    def flag(self, key: str, default: bool = False) -> bool:
        found = self.value.get(key, default) if isinstance(self.value, dict) else default
        return found if isinstance(found, bool) else default


class Documents:
    """Every file is read once, when something in it is first asked for."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._values: dict[str, Any | Problem] = {}

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(self._values)

    def value(self, file: str) -> Any | Problem:
        if file not in self._values:
            self._values[file] = self._load(file)
        return self._values[file]

    def _load(self, file: str) -> Any | Problem:
        if len(self._values) >= MOST_FILES:
            return Problem(Place(file), f"The document has more than {MOST_FILES} files.")
        text = self._read(file)
        if isinstance(text, Refused):
            return Problem(Place(file), text.message)
        value = read_document(file, text)
        return Problem(Place(file), value.why, value.line) if isinstance(value, Unreadable) else value

    def follow(self, ref: object, place: Place) -> At:
        """One step: what the reference in `place` names. Raises Unserved."""
        if not isinstance(ref, str):
            raise Unserved("reference", place, "A reference is a text.")
        shown = f"`{visible(ref)}`"
        location, _, fragment = ref.partition("#")
        file = place.file
        if location:
            if _SCHEME.match(location):
                raise Unserved("reference", place, f"{shown} is on another machine; nothing is fetched.")
            path = unquote(location)
            file = posixpath.normpath(posixpath.join(posixpath.dirname(place.file), path))
            if path.startswith("/") or "\\" in path or "\0" in path or file.split("/")[0] == "..":
                raise Unserved("reference", place, f"{shown} leads out of the project.")
        value = self.value(file)
        if isinstance(value, Problem):
            raise Unserved("reference", place, f"{shown} cannot be followed. {visible(value.why, 300)}")
        found = resolve(value, f"#{fragment}")
        if found is None:
            raise Unserved("reference", place, f"{shown} leads nowhere.")
        return At(found[1], Place(file, found[0]))

    def resolved(self, at: At) -> At:
        """What stands at `at`, references followed to their end. Raises Unserved."""
        first, seen = at.place, {at.place}
        while isinstance(at.value, Mapping) and "$ref" in at.value:
            at = self.follow(at.value["$ref"], at.place.at("$ref"))
            if at.place in seen or len(seen) > MOST_HOPS:
                raise Unserved("reference", first, "The references here lead in a circle.")
            seen.add(at.place)
        return at
