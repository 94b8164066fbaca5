"""The example projects: compiled as a user compiles them, run over the real third-party servers."""

from pathlib import Path
from typing import Any

from compiler import driver
from dsl.diagnostics import Sink
from dsl.render import render
from stdlib.connect.mcp import McpTools
from stdlib.plan.catalogue import Catalogue
from stdlib.plan.plan import Plan
from stdlib.runtime.handles import MemoryHandles
from stdlib.runtime.load import load_plan
from stdlib.runtime.run import Result, run_chain

EXAMPLES = Path(__file__).parents[2] / "examples"
PROJECTS = sorted(path.parent.name for path in EXAMPLES.glob("*/chainc.toml"))


def compiled(name: str) -> tuple[Plan, Catalogue]:
    """Plan and catalogue of an example; it compiles without a word."""
    sink = Sink()
    made = driver.plan(EXAMPLES / name, sink)
    assert [render(each) for each in sink] == []
    assert made is not None
    return made


async def called(name: str, chain: str, arguments: dict[str, Any]) -> Result:
    """The result of one call over the sources of the example."""
    plan, _ = compiled(name)
    async with McpTools(plan) as tools:
        return await run_chain(load_plan(plan), chain, arguments, tools=tools, handles=MemoryHandles())
