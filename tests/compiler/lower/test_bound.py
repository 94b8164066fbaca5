"""How many bytes an output can have: never fewer than it has, and a number wherever the types end."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.lower import lower
from compiler.lower.bound import most_bytes
from stdlib.values.types import (
    BOOLEAN,
    JSON,
    NULL,
    NUMBER,
    STRING,
    TIMESTAMP,
    UUID,
    Field,
    ListType,
    LiteralType,
    MapType,
    Record,
    Scalar,
    Type,
    union,
)
from tests.compiler.world import body, checked

WORD = Scalar("string", (("maxLength", 3),))
COUNT = Scalar("integer", (("maximum", 100), ("minimum", -5000)))


def size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


@given(
    st.fixed_dictionaries(
        {
            "word": st.text(max_size=3),
            "count": st.integers(-5000, 100),
            "rates": st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=4),
            "mode": st.sampled_from(["on", "grün", None]),
            "done": st.booleans(),
        }
    )
)
def test_no_value_is_larger(value: dict[str, object]):
    mode = union(LiteralType("on"), LiteralType("grün"), NULL)
    rates = ListType(NUMBER, (("maxItems", 4),))
    fields: list[tuple[str, Type]] = [
        ("word", WORD),
        ("count", COUNT),
        ("rates", rates),
        ("mode", mode),
        ("done", BOOLEAN),
    ]
    most = most_bytes(Record(tuple(Field(n, t) for n, t in fields), open=False))
    assert most is not None
    assert size(value) <= most


@pytest.mark.parametrize(
    "endless",
    [
        STRING,
        Scalar("integer"),
        Scalar("integer", (("minimum", 0),)),
        TIMESTAMP,
        JSON,
        ListType(BOOLEAN),
        ListType(STRING, (("maxItems", 2),)),
        MapType(BOOLEAN),
        Record((Field("a", BOOLEAN),)),
        Record((Field("a", STRING),), open=False),
        union(BOOLEAN, STRING),
    ],
)
def test_what_has_no_end(endless: Type):
    assert most_bytes(endless) is None


def test_texts_of_one_length():
    assert most_bytes(UUID) == size("f81d4fae-7dec-11d0-a765-00a0c91e6bf6")


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("output boolean = true", size({"result": False})),
        ("output { ok: boolean } = { ok: true }", size({"ok": False}) + 1),
        # More fields than the output names could come along.
        ("output { ok: boolean } = (github_ as { ok: boolean })", "unbounded"),
        ("output string = n", "unbounded"),
        ("output string(max_length: 2) = n", size({"result": ""}) + 12),
    ],
)
def test_the_catalogue_has_it(output: str, expected: int | str):
    program, found = checked(body(f"input n: string\n  input github_: json\n  {output}"))
    assert [each.message for each in found] == []
    assert lower(program)[1].entries[0].output.bound == expected
