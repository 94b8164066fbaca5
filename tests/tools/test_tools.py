"""Made-up tools, then those of the corpus: imported, called with arguments that fit and with faulty ones."""

from typing import Any

import pytest

from tests.tools import table
from tests.tools.samples import NoSample, Schema
from tests.tools.specifications import FILES, imported, read
from tests.tools.trial import KINDS, tried

MOST = 4
"""So many faults of each kind a tool in the suite; `python -m tests.tools` seeds all."""

NODE = {"type": "object", "properties": {"name": {"type": "string"}, "next": {"$ref": "#/$defs/node"}}}


def takes(properties: dict[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), **more}


def tool(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "inputSchema": schema}


def test_arguments_are_made_from_every_form_of_a_schema():
    schema = Schema(
        takes(
            {
                "a": {"$ref": "#/$defs/id"},
                "b": {"enum": [None, "x"]},
                "c": {"type": ["null", "integer"], "exclusiveMinimum": 5},
                "d": {"anyOf": [{"type": "null"}, takes({"e": {"const": 3}}, "e")]},
                "f": {"type": "array", "items": {"type": "string", "format": "uri"}, "minItems": 2},
                "g": {"allOf": [takes({"h": {"type": "boolean"}}, "h"), takes({"i": {}}, "i")]},
            },
            "a",
            "f",
            **{"$defs": {"id": {"type": "string", "pattern": "^AS\\d+$"}}},
        )
    )
    url = "https://example.org/a"
    assert schema.sample(full=False) == {"a": "AS7", "f": [url, url]}
    assert schema.sample(full=True) == {
        "a": "AS7",
        "b": "x",
        "c": 6,
        "d": {"e": 3},
        "f": [url, url],
        "g": {"h": False, "i": "text"},
    }
    with pytest.raises(NoSample):
        Schema(takes({"a": {"type": "string", "pattern": "^no way$"}}, "a")).sample(full=False)


def test_faulty_arguments_have_one_fault_each():
    schema = Schema(takes({"a": {"enum": ["x", "y"]}, "n": {"type": "integer", "minimum": 0}}, "a"))
    found = list(schema.faulty({"a": "x", "n": 1}))
    assert {each.kind for each in found} == set(KINDS)
    missing = [each.arguments for each in found if each.kind == "missing required"]
    assert missing == [{"n": 1}]
    assert {"a": "x", "n": -987654321} in [each.arguments for each in found if each.kind == "out of bounds"]
    assert not any(schema.admits(each.arguments) for each in found if each.kind != "unknown name")


def test_what_types_cannot_say_is_left_to_run_time_and_nothing_else(tmp_path):
    schema = takes({"root": {"$ref": "#/$defs/node"}, "n": {"type": "integer"}}, "n", **{"$defs": {"node": NODE}})
    corpus = imported({"s": [tool("walk-it", schema)]}, tmp_path)
    outcome = tried(corpus, corpus.tools[0])
    assert (outcome.accepted, outcome.refused, outcome.wrong) == (2, (), False)
    assert outcome.missed
    assert {each.path[0] for each in outcome.missed} == {"root"}


def test_what_cannot_be_imported_is_refused_with_a_code(tmp_path):
    plain = takes({})
    offered = {
        "a": [tool("good", plain), tool("bad", takes({"x": {"type": "strange"}}))],
        "b": [tool("one-two", plain), tool("one_two", plain)],
        "c": [tool("hidden\u202e", plain)],
    }
    corpus = imported(offered, tmp_path)
    assert [each.refused and each.refused[0] for each in corpus.tools] == [None, "E0208", None, None, "E0225"]
    found = table.reasons(corpus)
    assert found[table.WHOLE] == 3
    assert found.total() == 5


def test_every_real_tool_is_typed_and_its_arguments_are_checked(tmp_path):
    corpus = read(tmp_path)
    assert len(corpus.tools) == sum(FILES.values()) == 451
    assert sum(each.alias != each.name for each in corpus.tools) == 57
    assert [each for each in corpus.tools if each.refused is not None] == []
    assert table.reasons(corpus)[table.WHOLE] >= 448
    outcomes = [tried(corpus, each, most=MOST) for each in corpus.tools]
    assert [each for each in outcomes if each.wrong] == []
    assert sum(each.accepted for each in outcomes) > len(corpus.tools)
    assert all(sum(each.seeded.get(kind, 0) for each in outcomes) > 90 for kind in KINDS)
    assert all(each.seeded.get("unknown name") for each in outcomes)
