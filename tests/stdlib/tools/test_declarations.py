"""What `stdlib/lib/*.chain` declares and what the bodies do are the same; every declared tool compiles and runs."""

import inspect
import json
from pathlib import Path

import anyio
import pytest

import stdlib.tools
from compiler.loader.sources import STANDARD, standard_chains, standard_modules, standard_text
from compiler.types.from_schema import BadSchema, from_schema, parameters
from dsl import tree
from dsl.diagnostics import Sink
from dsl.format import format_text
from dsl.parser import parse
from dsl.source import Source as Text
from stdlib.connect.std import StdTools
from stdlib.tools import Body, bodies, modules, streams
from stdlib.values.show import show
from stdlib.values.types import Field, may_be_null
from tests.compiler import world

from . import examples
from .calls import CALLS
from .declared import called, declared, plan


def test_every_module_is_declared_and_has_its_bodies():
    assert tuple(each for each in standard_modules() if not standard_chains(each)) == modules()


READY = [each for each in standard_modules() if standard_chains(each)]


@pytest.mark.parametrize("module", READY)
def test_ready_chains_compile_and_are_no_tools_of_those_who_import_them(module: str):
    assert world.checked(f'import x from std "{module}"\n')[0].chains == {}, "none that nobody calls"
    program, told = world.checked(standard_text(f"{STANDARD}{module}"))
    assert [each.code for each in told if each.code != "W0238"] == [], "the sample project allows no folder"
    assert program.chains
    for chain in program.chains.values():
        assert chain.node.private
        assert chain.node.doc


@pytest.mark.parametrize("module", modules())
def test_declarations_and_bodies_agree(module: str):
    assert declared(module).keys() == bodies(module).keys()
    for name, tool in declared(module).items():
        body = _parameters(bodies(module)[name])
        properties = tool.input_schema["properties"]
        assert list(properties) == list(body), name
        required = [each.name for each in body.values() if each.default is inspect.Parameter.empty]
        assert tool.input_schema.get("required", []) == required
        for parameter in body.values():
            if parameter.name not in required:
                assert properties[parameter.name].get("default") == parameter.default, f"{name}: {parameter.name}"


def _parameters(body: Body) -> dict[str, inspect.Parameter]:
    """Those that arguments are given to by name."""
    found = inspect.signature(body).parameters.items()
    return {name: each for name, each in found if each.kind is not inspect.Parameter.POSITIONAL_ONLY}


@pytest.mark.parametrize("module", modules())
def test_what_comes_in_pieces_takes_the_same(module: str):
    for name, body in streams(module).items():
        assert _parameters(body) == _parameters(bodies(module)[name])


WRITING = {"files": {"create_text", "create_bytes", "replace_text", "replace_bytes", "append_text"}}


@pytest.mark.parametrize("module", modules())
def test_every_tool_says_what_it_does_and_gives(module: str):
    for name, tool in declared(module).items():
        assert tool.description, name
        assert tool.description.endswith("."), name
        assert tool.output_schema is not None, name
        assert tool.annotations is not None, name
        assert tool.annotations.read_only == (name not in WRITING.get(module, ())), name


@pytest.mark.parametrize("module", modules())
def test_a_file_that_imports_it_compiles_without_a_word(module: str):
    steps = "".join(f"\n  step s{n} = x.{name}()" for n, name in enumerate(declared(module)))
    assert list(world.checked(f'import x from std "{module}"\n')[1]) == []
    # Most of them need something, and the checker knows what.
    codes = world.codes(f'import x from std "{module}"\nchain c {{{steps}\n  output = 1\n}}\n')
    needing = [each for each in declared(module).values() if each.input_schema.get("required")]
    assert codes.count("E0502") == len(needing)


def listed() -> str:
    """Every tool with its types and its sentences, by module, and examples."""
    parts: list[str] = []
    for module in modules():
        parts.append(f"\n## {module}\n\n")
        for name, tool in declared(module).items():
            takes, gives = parameters(tool.input_schema), from_schema(tool.output_schema or {})
            assert not isinstance(takes, BadSchema)
            assert not isinstance(gives, BadSchema)
            fields = ", ".join(f"{f.name}: {show(f.type)}{_default(f)}" for f in takes.record.fields)
            sentences = " ".join(tool.description.split())
            parts.append(f"* `{name}({fields}) -> {show(gives.type)}`  \n  {sentences}\n")
        parts.append(f"\n{examples.shown(module)}")
    return "".join([*parts, *(_ready(module) for module in READY)])


def _ready(module: str) -> str:
    """The chains of a module, as their file has them."""
    file = parse(Text(module, standard_text(f"{STANDARD}{module}")), Sink())
    text, parts = file.source.text, [f"\n## {module} (chains)\n\n"]
    for chain in (item for item in file.items if isinstance(item, tree.Chain)):
        inputs = [text[m.name.start : m.end] for m in chain.members if isinstance(m, tree.Input)]
        (output,) = (m for m in chain.members if isinstance(m, tree.Output))
        assert output.type is not None
        assert chain.doc
        gives = text[output.type.start : output.type.end]
        parts.append(f"* `{chain.name.text}({', '.join(inputs)}) -> {gives}`  \n  {' '.join(chain.doc.split())}\n")
    return "".join([*parts, f"\n{examples.shown(module)}"])


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
    tools = StdTools(plan())

    async def call() -> None:
        for module, name, arguments, wanted in CALLS:
            assert await called(tools, module, name, arguments) == wanted

    anyio.run(call)
