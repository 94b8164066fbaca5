"""The one flat record of arguments of an operation, and the rule for its names.

Arguments are called as in the document. Where two would have one name, the order path, query, header, cookie, body
decides: the first keeps it, the others put their place before it (`query_id`, `body_id`), numbered where that is
taken, too (`body_id_2`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from compiler.loader.lock_shape import bad_name, visible
from compiler.sources.openapi.source import Note, Place, Unserved


@dataclass(slots=True)
class Arguments:
    """Filled while an operation is read, in the order of the rule."""

    properties: dict[str, dict[str, Any]] = field(default_factory=dict)
    required: list[str] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    def add(self, name: str, location: str, schema: dict[str, Any], required: bool, place: Place) -> str:
        """The name under which it goes. Raises Unserved where its own cannot be written."""
        bad = bad_name(name)
        if bad:
            raise Unserved("name", place, f"The name `{visible(name)}` {bad}.")
        taken, n = name, 1
        while taken in self.properties:
            taken = f"{location}_{name}" + (f"_{n}" if n > 1 else "")
            n += 1
        if taken != name:
            self.notes.append(
                Note(place, f"`{name}` is called `{taken}` here: the name is already another argument's.")
            )
        self.properties[taken] = schema
        if required:
            self.required.append(taken)
        return taken

    def schema(self) -> dict[str, Any]:
        """A closed record of all arguments."""
        whole: dict[str, Any] = {"type": "object", "properties": self.properties, "additionalProperties": False}
        return {**whole, "required": self.required} if self.required else whole
