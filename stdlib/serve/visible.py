"""Which tools a client sees. What it does not see it cannot call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..plan.catalogue import Catalogue, Entry
from .options import Options


def visible(catalogue: Catalogue, options: Options) -> tuple[Entry, ...]:
    """The chains of the chosen groups and stages. Without a choice: all. A chain without stages is in every stage."""
    return tuple(entry for entry in catalogue.entries if _is_visible(entry, options.groups, options.stages))


def _is_visible(entry: Entry, groups: tuple[str, ...], stages: tuple[str, ...]) -> bool:
    selection = entry.selection
    in_group = not groups or any(group in groups for group in selection.groups)
    in_stage = not stages or not selection.stages or any(stage in stages for stage in selection.stages)
    return in_group and in_stage


def unknown_tags(catalogue: Catalogue, options: Options) -> Iterator[str]:
    """A sentence for every chosen group or stage that no chain has."""
    yield from _unknown("group", options.groups, (each.selection.groups for each in catalogue.entries))
    yield from _unknown("stage", options.stages, (each.selection.stages for each in catalogue.entries))


def _unknown(what: str, chosen: tuple[str, ...], tags: Iterable[tuple[str, ...]]) -> Iterator[str]:
    known = sorted({tag for some in tags for tag in some})
    for name in chosen:
        if name not in known:
            yield f"no chain has the {what} `{name}`; there are: {', '.join(known) or 'none'}"
