"""What the records of a log are about: the run, the step and the principal that the current task works for."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar, Token
from types import MappingProxyType
from typing import Final

_ABOUT: Final[ContextVar[Mapping[str, str]]] = ContextVar("about")
_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


class about:
    """`with about(run=…)`: within, and in every task that is begun within."""

    __slots__ = ("_ids", "_token")

    def __init__(self, **ids: str) -> None:
        self._ids = ids

    def __enter__(self) -> None:
        self._token: Token[Mapping[str, str]] = _ABOUT.set({**known(), **self._ids})

    def __exit__(self, *_: object) -> None:
        _ABOUT.reset(self._token)


def known() -> Mapping[str, str]:
    """The ids, by name."""
    return _ABOUT.get(_NOTHING)
