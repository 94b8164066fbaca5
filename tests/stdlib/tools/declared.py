"""The standard library's tools as they are declared, and calls of them the way a run makes them."""

from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import Any

import anyio
import pytest

from compiler.loader.sources import STANDARD
from compiler.names.declarations import declared_source
from compiler.names.tools import Reader
from compiler.project import LockedTool
from compiler.types.declared import DeclaredTypes
from compiler.types.report import report_for
from dsl import tree
from dsl.diagnostics import Sink
from stdlib.connect.std import StdTools
from stdlib.plan.openapi import Network
from stdlib.plan.plan import Effects, Limits, Plan, Source, Std, Tool
from stdlib.runtime.fault import Fault, RunFault
from stdlib.runtime.gates.network import Resolve, system_resolver
from stdlib.runtime.result import Reading, read_answer
from stdlib.runtime.schema import Shape
from stdlib.tools import modules
from tests.compiler import world


@cache
def declared(module: str) -> dict[str, LockedTool]:
    sink = Sink()
    project = world.project({"main.chain": f'import x from std "{module}"\n'}, sink)
    source = project.sources[f"{STANDARD}{module}"]
    file = project.modules[f"{STANDARD}{module}"]
    reader = Reader(file, report_for(file.file, sink), DeclaredTypes(project, sink, {}))
    (node,) = (item for item in file.file.items if isinstance(item, tree.Import))
    tools = dict(declared_source(reader, node, source).tools)
    assert list(sink) == []
    return tools


def plan(network: Network | None = None, **limits: int) -> Plan:
    """A plan that calls every tool; sources have the names of their modules."""
    sources: dict[str, Source] = {}
    for module in modules():
        tools = {
            name: Tool(
                name=name,
                input_schema=each.input_schema,
                output_schema=each.output_schema,
                result_schema=each.output_schema,
                effects=Effects(),
                digest=each.digest,
            )
            for name, each in declared(module).items()
        }
        sources[module] = Source(kind="std", transport=Std(name=module), tools=tools)
    return Plan(
        name="p", version="1.0.0", sources=sources, network=network or Network(), limits=Limits.model_validate(limits)
    )


async def called(tools: StdTools, module: str, name: str, arguments: dict[str, Any]) -> Any:
    """What a tool gives; arguments and result are held against what is declared."""
    tool = declared(module)[name]
    assert Shape(tool.input_schema).mismatch(arguments) is None, (module, name)
    answer = await tools.call(module, name, arguments, 60)
    assert tool.output_schema is not None
    return read_answer(name, Reading(Shape(tool.output_schema)), answer, 10_000_000)


class Reaching:
    """Calls with some allowed folders and hosts."""

    def __init__(self, *roots: Path, resolve: Resolve = system_resolver, most: int = 1 << 26, **network: Any) -> None:
        allowed = Network(roots=tuple(map(str, roots)), **network)
        self.tools = StdTools(plan(allowed, result_bytes=most), resolve)

    def __call__(self, tool: str, /, **arguments: Any) -> Any:
        module, name = tool.split(".")
        return anyio.run(called, self.tools, module, name, arguments)

    def fault(self, tool: str, /, **arguments: Any) -> Fault:
        """Why it cannot be done."""
        with pytest.raises(RunFault) as found:
            self(tool, **arguments)
        return found.value.fault

    def run(self, work: Callable[[StdTools], Awaitable[Any]]) -> Any:
        return anyio.run(work, self.tools)
