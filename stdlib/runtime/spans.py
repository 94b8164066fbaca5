"""Spans: what a trace of a whole system shows of a run and of each of its calls. Nobody looks unless told to.

The attributes are the ids that receipts have, so that one leads to the other.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Final, Protocol

from .fault import Fault


class Span(Protocol):
    """`trace`: the id of the trace that it belongs to, 32 hexadecimal digits; None where there is none."""

    @property
    def trace(self) -> str | None: ...

    def end_with(self, fault: Fault | None) -> None:
        """How it ended."""


class Spans(Protocol):
    def begin(self, name: str, **ids: str | int | None) -> AbstractContextManager[Span]:
        """A span from here to the end of the block, below the one around it. Ids that are None are left out."""


class _NoSpan:
    @property
    def trace(self) -> str | None:
        return None

    def end_with(self, fault: Fault | None) -> None:
        pass

    def __enter__(self) -> _NoSpan:
        return self

    def __exit__(self, *_: object) -> None:
        pass


_NO_SPAN: Final = _NoSpan()


class NoSpans:
    """Nobody looks."""

    def begin(self, name: str, **ids: Any) -> _NoSpan:
        return _NO_SPAN


NO_SPANS: Final = NoSpans()
