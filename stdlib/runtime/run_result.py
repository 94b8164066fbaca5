"""What a client's call gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .fault import Fault
from .receipt import Receipt
from .result import ToolAnswer
from .store.handles import Handle


@dataclass(frozen=True, slots=True)
class Result:
    """The end of a call. Exactly one of `wire`, `handed` and `fault` is set.

    `wire`: the result as clients get it: a record itself, another value below `result`, a handle below `handle`.
    `value`: the chain's own value. `handed`: the answer of a tool that was called directly. `handle`: where the value
    is kept, also beside the fault `result_too_large`. `run`: the id of the run, where there was one, and `receipts` its
    record. `replayed`: the steps whose results are those of an earlier call. `adapter`: the older version that the call
    was made for.
    """

    wire: dict[str, Any] | None = None
    value: Any = None
    summary: str | None = None
    handle: Handle | None = None
    fault: Fault | None = None
    run: str | None = None
    receipts: tuple[Receipt, ...] = ()
    replayed: tuple[str, ...] = ()
    adapter: str | None = None
    handed: ToolAnswer | None = None
