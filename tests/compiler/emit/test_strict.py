"""Lowering to strict schemas: nothing the provider refuses, and the same values before and after."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft4Validator, Draft7Validator, Draft202012Validator

from compiler.emit.strict import Refused, Strict, Unencodable, encode, lower
from stdlib.runtime.decode import Undecodable, decode, fits
from tests import corpus
from tests.compiler.emit.strict_values import admitted, changed
from tests.compiler.emit.tricky_schemas import CASES, PROSE, Case, nested, record

TOOLS = ("tools-github-mcp-server.json", "tools-livemcpbench.json", "tools-live-servers.json")
by_name = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def strict(schema: dict[str, Any], **options: Any) -> Strict:
    lowered = lower(schema, **options)
    assert isinstance(lowered, Strict), lowered
    return lowered


def original(case: Case) -> Any:
    """A validator of the draft that the schema is written in."""
    if "draft 4" in case.name:
        return Draft4Validator(case.schema)
    return Draft7Validator(case.schema) if "draft 7" in case.name else Draft202012Validator(case.schema)


def referee(schemas: dict[str, dict[str, Any]], folder: Path) -> list[str]:
    """Errors and risks that the independent checker finds in the schemas."""
    program = corpus.referee()
    paths = []
    for place, (name, schema) in enumerate(schemas.items()):
        path = folder / f"{place}-{name.replace('/', '_').replace(' ', '_')}.json"
        path.write_text(json.dumps(schema), encoding="utf-8")
        paths.append(str(path))
    command = [sys.executable, str(program), "--json", *paths]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    report = json.loads(run.stdout)
    assert len(report) == len(schemas)
    return [
        f"{Path(each['file']).stem}: {finding['code']} at {finding['path']}: {finding['message']}"
        for each in report
        for finding in each["findings"]
        if finding["severity"] != "note"
    ]


@by_name
def test_losses_are_those_that_we_expect(case: Case):
    assert {loss.kind for loss in strict(case.schema).losses} == case.losses


def test_the_referee_finds_nothing(tmp_path: Path):
    assert referee({case.name: strict(case.schema).schema for case in CASES}, tmp_path) == []


@by_name
def test_the_examples_can_be_said(case: Case):
    lowered = strict(case.schema)
    validator = Draft202012Validator(lowered.schema)
    for value in case.fits:
        assert original(case).is_valid(value), f"the example {value} is wrong"
        said = encode(lowered.decoder, value)
        assert validator.is_valid(said), said
        assert fits(lowered.decoder, said)
        assert decode(lowered.decoder, said) == value


@by_name
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_what_strict_mode_admits_fits_the_original(case: Case, data: st.DataObject):
    lowered = strict(case.schema)
    value = data.draw(admitted(lowered.schema, lowered.decoder))
    assert Draft202012Validator(lowered.schema).is_valid(value)
    decoded = decode(lowered.decoder, value)
    if "prose" in case.losses or case.name in ("free object", "free arguments", "compound enum", "text or anything"):
        return  # the description asks for more than the schema
    assert original(case).is_valid(decoded)


@by_name
def test_what_fits_the_original_can_be_said(case: Case):
    lowered = strict(case.schema)
    validator = Draft202012Validator(lowered.schema)
    for start in case.fits:
        for value in [each for each in changed(start) if original(case).is_valid(each)]:
            try:
                said = encode(lowered.decoder, value)
            except Unencodable:
                meant = "narrowed" in case.losses or _names_unknown(case, value) or case.name == "default null"
                assert meant, value
                continue
            assert validator.is_valid(said) or "prose" in case.losses, value
            assert decode(lowered.decoder, said) == value


def _names_unknown(case: Case, value: Any) -> bool:
    """Whether a record of the value has a field that its schema, silent about further ones, does not name."""
    named = json.dumps(case.schema)

    def unknown(part: Any) -> bool:
        if isinstance(part, dict):
            return any(f'"{name}"' not in named or unknown(item) for name, item in part.items())
        return isinstance(part, list) and any(map(unknown, part))

    return unknown(value)


@by_name
@pytest.mark.parametrize("policy", ["prose", "non_strict", "refuse"])
def test_a_policy_allows_only_its_losses(case: Case, policy: Any):
    allowed = {"prose", "narrowed"} if policy == "prose" else set()
    lowered = lower(case.schema, policy)
    assert isinstance(lowered, Strict) == (case.losses <= allowed)
    if isinstance(lowered, Strict):
        assert {loss.kind for loss in lowered.losses} == case.losses
    else:
        assert lowered.reason


@by_name
def test_lowering_is_stable_and_leaves_its_input_alone(case: Case):
    before = json.dumps(case.schema)
    assert lower(case.schema) == lower(json.loads(before))
    assert json.dumps(case.schema) == before


def test_order_and_descriptions_stay():
    schema = record({"b": {"type": "string", "description": "The b."}, "a": {"type": "string", "format": "uri"}})
    properties = strict(schema).schema["properties"]
    assert list(properties) == ["b", "a"]
    assert properties["b"] == {"type": "string", "description": "The b."}
    assert properties["a"] == {"type": "string", "description": "Format: uri."}


def test_a_default_is_said_in_words():
    schema = record(
        {"a": {"type": "integer", "default": 5}, "b": {"type": "string", "description": "The default is x."}}, []
    )
    properties = strict(schema).schema["properties"]
    assert properties["a"] == {"type": ["integer", "null"], "description": "Default: 5."}
    assert properties["b"]["description"] == "The default is x."


def test_ten_levels_are_possible_and_more_become_text(tmp_path: Path):
    assert strict(nested(10)).exact
    deep = strict(nested(12))
    assert {loss.kind for loss in deep.losses} == {"encoded"}
    assert referee({"ten": strict(nested(10)).schema, "twelve": deep.schema}, tmp_path) == []
    refused = lower(nested(12), "prose")
    assert isinstance(refused, Refused)
    assert refused.reason == "objects are nested more than 10 levels deep"
    assert refused.path == "/properties/x" * 10


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"type": "string"}, "arguments are always an object, and the schema does not allow one"),
        ({"type": "object", "properties": {"a": {"type": "nonsense"}}}, "the schema is no valid JSON Schema"),
        ({"type": "object", "required": "a"}, "the schema is no valid JSON Schema"),
        ({"$ref": "https://x.example/s.json"}, "the reference https://x.example/s.json leaves the schema"),
        ({"$ref": "#/$defs/A"}, "the reference #/$defs/A points at nothing"),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}}, "the reference #/$defs/A leads back to itself"),
        (
            record({"a": {"enum": [f"v{n}" for n in range(1001)]}}),
            "it lists 1001 fixed values, and at most 1000 are possible",
        ),
        (
            record({"a": {"enum": [f"{n:060}" for n in range(300)]}}),
            "a choice of 300 values has more than 15000 characters",
        ),
        (
            record({f"f{n}": {"type": "string"} for n in range(5001)}),
            "it has 5001 fields, and at most 5000 are possible",
        ),
        (
            record({f"{n:0100}": {"type": "string"} for n in range(1300)}),
            "its names and fixed values have more than 120000 characters",
        ),
    ],
)
def test_what_no_policy_can_say_is_refused(schema: dict[str, Any], reason: str):
    refused = lower(schema)
    assert isinstance(refused, Refused)
    assert refused.reason == reason


def test_a_schema_nested_beyond_reason_is_refused_not_raised():
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(3000):
        schema = {"anyOf": [schema]}
    assert isinstance(lower(record({"a": schema})), Refused)


def test_null_and_absent_are_the_same_where_the_caller_says_so():
    nullable = record({"a": {"type": ["string", "null"]}}, [])
    assert not strict(nullable).exact
    assert strict(nullable, absent_is_null=True).exact
    default = record({"a": {"type": ["string", "null"], "default": "x"}}, [])
    assert not strict(default, absent_is_null=True).exact


# ------------------------------------------------------------------ the decoder


def test_decoding_tells_what_is_wrong():
    program = strict(record({"a": {"type": "object", "additionalProperties": {"type": "object"}}})).decoder
    assert decode(program, {"a": [{"key": "x", "value": '{"y": 1}'}]}) == {"a": {"x": {"y": 1}}}
    for wrong, path in (
        ({"a": [{"key": "x", "value": "{"}]}, "/a/0/value"),
        ({"a": [{"key": "x", "value": "NaN"}]}, "/a/0/value"),
        ({"a": [{"key": "x", "value": "1e999"}]}, "/a/0/value"),
        ({"a": [{"key": "x", "value": "[" * 100_000}]}, ""),
        ({"a": [{"key": "x"}]}, "/a/0"),
        ({"a": {}}, "/a"),
        ([], ""),
    ):
        with pytest.raises(Undecodable) as caught:
            decode(program, wrong)
        assert caught.value.path == path


def test_a_later_pair_wins_and_named_fields_stay():
    schema = record({"a": record({"b": {"type": "string"}}, additionalProperties={"type": "integer"})})
    program = strict(schema).decoder
    pairs = [{"key": "x", "value": 1}, {"key": "x", "value": 2}, {"key": "b", "value": 3}]
    assert decode(program, {"a": {"b": "t", "other_fields": pairs}}) == {"a": {"b": "t", "x": 2}}


def test_large_numbers_survive():
    program = strict(record({"a": {}})).decoder
    assert decode(program, {"a": str(2**80)}) == {"a": 2**80}


def test_plain_arguments_do_not_fit_the_strict_form():
    program = strict(
        record({"a": {"type": "object", "additionalProperties": {"type": "string"}}, "b": {"type": "string"}}, ["a"])
    ).decoder
    assert fits(program, {"a": [], "b": None})
    assert not fits(program, {"a": {}, "b": None})
    assert not fits(program, {"a": []})


# ------------------------------------------------------------------ real tools


def real_tools() -> dict[str, dict[str, Any]]:
    return {f"{file}-{tool['name']}": tool["inputSchema"] for file in TOOLS for tool in corpus.load(file)["tools"]}


def test_real_tools_are_said_and_mostly_exactly(tmp_path: Path):
    lowered = {name: lower(schema) for name, schema in real_tools().items()}
    said = {name: each for name, each in lowered.items() if isinstance(each, Strict)}
    assert len(said) == len(lowered) > 400
    assert referee({name: each.schema for name, each in said.items()}, tmp_path) == []
    exact = sum(each.exact for each in said.values())
    assert exact / len(lowered) >= 0.86
    assert all(PROSE | {"encoded", "narrowed"} >= {loss.kind for loss in each.losses} for each in said.values())


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_arguments_for_real_tools_come_back(data: st.DataObject):
    tools = real_tools()
    name = data.draw(st.sampled_from(sorted(tools)))
    lowered = strict(tools[name])
    value = data.draw(admitted(lowered.schema, lowered.decoder))
    assert Draft202012Validator(lowered.schema).is_valid(value)
    decoded = decode(lowered.decoder, value)
    if all(loss.kind == "narrowed" for loss in lowered.losses):
        assert Draft202012Validator(tools[name]).is_valid(decoded)
    again = encode(lowered.decoder, decoded)
    assert decode(lowered.decoder, again) == decoded
