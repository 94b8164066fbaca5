"""Tools of the standard library that are called, and that the manifest lets reach nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from compiler.check.arguments import path_place, written_path
from compiler.loader.sources import STANDARD
from compiler.names.calls import ChainTarget
from compiler.program import ToolSignature
from compiler.types.report import Report
from dsl import tree

Calls = Sequence[tuple[tree.Call, ToolSignature | ChainTarget | None]]
"""The calls of a chain, and what each means."""

OF_FOLDERS: Final = ("files", "sqlite")
"""Modules whose tools reach the allowed folders."""
_HELP: Final = 'Name the folders that may be used in `chainc.toml`:\n[allow]\nroots = ["data"]'


def tell_no_roots(calls: Mapping[ChainTarget, Calls], report_of: Callable[[str], Report]) -> None:
    """W0238 at the first call in each file, where no folder is allowed, of a tool that needs one; ready chains of the
    standard library that call such tools count as much."""
    told: set[tuple[str, str]] = set()
    for target, inside in calls.items():
        for call, meant in inside if not target.file.startswith(STANDARD) else ():
            first = (target.file, call.path[0].text)
            if first not in told and _needs_folder(calls, meant, frozenset()):
                told.add(first)
                message = f"`{written_path(call.path)}` is always refused: no folder is allowed."
                report_of(target.file)("W0238", path_place(call.path), message, helps=_HELP)


def _needs_folder(
    calls: Mapping[ChainTarget, Calls], meant: ToolSignature | ChainTarget | None, seen: frozenset[ChainTarget]
) -> bool:
    if isinstance(meant, ToolSignature):
        return meant.source in [f"{STANDARD}{each}" for each in OF_FOLDERS]
    if meant is None or meant in seen or not meant.file.startswith(STANDARD):
        return False
    return any(_needs_folder(calls, inner, seen | {meant}) for _, inner in calls.get(meant, ()))
