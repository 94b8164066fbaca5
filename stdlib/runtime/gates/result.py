"""Gate 7: what comes back. Its size, whether it can be read, its form; what is secret in it is masked at the border to
clients (`mask`), never in what steps pass on. What a result says is data: nothing here acts on it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import anyio

from ..events import CallSucceeded
from ..fault import RunFault
from ..result import ToolAnswer, read_sized, reads_slowly
from .passing import Inside, Passing

_REFUSED = ("result_too_large", "shape_mismatch")


async def result(passing: Passing, onward: Inside) -> Any:
    """Refuses with `result_too_large` and `shape_mismatch`. A client's own call of a tool gets the tool's answer as it
    is; its size is judged where it goes out."""
    answer = await onward(passing)
    command = passing.command
    if command is None or passing.by_client or not isinstance(answer, ToolAnswer):
        return answer
    tool = command.tool
    read = partial(read_sized, tool.label, tool.reading, answer, passing.world.gates.loaded.plan.limits.result_bytes)
    try:
        if answer.kept is not None:
            return await passing.world.sending.settled(command.call, answer.kept, held=command.held)
        value, size = await anyio.to_thread.run_sync(read) if reads_slowly(tool.reading, answer) else read()
    except RunFault as found:
        if found.fault.fault_class in _REFUSED:
            raise RunFault(replace(found.fault, refused="result")) from None
        raise
    return CallSucceeded(command.call, value, size)
