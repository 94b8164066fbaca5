"""What the tools of a document are called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compiler.loader.lock_shape import alias_of, bad_name, visible
from compiler.sources.openapi.operations import Found
from compiler.sources.openapi.source import Note, Remark


def tool_names(found: Sequence[Found]) -> tuple[list[str], list[Remark]]:
    """The name of each operation, empty where none is left for it, and what is to be told.

    An operation is called by its `operationId`, of several with one name or alias the first; the others by method and
    path (`get_pets_petId`). Which of them become tools makes no difference: a name never moves to another operation
    because one was left out.
    """
    names = [""] * len(found)
    taken: dict[str, int] = {}
    for by_id in (True, False):
        for i, each in enumerate(found):
            name = each.at.text("operationId") if by_id else each.plain_name
            if not names[i] and name and not bad_name(name) and alias_of(name) not in taken:
                names[i] = name
                taken[alias_of(name)] = i
    return names, list(_told(found, names, taken))


def _told(found: Sequence[Found], names: Sequence[str], taken: dict[str, int]) -> Iterator[Remark]:
    """Operations that are called otherwise than the document says."""
    for each, name in zip(found, names, strict=True):
        given = each.at.text("operationId")
        if not given or not name or name == given:
            continue
        other = taken.get(alias_of(given))
        bad = bad_name(given)
        why = f"it {bad}" if bad else f"`{visible(names[other])}` is {found[other].shown}" if other is not None else ""
        said = f"It is called `{name}`, not `{visible(given)}`: {why}."
        yield Remark(each.shown, Note(each.at.place.at("operationId"), said, lost=True))
