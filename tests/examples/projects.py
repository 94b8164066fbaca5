"""The example projects: compiled as a user compiles them, run over their real tools.

Servers of tools are started as the manifests say; the simulated services behind HTTP answer in the test's own loop.
"""

import importlib
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from compiler import driver
from compiler.cli.servers import at_home
from dsl.diagnostics import Sink
from dsl.render import render
from stdlib.connect.router import Router
from stdlib.plan.catalogue import Catalogue
from stdlib.plan.plan import OpenApi, Plan
from stdlib.runtime.load import LoadedPlan, load_plan
from stdlib.runtime.people import Nobody, People
from stdlib.runtime.question import Answer, Question
from stdlib.runtime.run import Caller, Result, run_chain
from stdlib.runtime.store import Store
from stdlib.runtime.store.memory import MemoryStore
from stdlib.runtime.world import Tools
from tests.servers.loopback import served

EXAMPLES = Path(__file__).parents[2] / "examples"
PROJECTS = sorted(path.parent.name for path in EXAMPLES.glob("*/chainc.toml"))


def compiled(name: str) -> tuple[Plan, Catalogue]:
    """Plan and catalogue of an example; it compiles without a word."""
    sink = Sink()
    made = driver.plan(EXAMPLES / name, sink)
    assert [render(each) for each in sink] == []
    assert made is not None
    return made


@dataclass
class Person:
    """Gives one answer to every question, and remembers them."""

    answer: Answer
    questions: list[Question] = field(default_factory=list)

    async def approve(self, question: Question) -> Answer:
        self.questions.append(question)
        return self.answer

    async def ask(self, question: Question) -> Answer:
        self.questions.append(question)
        return self.answer


@dataclass
class Example:
    """An example whose tools can be called. What keys have given is remembered between calls, as by a server."""

    loaded: LoadedPlan
    tools: Tools
    store: Store = field(default_factory=MemoryStore)

    async def call(
        self, chain: str, arguments: dict[str, Any], people: People | None = None, caller: Caller | None = None
    ) -> Result:
        return await run_chain(
            self.loaded,
            chain,
            arguments,
            tools=self.tools,
            store=self.store,
            people=people or Nobody(),
            caller=caller,
        )


@asynccontextmanager
async def opened(name: str, home: Path | None = None) -> AsyncIterator[Example]:
    """An example, its services new. `home`: where its programs start and its folders are, if not in the project."""
    home = home or EXAMPLES / name
    plan, _ = compiled(name)
    plan = at_home(plan, home)
    if not any(isinstance(source.transport, OpenApi) for source in plan.sources.values()):
        async with Router(plan, home) as tools:
            yield Example(load_plan(plan), tools)
        return
    async with served(simulated("services").application()) as port:
        plan = on_port(plan, port)
        async with Router(plan, home) as tools:
            yield Example(load_plan(plan), tools)


async def called(name: str, chain: str, arguments: dict[str, Any], home: Path | None = None) -> Result:
    """The result of one call."""
    async with opened(name, home) as example:
        return await example.call(chain, arguments)


def on_port(plan: Plan, port: int) -> Plan:
    """The plan with the services of this machine on another port than the documents say."""
    sources = dict(plan.sources)
    for name, source in plan.sources.items():
        if isinstance(source.transport, OpenApi):
            url = source.transport.base_url.replace(":8765", f":{port}")
            sources[name] = source.model_copy(
                update={"transport": source.transport.model_copy(update={"base_url": url})}
            )
    return plan.model_copy(update={"sources": sources})


def simulated(module: str) -> Any:
    """A module of `examples/simulated`: programs, which import each other as programs do."""
    folder = str(EXAMPLES / "simulated")
    if folder not in sys.path:
        sys.path.append(folder)
    return importlib.import_module(module)
