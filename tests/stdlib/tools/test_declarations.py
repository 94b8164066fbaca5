"""What `stdlib/lib/*.chain` declares and what the bodies do are the same; every declared tool compiles and runs."""

import inspect
import json
from functools import cache
from pathlib import Path
from typing import Any

import anyio
import pytest

import stdlib.tools
from compiler.loader.sources import STANDARD, standard_modules, standard_text
from compiler.names.declarations import declared_source
from compiler.names.tools import Reader
from compiler.project import LockedTool
from compiler.types.declared import DeclaredTypes
from compiler.types.from_schema import BadSchema, from_schema, parameters
from compiler.types.report import report_for
from dsl import tree
from dsl.diagnostics import Sink
from dsl.format import format_text
from dsl.source import Source as Text
from stdlib.connect.router import Router
from stdlib.plan.plan import Effects, Plan, Source, Std, Tool
from stdlib.runtime.result import Reading, read_answer
from stdlib.runtime.schema import Shape
from stdlib.tools import bodies, modules
from stdlib.values.show import show
from stdlib.values.types import Field, may_be_null
from tests.compiler import world

from .calls import CALLS


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


def test_every_module_is_declared_and_has_its_bodies():
    assert tuple(standard_modules()) == modules()


@pytest.mark.parametrize("module", modules())
def test_declarations_and_bodies_agree(module: str):
    assert declared(module).keys() == bodies(module).keys()
    for name, tool in declared(module).items():
        body = inspect.signature(bodies(module)[name]).parameters
        properties = tool.input_schema["properties"]
        assert list(properties) == list(body), name
        required = [each.name for each in body.values() if each.default is inspect.Parameter.empty]
        assert tool.input_schema.get("required", []) == required
        for parameter in body.values():
            if parameter.name not in required:
                assert properties[parameter.name].get("default") == parameter.default, f"{name}: {parameter.name}"


@pytest.mark.parametrize("module", modules())
def test_every_tool_says_what_it_does_and_gives(module: str):
    for name, tool in declared(module).items():
        assert tool.description, name
        assert tool.description.endswith("."), name
        assert tool.output_schema is not None, name
        assert tool.annotations is not None, name
        assert tool.annotations.read_only, name


@pytest.mark.parametrize("module", modules())
def test_a_file_that_imports_it_compiles_without_a_word(module: str):
    steps = "".join(f"\n  step s{n} = x.{name}()" for n, name in enumerate(declared(module)))
    assert list(world.checked(f'import x from std "{module}"\n')[1]) == []
    # Each of them needs something, and the checker knows what.
    codes = world.codes(f'import x from std "{module}"\nchain c {{{steps}\n  output = 1\n}}\n')
    assert codes.count("E0502") == len(declared(module))


def listed() -> str:
    """Every tool with its types and its sentences, by module."""
    parts: list[str] = []
    for module in modules():
        parts.append(f"\n## {module}\n")
        for name, tool in declared(module).items():
            takes, gives = parameters(tool.input_schema), from_schema(tool.output_schema or {})
            assert not isinstance(takes, BadSchema)
            assert not isinstance(gives, BadSchema)
            fields = ", ".join(f"{f.name}: {show(f.type)}{_default(f)}" for f in takes.record.fields)
            sentences = " ".join(tool.description.split())
            parts.append(f"\n* `{name}({fields}) -> {show(gives.type)}`  \n  {sentences}\n")
    return "".join(parts)


def _default(f: Field) -> str:
    if f.default is not None and f.default[0] is not None:
        return f" = {json.dumps(f.default[0])}"
    return "" if f.required or may_be_null(f.type) else "?"


def test_the_list_of_tools_is_up_to_date(bless: bool):
    file = Path(stdlib.tools.__file__).parents[1] / "lib" / "README.md"
    text = file.read_text(encoding="utf-8")
    start = text.index("<!-- tools -->\n") + len("<!-- tools -->\n")
    expected = text[:start] + listed()
    if bless:
        file.write_text(expected, encoding="utf-8")
    assert text == expected or bless


def test_the_declarations_have_the_one_style():
    for module in standard_modules():
        text = standard_text(f"{STANDARD}{module}")
        assert format_text(Text(module, text), Sink()) == text


def test_results_have_the_declared_form():
    """Through the way of a run, with arguments and results held against what is declared."""
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
    plan = Plan(name="p", version="1.0.0", sources=sources)

    async def call() -> None:
        async with Router(plan, Path(".")) as router:
            for module, name, arguments, wanted in CALLS:
                tool: Any = declared(module)[name]
                assert Shape(tool.input_schema).mismatch(arguments) is None, (module, name)
                answer = await router.call(module, name, arguments, 20)
                assert read_answer(name, Reading(Shape(tool.output_schema)), answer, 1_000_000) == wanted

    anyio.run(call)
