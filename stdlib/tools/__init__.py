"""The tools of the standard library: bodies of what `stdlib/lib/*.chain` declares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final

Body = Callable[..., Any]
"""Takes the arguments by name, those left out apart; gives a JSON value. Raises ToolFault, and nothing else that its
arguments could cause."""

_MODULES: Final = {
    "base64": ".encodings",
    "hash": ".digests",
    "json": ".documents",
    "tables": ".tables",
    "text": ".texts",
}


class ToolFault(Exception):
    """The tool cannot do what it was asked. The message goes on after the tool's name and `failed: `."""


def bodies(module: str) -> Mapping[str, Body]:
    """The tools of a module of the standard library by name, loaded when they are first asked for. KeyError where
    there is none."""
    found: Mapping[str, Body] = import_module(_MODULES[module], __name__).TOOLS
    return found


def modules() -> tuple[str, ...]:
    """The names of all modules, sorted."""
    return tuple(_MODULES)
