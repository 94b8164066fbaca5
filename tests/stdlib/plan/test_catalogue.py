"""The catalogue: what is read, what is refused, and what it derives for servers and providers."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from stdlib.plan.catalogue import Catalogue, Entry, wire_output_schema
from stdlib.plan.document import to_json, to_text


def entry(**changes: Any) -> Entry:
    return Entry.model_validate(
        {
            "id": "open_incident",
            "version": "2.1.0",
            "selection": {"title": "Open an incident"},
            "input": {"schema": {"type": "object"}},
            "output": {"mode": "scalar", "schema": {"type": "string"}},
            "source": {"file": "chains/incident.chain", "line": 61},
        }
        | changes
    )


def output(schema: Any, **more: Any) -> Entry:
    return entry(output={"mode": "scalar", "schema": schema} | more)


def test_an_entry_survives_writing_and_reading():
    full = entry(
        owner="on-call team",
        output={
            "mode": "handle",
            "kind": "incident",
            "schema": {"type": "array"},
            "bound": 2048,
            "faults": [{"class": "precondition", "when": "there are no findings"}],
        },
        behaviour={"read_only": True, "budget": {"calls": 12, "cost": 0.5}, "retries": "keyed"},
        uses=[{"source": "tickets", "tool": "create", "schema": "9f1c", "proof": "claimed"}],
        deprecated={"reason": "old", "use": "new_one"},
        digests={"schema": "ab"},
    )
    catalogue = Catalogue(name="acme", version="1.0.0", entries=(full,))
    text = to_text(catalogue)
    assert Catalogue.model_validate_json(text) == catalogue
    written = json.loads(text)
    assert written["format"] == "chainc.catalogue/1"
    assert written["entries"][0]["output"]["faults"] == [{"class": "precondition", "when": "there are no findings"}]
    assert written["entries"][0]["uses"][0]["schema"] == "9f1c"
    assert "scopes" not in written["entries"][0]["behaviour"]


def test_defaults_are_left_out_but_never_the_kind():
    assert to_json(entry()) == {
        "id": "open_incident",
        "version": "2.1.0",
        "selection": {"title": "Open an incident"},
        "input": {"schema": {"type": "object"}},
        "output": {"mode": "scalar", "schema": {"type": "string"}},
        "source": {"file": "chains/incident.chain", "line": 61},
    }


@pytest.mark.parametrize(
    "changes",
    [{"colour": "red"}, {"output": {"mode": "stream", "schema": {}}}, {"behaviour": {"retries": "often"}}],
)
def test_what_the_format_does_not_know_is_refused(changes: dict[str, Any]):
    with pytest.raises(ValidationError):
        entry(**changes)


def test_the_prompt_text_says_all_a_model_must_know():
    told = entry(
        selection={
            "title": "Open an incident",
            "description": "Opens an incident for an alert.",
            "use_when": ["an alert is new"],
            "not_when": ["somebody works on it already."],
            "examples": [{"request": "the alert of täglich", "arguments": {"alert_id": "al-1"}}],
        },
        input={"schema": {"type": "object"}, "constraints": ["An alert needs\n  a name.", "No day is before {since}."]},
        output={"mode": "handle", "kind": "incident", "schema": {}, "empty": "nothing was wrong"},
        deprecated={"reason": "renamed", "use": "incident_open"},
    )
    assert told.prompt_text.splitlines() == [
        "Opens an incident for an alert.",
        "Deprecated: renamed. Use incident_open.",
        "Use when: an alert is new.",
        "Do not use when: somebody works on it already.",
        'Example: the alert of täglich -> {"alert_id": "al-1"}',
        'Refuses wrong input: "An alert needs a name."',
        'Refuses wrong input: "No day is before {since}."',
        "Returns a handle of kind incident with a summary, not the value itself.",
        "An empty result means: nothing was wrong.",
    ]
    assert entry().prompt_text == "Open an incident"


def test_a_record_goes_over_the_wire_as_it_is():
    record = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert wire_output_schema(output(record)) == record


def test_everything_else_is_wrapped_in_a_result():
    accepts = Draft202012Validator(wire_output_schema(output({"type": ["string", "null"]}))).is_valid
    assert accepts({"result": "x"})
    assert accepts({"result": None})
    assert not accepts({"result": 1})
    assert not accepts({})
    words = {"type": "object", "additionalProperties": {"type": "string"}}
    assert wire_output_schema(output(words))["properties"] == {"result": words}
    assert wire_output_schema(output({}))["properties"] == {"result": {}}


def test_references_survive_the_wrapping():
    tree = {
        "$defs": {"Leaf": {"type": "string"}, "Up": {"$ref": "#"}},
        "anyOf": [{"$ref": "#/$defs/Leaf"}, {"type": "array", "items": {"$ref": "#"}}],
        "default": {"$ref": "#"},
    }
    wire = wire_output_schema(output(tree))
    assert wire["properties"]["result"]["default"] == {"$ref": "#"}
    validator = Draft202012Validator(wire)
    assert validator.is_valid({"result": ["a", ["b", []]]})
    assert not validator.is_valid({"result": ["a", [1]]})


def test_a_handle_names_its_kind():
    schema = wire_output_schema(output({"type": "array"}, mode="handle", kind="table"))
    handle = {"id": "h", "kind": "table", "summary": "", "bytes": 2, "items": None, "expires": "2026-01-01T00:00:00Z"}
    validator = Draft202012Validator(schema)
    assert validator.is_valid({"handle": handle})
    assert not validator.is_valid({"handle": handle | {"kind": "chart"}})
    assert not validator.is_valid({"handle": handle, "result": []})


def test_any_form_that_a_version_gets_fits():
    old = [{"version": "1.x", "schema": {"type": "string"}}, {"version": "0.x", "schema": {"type": "string"}}]
    words = {"$defs": {"Word": {"type": "string"}}, "type": "array", "items": {"$ref": "#/$defs/Word"}}
    schema = wire_output_schema(output(words, adapted=old))
    assert schema["type"] == "object"
    assert [each["title"] for each in schema["anyOf"]] == [
        "The result of version 2.1.0",
        "The result of calls of version 1.x",
    ]
    accepts = Draft202012Validator(schema).is_valid
    assert accepts({"result": ["a"]})
    assert accepts({"result": "a"})
    assert not accepts({"result": [1]})
    assert not accepts({"result": 1})
    same = [{"version": "1.x", "schema": words}]
    assert wire_output_schema(output(words, adapted=same)) == wire_output_schema(output(words))


def test_a_schema_written_out_wins():
    wire = {"type": "object", "properties": {"x": {"type": "integer"}}}
    assert wire_output_schema(output({"type": "integer"}, wire_schema=wire)) == wire


def test_text_is_stable_readable_and_always_encodable():
    odd = entry(selection={"title": "a\ud800b é", "description": str(2**70)})
    assert "a\ufffdb é" in to_text(odd)
    to_text(odd).encode("utf-8")
    huge = to_text(output({"const": 2**70, "minimum": 1.0}))
    assert str(2**70) in huge
