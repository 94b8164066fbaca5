"""openai.tools.json: exactly the visible chains, each strict or told why not."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from compiler.emit import Bundle, emit
from dsl.diagnostics import Diagnostic, Sink
from stdlib.runtime.decode import decode
from tests.compiler.emit.sample import sample, with_input
from tests.compiler.emit.test_strict import referee
from tests.compiler.emit.tricky_schemas import nested, record

MAP = record({"a": {"type": "object", "additionalProperties": {"type": "integer"}}})
MANY = record({"a": {"type": "string", "enum": [f"v{number}" for number in range(1001)]}})


def emitted(bundle: Bundle) -> tuple[list[dict[str, Any]], dict[str, Any], list[Diagnostic]]:
    """The tools, the decoders and what was said."""
    sink = Sink()
    files = {each.path: each.text for each in emit(bundle, sink)}
    decoders = json.loads(files["openai.decoders.json"])
    assert decoders["format"] == "chainc.decoders/1"
    return json.loads(files["openai.tools.json"]), decoders["tools"], list(sink)


def test_exactly_the_visible_chains_ordered_by_id():
    tools, decoders, said = emitted(sample())
    assert [tool["name"] for tool in tools] == ["collect", "count_words", "show_rows"] == list(decoders)
    assert all(tool["type"] == "function" and tool["strict"] is True for tool in tools)
    assert [list(tool) for tool in tools] == [["type", "name", "description", "parameters", "strict"]] * 3
    assert said == []


def test_the_referee_accepts_the_parameters(tmp_path):
    tools, _, _ = emitted(sample())
    assert referee({tool["name"]: tool["parameters"] for tool in tools}, tmp_path) == []


def test_examples_have_the_form_that_the_schema_asks_for():
    tools, decoders, _ = emitted(sample())
    tool = next(each for each in tools if each["name"] == "count_words")
    (line,) = [line for line in tool["description"].splitlines() if line.startswith("Example: ")]
    arguments = json.loads(line.partition(" -> ")[2])
    assert Draft202012Validator(tool["parameters"]).is_valid(arguments)
    assert decode(decoders["count_words"], arguments) == {"path": "report", "labels": {}}


@pytest.mark.parametrize("policy", ["prose", "non_strict", "refuse", "encode"])
def test_the_policy_decides_about_a_map(policy: Any):
    tools, decoders, said = emitted(with_input(MAP, openai_policy=policy))
    shapes = [(tool["strict"], tool["parameters"] == MAP) for tool in tools]
    codes = [each.code for each in said]
    expected = {
        "encode": ([(True, False)], []),
        "prose": ([(False, True)], ["W0712"]),
        "non_strict": ([(False, True)], []),
        "refuse": ([], ["E0710"]),
    }
    assert (shapes, codes) == expected[policy]
    assert list(decoders) == (["count_words"] if policy == "encode" else [])


def test_a_refusal_names_tool_input_place_and_way_out():
    _, _, (said,) = emitted(with_input(MAP, openai_policy="refuse"))
    assert said.message == (
        "`count_words` does not fit OpenAI's strict mode: its input `a` cannot be said: "
        "a map has to be written as a list of pairs of key and value."
    )
    assert said.notes == ("`count_words` stands in chains/a.chain, line 3.",)
    assert 'policy = "encode"' in said.helps[0]


def test_what_no_encoding_can_say_goes_without_strict_mode():
    tools, _, said = emitted(with_input(MANY))
    assert [(tool["strict"], tool["parameters"]) for tool in tools] == [(False, MANY)]
    assert [each.code for each in said] == ["W0712"]
    assert "it lists 1001 fixed values" in said[0].message
    assert emitted(with_input(nested(30)))[2] == []


def test_a_name_that_the_provider_refuses_is_left_out():
    for name, codes in (("a" * 64, []), ("a" * 65, ["E0711"]), ("zählen", ["E0711"])):
        tools, decoders, said = emitted(with_input(MAP, name=name))
        assert [each.code for each in said] == codes
        assert len(tools) == len(decoders) == (0 if codes else 1)


def test_the_dialect_is_not_sent():
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **MANY}
    for policy in ("encode", "non_strict"):
        (tool,), _, _ = emitted(with_input(schema, openai_policy=policy))
        assert "$schema" not in tool["parameters"]
