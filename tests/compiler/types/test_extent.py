"""Types that a few lines make deep or large: told, neither a crash nor a long wait."""

import pytest

from compiler.types.extent import DEEPEST, MOST_PLACES, Extent
from stdlib.values.types import STRING, Field, ListType, MapType, Record, Type, optional
from tests.compiler.world import checked


def declared(count: int, form: str, *, backwards: bool = False) -> list[tuple[str, str]]:
    types = [f"type T{n} = {form.replace('T', f'T{n - 1}')}" for n in range(1, count)]
    if backwards:
        types.reverse()
    text = "\n".join(["type T0 = { a: string }", *types, f"chain c {{ input x: T{count - 1} output = x }}"])
    return [(each.code, each.message) for each in checked(text)[1]]


@pytest.mark.parametrize("backwards", [False, True])
def test_names_do_not_make_a_type_deeper_than_it_may_be(backwards: bool):
    assert declared(DEEPEST - 1, "{ a: T }", backwards=backwards) == []
    found = declared(3000, "{ a: T }", backwards=backwards)
    assert {code for code, _ in found} == {"E0118"}
    assert found[0][1].endswith("is nested more than 60 levels deep.")


def test_long_types_within_each_other_are_read_without_a_crash():
    found = declared(40, "list<" * 90 + "T" + ">" * 90, backwards=True)
    assert {code for code, _ in found} == {"E0118"}


def test_names_do_not_make_a_type_larger_than_it_may_be():
    assert declared(7, "{ a: T, b: T, c: list<T> }") == []
    found = declared(12, "{ a: T, b: T, c: list<T> }")
    assert found == [("E0118", "The type `T9` has more than 20,000 parts, with all that it names put in.")]


def test_what_is_measured():
    record: Type = Record((Field("a", STRING), Field("b", ListType(optional(STRING)))))
    assert Extent().of(STRING) == (1, 1)
    assert Extent().of(record) == (4, 6)
    for _ in range(50):
        record = Record((Field("a", record), Field("b", MapType(record))))
    depth, places = Extent().of(record)
    assert depth == 4 + 2 * 50
    assert places > MOST_PLACES**3
