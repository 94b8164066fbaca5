"""Accepted programs in the real runtime: what the checker lets through must not end in a fault that is nobody's choice.

Lowers a program, runs its chains over generated results, and looks at how they end.
"""

from __future__ import annotations

from random import Random
from typing import Any, Final

from compiler.lower import lower
from compiler.program import Program
from dsl import tree
from stdlib.plan.plan import Plan, Tool
from stdlib.runtime.load import load_plan
from stdlib.runtime.result import ToolAnswer
from stdlib.runtime.run import run_chain
from stdlib.runtime.store.memory import MemoryStore
from tests.mutation.reference.generate import MODES, Generator
from tests.mutation.reference.judge import vocabulary
from tests.mutation.reference.program import Module
from tests.mutation.reference.shapes import nullable
from tests.mutation.reference.types import schema_of
from tests.mutation.reference.values import plain

_LIMITS: Final = (
    *("less than allowed", "more than allowed", ", not above ", ", not below "),
    *("is too short", "is too long", "does not match the pattern"),
)
"""Words of messages about refinements, which are checked at run time by design."""


PATIENCE: Final = 0.3
"""Seconds for one run."""


class _Tools:
    """Tools that answer with whatever fits their schemas, and fail now and then."""

    def __init__(self, plan: Plan, generator: Generator) -> None:
        self.plan = plan
        self.generator = generator

    async def call(self, source: str, key: str, arguments: dict[str, Any], timeout: float) -> ToolAnswer:
        tool = self.plan.sources[source].tools[key]
        if self.generator.happens(0.08):
            return ToolAnswer(content=({"type": "text", "text": "it does not work"},), is_error=True)
        if tool.parse is not None and tool.parse.mode not in ("json", "jsonl"):
            return ToolAnswer(content=({"type": "text", "text": self.prose(tool)},))
        return ToolAnswer(structured=self.record(tool))

    def record(self, tool: Tool) -> Any:
        schemas = [each for each in (tool.output_schema, tool.result_schema) if each is not None]
        made = [plain(self.generator.value(each)) for each in schemas]
        if len(made) == 2 and all(isinstance(each, dict) for each in made):
            return {**made[0], **made[1]}
        return made[-1] if made else {"text": "said", "content": []}

    def prose(self, tool: Tool) -> str:
        """A table for `csv`, lines for the rest; a pattern matches them or not."""
        lines = [self.generator.chance.choice(("x", "src/a.py:12: y", "b:7")) for _ in range(3)]
        fields = ((tool.result_schema or {}).get("items") or {}).get("properties") or {}
        if tool.parse is not None and tool.parse.mode == "csv":
            lines = [",".join(fields), *(",".join("7" for _ in fields) for _ in range(2))]
        return "\n".join(lines)


def mishap(program: Program, module: Module, runs: int, seed: int) -> str | None:
    """The first ending of a chain that the checker should have ruled out; None where there is none. An exception in
    lowering or in the runtime is raised."""
    plan, _ = lower(program)
    loaded = load_plan(plan)
    words = vocabulary(module)
    for number in range(runs):
        for chain in plan.chains:
            if chain not in module.chains:
                continue  # of another file
            generator = Generator(Random(f"{seed}/{number}"), MODES[number % len(MODES)], words)
            inputs = _inputs(module.chains[chain], module, generator)
            fault = _run(loaded, chain, inputs, _Tools(plan, generator))
            if fault is not None:
                return f"{chain}: {fault}"
    return None


def _inputs(chain: tree.Chain, module: Module, generator: Generator) -> dict[str, Any]:
    """Inputs that a client may send; those with a pattern get a text that fits most of them."""
    given: dict[str, Any] = {}
    for each in chain.members:
        if isinstance(each, tree.Input):
            schema = schema_of(each.type, module)
            if "pattern" in str(each.type):
                given[each.name.text] = "acme/app"
            elif (each.default is None and not nullable(schema, schema)) or generator.happens(0.6):
                value = plain(generator.value(schema, depth=1))
                if value is not None:
                    given[each.name.text] = value
    return given


def _run(loaded: Any, chain: str, inputs: dict[str, Any], tools: _Tools) -> str | None:
    import anyio

    async def main() -> Any:
        # Nobody waits for people here, or for the next attempt.
        with anyio.move_on_after(PATIENCE):
            return (await run_chain(loaded, chain, inputs, tools=tools, store=MemoryStore())).fault
        return None

    fault = anyio.run(main)
    if fault is None or fault.fault_class not in ("internal", "invalid_input"):
        return None
    if fault.fault_class == "invalid_input" and (fault.step is None or any(word in fault.message for word in _LIMITS)):
        return None
    return f"{fault.fault_class} at {fault.step}: {fault.message}"
