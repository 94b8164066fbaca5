"""Every tool and ready chain of the standard library has an example that runs and gives what stands below it."""

from pathlib import Path

import pytest

from compiler.loader.sources import STANDARD, standard_chains, standard_modules, standard_text
from compiler.types.constants import json_value
from dsl import tree
from dsl.diagnostics import Sink
from dsl.format import format_text
from dsl.parser import parse
from dsl.source import Source

from .declared import declared
from .examples import CHANCE, FOLDER, literal, results, steps_of, text_of, with_results


@pytest.mark.parametrize("module", standard_modules())
def test_every_tool_has_one(module: str):
    if standard_chains(module):
        file = parse(Source(module, standard_text(f"{STANDARD}{module}")), Sink())
        names = [item.name.text for item in file.items if isinstance(item, tree.Chain)]
    else:
        names = list(declared(module))
    actions = [step.action for step in steps_of(text_of(module)).values()]
    calls = [".".join(part.text for part in each.call.path) for each in actions if isinstance(each, tree.CallAction)]
    assert sorted(calls) == sorted(f"{module}.{name}" for name in names)


def test_there_are_no_others():
    assert sorted(each.stem for each in FOLDER.glob("*.chain")) == standard_modules()


def test_they_give_what_stands_below_them(tmp_path: Path, bless: bool):
    for module, values in results(tmp_path).items():
        path, text = FOLDER / f"{module}.chain", text_of(module)
        expected = with_results(text, values)
        for fresh in CHANCE.findall(expected) if module == "uuid" else ():
            expected = expected.replace(fresh, next(iter(CHANCE.findall(text)), fresh))  # another one each time
        if bless:
            path.write_text(expected, encoding="utf-8")
        assert text == expected or bless, module
        assert format_text(Source(module, text), Sink()) == text
        for value in values.values():
            assert _read(literal(value)) == value


def _read(text: str) -> object:
    (item,) = parse(Source("literal", f"let x = {text}\n"), Sink()).items
    assert isinstance(item, tree.Let)
    return json_value(item.value)
