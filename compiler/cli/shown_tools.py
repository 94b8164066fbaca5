"""Tools as `chainc tools` shows them: in the language of chains."""

from __future__ import annotations

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


def declared(tool: LockedTool, claimed: str | None = None, *, own: bool = False, full: bool = False) -> Iterator[str]:
    """What it is for, and `tool NAME takes … returns … { effects … }`; a result that is not declared is left out.

    `claimed`: the type that an import says it returns. `own`: it is declared in the language, not by a server, so its
    descriptions are not cut; nor are any with `full`.
    """
    from compiler.cli.written_types import written
    from compiler.loader.lock_shape import visible
    from compiler.types.from_schema import BadSchema, from_schema, parameters

    most = _ALL if own or full else MOST_TOLD
    told = visible(" ".join(tool.description.split()), most)
    if told:
        yield f"/// {told}"
    taken = parameters(tool.input_schema)
    given = from_schema(tool.output_schema) if tool.output_schema is not None else None
    for found, what in ((taken, "takes"), (given, "returns")):
        if isinstance(found, BadSchema):
            yield f"// I cannot read what it {what}: {visible(found.why, MOST_TOLD)}"
        elif found is not None:
            yield from _unsaid(what, found.notes, _ALL if full else MOST_NOTES)
    takes, end = ["tool " + tool.alias], ""
    if not isinstance(taken, BadSchema):
        yield from _pages(tool, taken.record, None if given is None or isinstance(given, BadSchema) else given.type)
        takes = _taken(f"tool {tool.alias} takes ", taken.record, most)
    if claimed is not None:
        end = f" returns {_one_line(claimed)}"
    elif given is not None and not isinstance(given, BadSchema):
        end = f" returns {_one_line(written(given.type))}"
    yield from takes[:-1]
    yield f"{takes[-1]}{end}{_effects(tool)}"


def _taken(opening: str, taken: Record, most: int) -> list[str]:
    """The parameters on one line, or each on its own where one of them is described."""
    from compiler.cli.written_types import written, written_field
    from compiler.loader.lock_shape import visible

    if not any(each.doc for each in taken.fields):
        return [f"{opening}{_one_line(written(taken))}"]
    lines = [f"{opening}{{"]
    for each in taken.fields:
        doc = visible(" ".join((each.doc or "").split()), most)
        lines += [f"  /// {doc}"] if doc else []
        lines.append(f"  {_one_line(written_field(each))},")
    return [*lines, "}"]


def _effects(tool: LockedTool) -> str:
    """As its server says, or whoever declares it; nothing where nobody does."""
    from compiler.names.effects import EFFECTS

    if tool.annotations is None:
        return ""
    implied = {"idempotent", "destructive"} if tool.annotations.read_only else set()
    words = [each for each in EFFECTS if each not in implied and getattr(tool.annotations, each)]
    return f" {{ effects {', '.join(words)} }}" if words else ""


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


def _unsaid(what: str, notes: tuple[Note, ...], most: int) -> Iterator[str]:
    """Where the schema says more than the type below; the schema is enforced when a chain runs."""
    from compiler.loader.lock_shape import visible

    for note in notes[:most]:
        told = visible(f"{note.pointer or '/'}: {note.why}", MOST_TOLD)
        yield f"// {what} less than its type says, by its schema at {told}"
    if len(notes) > most:
        yield f"// … and at {len(notes) - most} more places"


_ALL = 1_000_000


def _one_line(text: str) -> str:
    from compiler.loader.lock_shape import visible

    return visible(text, _ALL)
