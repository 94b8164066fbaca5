"""Types of values that were seen: all of them fit, written and read again as well."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from compiler.types.inferred import MOST_PARTS, inferred
from compiler.types.to_schema import to_schema
from dsl import tokens, tree
from stdlib.runtime.schema import Shape
from stdlib.values.show import RESERVED, show
from tests.compiler.world import checked

UUID = "0b9ef1c8-6c3f-4d7a-9f7e-1f2a3b4c5d6e"


def shown(*values, **hints):
    return show(inferred(values, hints), 1_000_000)


@pytest.mark.parametrize(
    ("values", "written"),
    [
        ([1, 2], "integer"),
        ([1, 2.5], "number"),
        ([True], "boolean"),
        (["a", None], "string?"),
        ([None], "json"),
        (["a", 1], "string | integer"),
        (["a", 1, True, []], "json"),
        ([[]], "list<json>"),
        ([[1], [], ["a"]], "list<string | integer>"),
        ([[[1]], [[None]]], "list<list<integer?>>"),
        ([{}], "{}"),
        ([{"a": 1, "b": None}], "{ a: integer, b: json }"),
        ([{"a": 1, "b": "x"}, {"a": None}], "{ a: integer?, b: string? }"),
        ([{"a": {"b": 1}}, {"a": {"c": 1}}], "{ a: { b: integer?, c: integer? } }"),
        ([{"X-Id": 1, "when": 2}], '{ "X-Id": integer, when: integer }'),
        ([{"a\u202eb": 1, "c": 1, "${x}": 1}], "{ c: integer }"),
        ([{"a": 1}, [2]], "list<integer> | { a: integer }"),
    ],
)
def test_forms(values, written):
    assert shown(*values) == written


@pytest.mark.parametrize(
    ("texts", "written"),
    [
        (["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.5+02:00"], "timestamp"),
        (["2026-01-02T03:04:05Z", "2026-01-02T03:04:05"], "string"),
        (["2026-01-02"], "date"),
        (["https://a.example/x?y=1"], "url"),
        (["note:read"], "string"),
        (["ada@example.org"], "email"),
        ([UUID], "uuid"),
        (["PT4H"], "duration"),
        (["abcd", "c2VjcmV0"], "string"),
        (["", "2026-01-02"], "string"),
    ],
)
def test_formats_are_those_that_all_texts_have(texts, written):
    assert shown(*texts) == written


def test_choices_only_where_somebody_said_so():
    rows = [{"state": "open"}, {"state": "closed"}, {"state": "open"}]
    assert shown(*rows) == "{ state: string }"
    assert shown(*rows, state=()) == '{ state: "closed" | "open" }'
    assert shown(*rows, state=("open", "closed", "all")) == '{ state: "open" | "closed" | "all" }'
    assert shown(*rows, state=("open",)) == "{ state: string }"
    assert shown(*[{"state": str(n)} for n in range(20)], state=()) == "{ state: string }"
    assert shown({"state": "${x}"}, state=()) == "{ state: string }"


def test_objects_whose_keys_are_data_are_maps():
    assert shown({"/a/b": 1, "/c": 2}) == "map<integer>"
    assert shown({UUID: {"n": 1}, UUID.replace("0", "1"): {"n": None}}) == "map<{ n: integer? }>"
    assert shown({"2026-01-01": 1.5, "2026-01-02": 2}) == "map<number>"
    assert shown({str(n): "x" for n in range(400)}) == "map<string>"
    assert shown({f"user_{n}": n for n in range(10)}, {f"user_{n}": n for n in range(10, 20)}) == "map<integer>"
    assert shown({"one": 1}) == "{ one: integer }"


def test_what_is_too_large_or_too_deep_has_json_in_it():
    deep: object = 1
    for _ in range(60):
        deep = [deep]
    assert shown(deep).count("list") < 25
    wide = {f"a{i}": {f"b{j}": {f"c{k}": 1 for k in range(12)} for j in range(20)} for i in range(30)}
    assert 0 < shown(wide).count(": ") <= MOST_PARTS


KEYS = st.sampled_from(["id", "state", "when", "a b", "é", "", "$x", "${x}", '"', "\\", "\n", "1", UUID, "if", "{"])
WORDS = st.sampled_from(["open", "2026-01-02", UUID, ""])
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | WORDS
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | st.text("ab-/", max_size=3), inner, max_size=5),
    max_leaves=20,
)


@given(st.lists(VALUES, min_size=1, max_size=5), st.sampled_from([{}, {"state": ()}, {"state": ("open", 'a"b\\')}]))
@example([{"state": 'a"b\\'}], {"state": ("open", 'a"b\\')})
@settings(deadline=None)
def test_every_value_fits_the_proposed_type_also_behind_its_text(values, hints):
    made = inferred(values, hints)
    assert [each for each in values if Shape(to_schema(made)).mismatch(each) is not None] == []
    program, found = checked(f"type T = {show(made, 1_000_000)}\n")
    assert [each.message for each in found] == []
    (decl,) = [item for item in program.project.modules["main.chain"].file.items if isinstance(item, tree.TypeDecl)]
    read = Shape(to_schema(program.type_of(decl.type)))
    assert [each for each in values if read.mismatch(each) is not None] == []


def test_words_of_the_language_are_quoted_as_names():
    assert set(RESERVED) == set(tokens.RESERVED)
    assert shown(dict.fromkeys(sorted(RESERVED), 1)).count('"') == 2 * len(RESERVED)
