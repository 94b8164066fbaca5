"""The tools of the standard library: bodies of what `stdlib/lib/*.chain` declares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final, Literal

Body = Callable[..., Any]
"""Takes the arguments by name, those left out apart; gives a JSON value. Raises ToolFault, and nothing else that its
arguments could cause. Bodies of modules that `REACHES` names take what they reach first, by position; those of the web
are coroutine functions."""

Reach = Literal["folders", "web"]

_MODULES: Final = {
    "base64": ".encodings",
    "files": ".files",
    "hash": ".digests",
    "http": ".web",
    "json": ".documents",
    "sqlite": ".databases",
    "tables": ".tables",
    "text": ".texts",
    "uuid": ".identifiers",
}

REACHES: Final[Mapping[str, Reach]] = {"files": "folders", "sqlite": "folders", "http": "web"}
"""What the tools of a module touch beside their arguments: the allowed folders (`folders.Folders`), the allowed hosts
(`web.Web`)."""

FaultClass = Literal["tool_error", "denied", "result_too_large", "timeout"]


class ToolFault(Exception):
    """The tool cannot do what it was asked. The message goes on after the tool's name and `failed: `.

    `fault_class`: of the fault that it becomes; `advice`: what to do next, where that is not the same for the class.
    """

    def __init__(self, message: str, fault_class: FaultClass = "tool_error", advice: str | None = None) -> None:
        super().__init__(message)
        self.fault_class = fault_class
        self.advice = advice


def bodies(module: str) -> Mapping[str, Body]:
    """The tools of a module of the standard library by name, loaded when they are first asked for. KeyError where
    there is none."""
    found: Mapping[str, Body] = import_module(_MODULES[module], __name__).TOOLS
    return found


def streams(module: str) -> Mapping[str, Body]:
    """Those tools again whose result can come in pieces: they give an iterator of bytes and the media type."""
    found: Mapping[str, Body] = getattr(import_module(_MODULES[module], __name__), "STREAMS", {})
    return found


def modules() -> tuple[str, ...]:
    """The names of all modules, sorted."""
    return tuple(_MODULES)
