"""The files of one document, and where a `$ref` in them leads. Nothing is fetched: only files below the root."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, unquote

from compiler.loader.document import Unreadable, read_document
from compiler.loader.files import Refused
from compiler.loader.lock_shape import visible
from compiler.sources.openapi.source import Place, Problem, Read, Unserved
from compiler.types.refs import References, joined

MOST_FILES: Final = 500
MOST_HOPS: Final = 32
"""So many references may lead to references."""

_SAID: Final = ("summary", "description")
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
        self._references: dict[str, References] = {}
        self._with_ids: list[str] = []

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
        if isinstance(value, Unreadable):
            return Problem(Place(file), value.why, value.line)
        self._references[file] = References(value, quote(file))
        if "$id" in text:
            self._with_ids.append(file)
        return value

    def follow(self, ref: object, place: Place) -> At:
        """One step: what the reference in `place` names. Raises Unserved."""
        if not isinstance(ref, str):
            raise Unserved("reference", place, "A reference is a text.")
        shown = f"`{visible(ref)}`"
        location, _, fragment = ref.partition("#")
        known = self._named(location, place) if location and self._with_ids else None
        file = known.file if known is not None else place.file
        if known is None and location:
            if _SCHEME.match(location):
                raise Unserved("reference", place, f"{shown} is on another machine; nothing is fetched.")
            path = unquote(location)
            file = posixpath.normpath(posixpath.join(posixpath.dirname(place.file), path))
            if path.startswith("/") or "\\" in path or "\0" in path or file.split("/")[0] == "..":
                raise Unserved("reference", place, f"{shown} leads out of the project.")
        value = self.value(file)
        if isinstance(value, Problem):
            raise Unserved("reference", place, f"{shown} cannot be followed. {visible(value.why, 300)}")
        inside = known.pointer if known is not None else "" if location else place.pointer
        found = self._references[file].resolve(f"#{fragment}", inside)
        if found is None:
            raise Unserved("reference", place, f"{shown} leads nowhere.")
        return At(found[1], Place(file, found[0]))

    def _named(self, location: str, place: Place) -> Place | None:
        """The resource with this `$id`, in the file itself or in another one that was read."""
        uri = joined(self._references[place.file].around(place.pointer)[1], location)
        known = ((file, self._references[file].resources) for file in (place.file, *self._with_ids))
        return next((Place(file, pointers[uri]) for file, pointers in known if uri in pointers), None)

    def resolved(self, at: At) -> At:
        """What stands at `at`, references followed to their end. Raises Unserved.

        Words beside a reference count more than those where it leads (OpenAPI 3.1 section 4.8.23).
        """
        *beside, end = self.followed(at)
        said = {key: text for each in reversed(beside) for key in _SAID if (text := each.text(key))}
        return At({**end.value, **said}, end.place) if said and isinstance(end.value, dict) else end

    def followed(self, at: At) -> list[At]:
        """What stands beside each reference on the way, and what stands at its end. Raises Unserved."""
        first, seen, found = at.place, {at.place}, []
        while isinstance(at.value, Mapping) and "$ref" in at.value:
            found.append(At({key: value for key, value in at.value.items() if key != "$ref"}, at.place))
            at = self.follow(at.value["$ref"], at.place.at("$ref"))
            if at.place in seen or len(seen) > MOST_HOPS:
                raise Unserved("reference", first, "The references here lead in a circle.")
            seen.add(at.place)
        return [*found, at]
