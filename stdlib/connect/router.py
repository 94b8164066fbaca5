"""The way out to the tools of all sources of a plan: each call goes where its source's transport leads."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import anyio
from anyio.abc import TaskGroup

from ..plan.plan import Command, Http, OpenApi, Plan, Python, Std, Stdio
from ..runtime.fault import RunFault
from ..runtime.result import ToolAnswer
from ..runtime.sending import Fetching, Keep
from ..runtime.world import Tools
from .command import CommandTools
from .ground import Ground
from .mcp import McpTools
from .openapi import OpenApiTools
from .python import PythonTools
from .secrets import Secrets, secrets_of
from .std import StdTools

_T = TypeVar("_T")


class Router:
    """The tools of a plan. `home` is the folder to which the files of its sources are relative. `base`: the folder in
    which programs may start, beside the plan's own, and to which all those are relative; unless it is given, `home`.

    `group` keeps connections; it must outlive every call, and `close` lets it end. Without one, `async with` has its
    own: entered and left by one task.
    """

    def __init__(self, plan: Plan, home: Path, group: TaskGroup | None = None, base: Path | None = None) -> None:
        self._plan = plan
        self._home = home
        self._ground = Ground(home if base is None else base, plan.network.roots)
        self._group = group
        self._ways: dict[type, Tools] = {}

    async def __aenter__(self) -> Router:
        self._group = anyio.create_task_group()
        await self._group.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        assert self._group is not None
        self.close()
        return await self._group.__aexit__(kind, error, trace)

    def close(self) -> None:
        """Ends all connections; calls under way fail."""
        for way in self._ways.values():
            if isinstance(way, McpTools | PythonTools):
                way.close()
            elif isinstance(way, OpenApiTools):
                assert self._group is not None
                self._group.start_soon(way.aclose)

    async def call(self, source: str, key: str, arguments: dict[str, Any], timeout: float) -> ToolAnswer:
        """See `stdlib.runtime.driver.Tools`."""
        try:
            answer = await self._way(source).call(source, key, arguments, timeout)
        except RunFault as problem:
            raise self._secrets(source).unsaid(problem) from None
        return self._secrets(source).unanswered(answer) if answer.is_error else answer

    async def fetch(self, source: str, key: str, arguments: dict[str, Any], timeout: float, keep: Keep) -> ToolAnswer:
        """See `stdlib.runtime.sending.Fetching`; what comes as one piece is answered as by `call`."""
        way = self._way(source)
        if not isinstance(way, Fetching):
            return await self.call(source, key, arguments, timeout)
        try:
            return await way.fetch(source, key, arguments, timeout, keep)
        except RunFault as problem:
            raise self._secrets(source).unsaid(problem) from None

    def _secrets(self, source: str) -> Secrets:
        """What an error may not repeat."""
        return secrets_of(self._plan.sources[source].transport)

    def _way(self, source: str) -> Tools:
        transport = self._plan.sources[source].transport
        kind = McpTools if isinstance(transport, Stdio | Http) else type(transport)
        if kind not in self._ways:
            self._ways[kind] = self._opened(kind)
        return self._ways[kind]

    def _opened(self, kind: type) -> Tools:
        assert self._group is not None, "entered, or given a group"
        most = self._plan.limits.result_bytes
        if kind is McpTools:
            return McpTools(self._plan, self._group, self._ground)
        if kind is OpenApi:
            aliases = {name: source.alias for name, source in self._plan.sources.items()}
            return OpenApiTools(self._of(OpenApi), self._plan.network, most_bytes=most, aliases=aliases)
        if kind is Python:
            return PythonTools(self._plan, self._home)
        if kind is Command:
            return CommandTools(self._plan, self._ground)
        assert kind is Std, "every transport has its way"
        return StdTools(self._plan)

    def _of(self, kind: type[_T]) -> dict[str, _T]:
        sources = self._plan.sources.items()
        return {name: source.transport for name, source in sources if isinstance(source.transport, kind)}
