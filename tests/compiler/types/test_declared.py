"""Written types as types."""

import pytest

from dsl import tree
from stdlib.values.show import show
from stdlib.values.types import ListType, Record, Scalar, Type
from tests.compiler.world import checked, codes


def declared(text: str) -> Type:
    """The type that `type T = …` declares; nothing may be wrong with it."""
    program, found = checked(f"type T = {text}\nkind stored = list<T>\n")
    assert found == []
    module = program.project.modules["main.chain"]
    decl = next(item for item in module.file.items if isinstance(item, tree.TypeDecl))
    return program.type_of(decl.type)


@pytest.mark.parametrize(
    "text",
    [
        "string",
        "list<map<integer>>",
        '"a" | "b"',
        '("a" | "b")?',
        "string?",
        "{ a: string, b: integer? }",
        "{}",
        "list<{ a: list<json> }>",
    ],
)
def test_types_read_as_they_are_shown(text: str):
    assert show(declared(text)) == text


def test_unions_are_flat_and_absorb():
    assert show(declared("(string | integer) | (number | string)?")) == "(string | number)?"
    assert show(declared("(string?)?")) == "string?"


def test_refinements_become_keywords():
    assert declared('string(min_length: 1, pattern: "^a")') == Scalar("string", (("minLength", 1), ("pattern", "^a")))
    assert declared("number(above: 0, max: 1.5)") == Scalar("number", (("exclusiveMinimum", 0), ("maximum", 1.5)))
    assert declared("integer(min: -3)") == Scalar("integer", (("minimum", -3),))
    assert declared("list<string>(max_items: 3)") == ListType(Scalar("string"), (("maxItems", 3),))


def test_fields_know_whether_they_may_be_left_out():
    found = declared("{ a: string, b: string?, d: integer = 3, e: json }")
    assert isinstance(found, Record)
    assert {f.name: f.required for f in found.fields} == {"a": True, "b": False, "d": False, "e": True}
    assert {f.name: f.default for f in found.fields} == {"a": None, "b": None, "d": (3,), "e": None}


def test_an_alias_of_an_optional_type_makes_the_field_optional():
    program, found = checked("type Maybe = string?\ntype T = { a: Maybe }\nchain c {\n  output T = {}\n}\n")
    assert found == []
    assert show(program.chains["c"].signature.result) == "{ a: string? }"


def test_types_that_contain_each_other_are_told_once():
    assert codes("type A = { b: B }\ntype B = { a: A? }\nchain c {\n  input a: A\n  output = a.b\n}\n") == ["E0305"]
