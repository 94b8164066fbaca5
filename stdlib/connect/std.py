"""The way to the tools of the standard library: bodies of this package, run beside the event loop."""

from __future__ import annotations

import logging
from functools import partial
from typing import Any

import anyio

from ..plan.plan import Plan, Std
from ..runtime.clean import compact
from ..runtime.fault import fault
from ..runtime.result import ToolAnswer
from ..tools import ToolFault, bodies
from .threads import Threads

log = logging.getLogger("chainc.connect")


def std_answer(module: str, name: str, label: str, arguments: dict[str, Any]) -> ToolAnswer:
    """What a tool answers, here and now: all of them are pure. The arguments have the form that it declares. Raises the
    fault `tool_error`."""
    try:
        value = bodies(module)[name](**arguments)
    except ToolFault as problem:
        raise fault("tool_error", f"{label} failed: {problem}.") from None
    except (RecursionError, MemoryError) as error:
        log.warning("a call of %s failed", label, exc_info=error)
        raise fault("tool_error", f"{label} failed: the value is too large.") from None
    text = value if isinstance(value, str) else compact(value)
    return ToolAnswer(({"type": "text", "text": text},), value)


class StdTools:
    """The standard library's tools that a plan calls."""

    def __init__(self, plan: Plan) -> None:
        self._sources = {
            name: (source, source.transport.name)
            for name, source in plan.sources.items()
            if isinstance(source.transport, Std)
        }
        self._threads = Threads()

    async def call(self, source: str, key: str, arguments: dict[str, Any], timeout: float) -> ToolAnswer:
        """See `stdlib.runtime.driver.Tools`. The arguments have the form that the tool declares: runs check that."""
        planned, module = self._sources[source]
        tool = planned.tools[key]
        label = f"`{planned.alias or source}.{tool.name}`"
        with anyio.move_on_after(timeout):
            return await self._threads.run(partial(std_answer, module, tool.name, label, arguments))
        raise fault("timeout", f"{label} did not answer within {timeout:g} s.")
