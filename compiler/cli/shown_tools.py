"""Tools as `chainc tools` shows them: in the language of chains."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compiler.project import LockedTool
    from compiler.types.from_schema import Note
    from stdlib.values.types import Record, Type

MOST_TOLD = 160
"""Characters of a description."""
MOST_NOTES = 8
"""Places of a tool where its schemas say more than its types."""


def block(opening: str, lines: Iterable[str]) -> str:
    """A declaration with what stands in it; empty where that is nothing."""
    inside = "".join(f"  {line}\n" for line in lines)
    return f"{opening} {{\n{inside}}}\n" if inside else ""


def declared(tool: LockedTool, claimed: str | None = None, *, own: bool = False) -> Iterator[str]:
    """What it is for, and `tool NAME takes … returns …`; a result that is not declared is left out.

    `claimed`: the type that an import says it returns. `own`: it is declared in the language, not by a server, so its
    description is not cut, and the defaults of parameters are shown.
    """
    from compiler.loader.lock_shape import visible
    from compiler.types.from_schema import BadSchema, from_schema, parameters
    from stdlib.values.show import show

    told = visible(" ".join(tool.description.split()), _ALL if own else MOST_TOLD)
    if told:
        yield f"/// {told}"
    taken = parameters(tool.input_schema)
    given = from_schema(tool.output_schema) if tool.output_schema is not None else None
    for found, what in ((taken, "takes"), (given, "returns")):
        if isinstance(found, BadSchema):
            yield f"// I cannot read what it {what}: {visible(found.why, MOST_TOLD)}"
        elif found is not None:
            yield from _unsaid(what, found.notes)
    takes = returns = ""
    if not isinstance(taken, BadSchema):
        yield from _pages(tool, taken.record, None if given is None or isinstance(given, BadSchema) else given.type)
        takes = f" takes {_one_line(_with_defaults(taken.record) if own else show(taken.record, _ALL))}"
    if claimed is not None:
        returns = f" returns {_one_line(claimed)}"
    elif given is not None and not isinstance(given, BadSchema):
        returns = f" returns {_one_line(show(given.type, _ALL))}"
    yield f"tool {tool.alias}{takes}{returns}"


def _pages(tool: LockedTool, taken: Record, given: Type | None) -> Iterator[str]:
    """That it gives its answer in pages: which argument asks for another one, which field tells whether there is."""
    from compiler.loader.lock_shape import visible
    from compiler.types.paging import paging

    how = paging(taken, given, tool.pages)
    if how is not None:
        asks = f"`{visible(how.argument)}` asks for another" if how.argument else "no argument asks for another"
        tells = f", `{visible('.'.join(how.signs[0]))}` tells whether there is one" if how.signs else ""
        size = f", `{visible(how.size)}` says how long one is" if how.size else ""
        yield f"// gives its answer in pages: {asks}{tells}{size}"


def _with_defaults(taken: Record) -> str:
    from dataclasses import replace

    from stdlib.values.show import show

    parts = []
    for field in taken.fields:
        given = field.default is not None and field.default[0] is not None
        one = show(replace(taken, fields=(replace(field, required=field.required or given),)), _ALL)
        default = f" = {json.dumps(field.default[0], ensure_ascii=False)}" if given and field.default else ""
        parts.append(f"{one.removeprefix('{ ').removesuffix(' }')}{default}")
    return f"{{ {', '.join(parts)} }}" if parts else "{}"


def _unsaid(what: str, notes: tuple[Note, ...]) -> Iterator[str]:
    """Where the schema says more than the type below; the schema is enforced when a chain runs."""
    from compiler.loader.lock_shape import visible

    for note in notes[:MOST_NOTES]:
        told = visible(f"{note.pointer or '/'}: {note.why}", MOST_TOLD)
        yield f"// {what} less than its type says, by its schema at {told}"
    if len(notes) > MOST_NOTES:
        yield f"// … and at {len(notes) - MOST_NOTES} more places"


_ALL = 1_000_000


def _one_line(text: str) -> str:
    from compiler.loader.lock_shape import visible

    return visible(text, _ALL)
