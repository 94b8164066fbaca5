"""The plans that a server runs: the one of its bundle, and older ones that runs are pinned to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path

from anyio.abc import TaskGroup

from ..connect.router import Router
from ..plan.plan import Http, OpenApi, Plan, Source, Stdio
from ..runtime.load import LoadedPlan, load_plan
from ..runtime.store.journal import Journal

Moves = Mapping[str, str | tuple[str, ...]]
"""Where sources are reached instead of where the plan says, by name: a URL or a command with its arguments."""


class Served:
    """A plan, ready when it is first needed. `home`: the folder of the files of its sources."""

    def __init__(self, text: str, moves: Moves, home: Path, group: TaskGroup) -> None:
        self._text = text
        self._moves = moves
        self._home = home
        self._group = group

    @cached_property
    def plan(self) -> Plan:
        """Raises ValidationError where the text is no plan."""
        plan = Plan.model_validate_json(self._text)
        sources = {name: _moved(source, self._moves.get(name)) for name, source in plan.sources.items()}
        return plan.model_copy(update={"sources": sources})

    @cached_property
    def loaded(self) -> LoadedPlan:
        return load_plan(self.plan, self._text)

    @cached_property
    def tools(self) -> Router:
        return Router(self.plan, self._home, self._group, Path("."))

    def close(self) -> None:
        """Ends the connections to sources."""
        if "tools" in self.__dict__:
            self.tools.close()


class OlderPlans:
    """Plans that runs are pinned to, each for as long as such a run goes on; the bundle's own stays. `current`: the
    bundle's. `serving`: makes a plan of its text."""

    def __init__(self, current: Callable[[], Served], serving: Callable[[str], Served], journal: Journal) -> None:
        self._current = current
        self._serving = serving
        self._journal = journal
        self._plans: dict[str, Served] = {}
        self._runs: Counter[str] = Counter()

    async def pin(self, digest: str) -> Served:
        """For one run. Raises LookupError where the journal has no such plan."""
        current = self._current()
        if current.loaded.digest == digest:
            return current
        if digest not in self._plans:
            text = await self._journal.plan(digest)
            if text is None:
                raise LookupError(digest)
            self._plans[digest] = self._serving(text)
        self._runs[digest] += 1
        return self._plans[digest]

    def unpin(self, digest: str) -> None:
        """A run has ended; with the last one the connections to sources end. Of any other plan nothing happens."""
        if digest not in self._plans:
            return
        self._runs[digest] -= 1
        if not self._runs[digest]:
            self._plans.pop(digest).close()

    def close(self) -> None:
        for each in self._plans.values():
            each.close()


def _moved(source: Source, where: str | tuple[str, ...] | None) -> Source:
    if where is None:
        return source
    if isinstance(where, str) and isinstance(source.transport, OpenApi):
        return source.model_copy(update={"transport": source.transport.at(where)})
    if isinstance(where, str):
        headers = source.transport.headers if isinstance(source.transport, Http) else {}
        return source.model_copy(update={"transport": Http(url=where, headers=headers)})
    env = source.transport.env if isinstance(source.transport, Stdio) else ()
    return source.model_copy(update={"transport": Stdio(command=where[0], args=where[1:], env=env)})
