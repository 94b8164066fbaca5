"""What a person exports before the imported sources are used."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence

from compiler.loader.lock_shape import visible
from compiler.loader.secrets import harmless
from compiler.sources.clients.placeholders import PLACEHOLDER, variable_in
from compiler.sources.clients.taken import Needed


def exports(needed: Mapping[str, Sequence[Needed]]) -> Iterator[str]:
    """A line for each variable; `needed` by source. A value is shown where it is plainly no secret."""
    wanted: dict[str, list[tuple[str, Needed]]] = {}
    for source, several in needed.items():
        for each in several:
            wanted.setdefault(each.name, []).append((source, each))
    for name, uses in wanted.items():
        values = {each.value for _, each in uses if each.value is not None}
        shown = {_shown(name, value) for value in values}
        told = ", ".join(f"`{source}`" + (f": {each.why}" if each.why else "") for source, each in uses)
        differ = "; their values differ there, here one is for all" if len(values) > 1 else ""
        yield f"export {name}={shown.pop() if len(shown) == 1 else '…'}  # {told}{differ}"


def _shown(name: str, value: str) -> str:
    """What stands behind `=`."""
    other = variable_in(value)
    if other is not None and other[0] == "" and other[1] != name:
        return f'"${other[1]}"'
    return visible(shlex.quote(value), 200) if harmless(name, value) and not PLACEHOLDER.search(value) else "…"
