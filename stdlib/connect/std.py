"""The way to the tools of the standard library: bodies of this package, run beside the event loop."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import anyio

from ..plan.plan import Plan, Std
from ..runtime.clean import compact
from ..runtime.fault import Fault, RunFault, fault
from ..runtime.gates.network import Resolve, system_resolver
from ..runtime.result import ToolAnswer
from ..runtime.sending import Keep
from ..tools import REACHES, ToolFault, bodies, streams
from ..tools.folders import Folders
from .pieces import pieces
from .threads import Threads
from .web import AllowedWeb

log = logging.getLogger("chainc.connect")

_DOES: dict[str, str] = {"tool_error": "failed", "denied": "is refused"}


class StdTools:
    """The standard library's tools that a plan calls."""

    def __init__(self, plan: Plan, resolve: Resolve = system_resolver) -> None:
        self._sources = {
            name: (source, source.transport.name)
            for name, source in plan.sources.items()
            if isinstance(source.transport, Std)
        }
        self._threads = Threads()
        self._network, self._resolve = plan.network, resolve
        self._most_bytes = plan.limits.result_bytes
        self._folders = Folders(plan.network.roots, self._most_bytes)

    async def call(self, source: str, key: str, arguments: dict[str, Any], timeout: float) -> ToolAnswer:
        """See `stdlib.runtime.driver.Tools`. The arguments have the form that the tool declares: runs check that."""
        module, name, label = self._named(source, key)
        with anyio.move_on_after(timeout):
            try:
                value = await self._value(module, name, label, arguments)
            except (ToolFault, RecursionError, MemoryError) as problem:
                raise _fault(label, problem) from None
            text = value if isinstance(value, str) else compact(value)
            return ToolAnswer(({"type": "text", "text": text},), value)
        raise fault("timeout", f"{label} did not answer within {timeout:g} s.")

    async def fetch(self, source: str, key: str, arguments: dict[str, Any], timeout: float, keep: Keep) -> ToolAnswer:
        """See `stdlib.runtime.sending.Fetching`: files and downloads are kept as they come."""
        module, name, label = self._named(source, key)
        with anyio.move_on_after(timeout):
            if (module, name) == ("http", "download"):
                return await self._web(label).fetch(**{"accept": "*/*", **arguments}, keep=keep)
            if name in streams(module):
                parts, media = streams(module)[name](self._folders, **arguments)
                body: AsyncIterator[bytes] = pieces(label, parts, bytes, self._threads, partial(_fault, label))
                return ToolAnswer(kept=await keep(body, media))
            return await self.call(source, key, arguments, timeout)
        raise fault("timeout", f"{label} did not answer within {timeout:g} s.")

    def _named(self, source: str, key: str) -> tuple[str, str, str]:
        """The tool's module and name, and what messages call it."""
        planned, module = self._sources[source]
        name = planned.tools[key].name
        return module, name, f"`{planned.alias or source}.{name}`"

    async def _value(self, module: str, name: str, label: str, arguments: dict[str, Any]) -> Any:
        body, reach = bodies(module)[name], REACHES.get(module)
        if reach == "web":
            return await body(self._web(label), **arguments)
        if reach == "folders":
            body = partial(body, self._folders)
        return await self._threads.run(partial(body, **arguments))

    def _web(self, label: str) -> AllowedWeb:
        return AllowedWeb(label, self._network, self._most_bytes, self._resolve)


def _fault(label: str, problem: BaseException) -> RunFault:
    if isinstance(problem, ToolFault):
        kind = problem.fault_class
        message = f"{label} {_DOES.get(kind, 'failed')}: {problem}."
        refused = "resource" if kind == "denied" else None
        return RunFault(Fault(kind, message, next=problem.advice, sent=kind != "denied", refused=refused))
    log.warning("a call of %s failed", label, exc_info=problem)
    if isinstance(problem, RecursionError | MemoryError):
        return fault("tool_error", f"{label} failed: the value is too large.")
    return fault("internal", f"{label} failed.")
