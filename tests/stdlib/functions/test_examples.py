"""Every example of the table is parsed as the language, turned into a plan's expression, and evaluated."""

import re

import pytest

from compiler.types.constants import json_value
from dsl import tree
from dsl.diagnostics import Sink
from dsl.parser import parse
from dsl.source import Source
from stdlib.functions import FAMILIES, FOREIGN, find, names
from stdlib.plan import expression as plan
from stdlib.runtime.evaluate import Scope, compile_expression
from stdlib.values.equal import equal

ENTRIES = [entry for family in FAMILIES for entry in family.entries]
# What the programs of the language's design rely on.
PROMISED = """count first last take sort group unique index index_of sum join upper lower days clamp round percent
to_json parse_json min max keys values entries avg div lines split"""


def read_call(text):
    sink = Sink()
    file = parse(Source("example.chain", f"let example = {text}"), sink)
    assert [d.message for d in sink] == []
    [let] = file.items
    assert isinstance(let, tree.Let)
    assert isinstance(let.value, tree.Function)
    return let.value


def to_plan(call, on):
    entry = find(call.name.text)
    assert entry is not None
    positional = [p.name for p in entry.signature.parameters if p.positional]
    arguments = {}
    for argument in call.arguments:
        name = argument.name.text if argument.name else positional.pop(0)
        arguments[name] = plan.Const(value=json_value(argument.value))
    assert {p.name for p in entry.signature.parameters if p.required} <= arguments.keys()
    assert {name for name in arguments if name not in positional} <= {p.name for p in entry.signature.parameters}
    return plan.Call(function=entry.name, arguments=arguments, on=on)


@pytest.mark.parametrize(
    ("example", "name"), [(example, entry.name) for entry in ENTRIES for example in entry.examples]
)
def test_example(example, name):
    call = read_call(example.call)
    assert call.name.text == name
    value = compile_expression(to_plan(call, example.on))(Scope({}))
    assert equal(value, example.result), value


def test_every_function_is_there_once_and_has_examples():
    assert len(ENTRIES) == len(names()) == len({entry.name for entry in ENTRIES})
    assert [entry.name for entry in ENTRIES if not entry.examples] == []
    assert set(names()) >= set(PROMISED.split())


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_rows_are_well_formed(entry):
    signature = entry.signature
    assert signature.name == entry.name
    assert entry.sentence.endswith(".")
    assert entry.sentence[0].isupper()
    parameters = {p.name for p in signature.parameters}
    assert (entry.ordered is None) == (entry.demands is None)
    assert entry.ordered is None or entry.ordered in parameters
    kinds = [p.positional for p in signature.parameters]
    assert kinds == sorted(kinds, reverse=True), "positional parameters come first"


def test_what_functions_look_for_is_told_apart():
    assert find("len") is None
    assert set(FOREIGN).isdisjoint(names())


def test_hints_name_functions_that_exist():
    for name, help_text in FOREIGN.items():
        for used in re.findall(r"([a-z_0-9]+)\((?!\?)", help_text):
            assert used in names(), (name, used)
