import json
import math
import re

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from stdlib.values.canonical import MOST_DEPTH, JsonError, canonical, canonical_text, clean, read_json, write_canonical
from stdlib.values.digest import digest
from stdlib.values.equal import equal
from stdlib.values.numbers import NumberError, checked, number_text

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
SAFE = st.integers(-(2**53) + 1, 2**53 - 1)
DOUBLE = st.floats(allow_nan=False, allow_infinity=False)


def values(numbers):
    leaves = st.none() | st.booleans() | numbers | TEXT
    return st.recursive(leaves, lambda v: st.lists(v, max_size=4) | st.dictionaries(TEXT, v, max_size=4), max_leaves=15)


@given(values(SAFE | DOUBLE))
def test_the_same_bytes_as_the_reference_where_it_reaches(value):
    assert canonical(value) == rfc8785.dumps(value)


# From 2^53 to 1e21 a whole double prints like an integer, which then reads back exactly: a number nearby.
@given(values(st.integers() | DOUBLE.filter(lambda x: not 2**53 <= abs(x) < 1e21)))
def test_reading_what_was_written_gives_an_equal_value_and_the_same_bytes(value):
    written = canonical(value)
    back = read_json(written)
    assert canonical(back) == written
    assert equal(back, value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (-0.0, "0"),
        (1e2, "100"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (1.5e300, "1.5e+300"),
        (5e-324, "5e-324"),
        (-123.456, "-123.456"),
        (333333333.33333329, "333333333.3333333"),
        (2**64, "18446744073709551616"),
        (10**30, "1" + "0" * 30),
        (True, "true"),
        ((1, 2), "[1,2]"),
        ({"\ue000": 1, "\U00010000": 2}, '{"\U00010000":2,"\ue000":1}'),
        ({"b": [], "a": {}}, '{"a":{},"b":[]}'),
        ('\x00\x1f\x7f"\\/\n', '"\\u0000\\u001f\x7f\\"\\\\/\\n"'),
        ("a\ud800b", '"a\ufffdb"'),
        ("\ud83d\ude00", '"😀"'),
    ],
)
def test_canonical_texts(value, text):
    assert canonical_text(value) == text


@given(DOUBLE)
def test_number_texts_round_trip(value):
    assert float(number_text(value)) == value


def test_what_is_no_json_is_refused():
    for value in (math.nan, math.inf, 10**5000, {1: 2}, {"a": b"x"}, {"a": {1}}):
        with pytest.raises(JsonError):
            canonical(value)


def nested(depth):
    value: object = None
    for _ in range(depth):
        value = [value]
    return value


def test_depth_is_bounded_both_ways():
    deepest = nested(MOST_DEPTH)
    assert read_json(canonical(deepest)) == deepest
    with pytest.raises(JsonError, match="200 levels"):
        canonical(nested(MOST_DEPTH + 1))
    for depth in (MOST_DEPTH + 1, 100_000):
        with pytest.raises(JsonError, match="200 levels"):
            read_json("[" * depth + "]" * depth)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no JSON"),
        ("{'a': 1}", "line 1, column 2"),
        ('{"a": 1, "a": 2}', 'key "a" twice'),
        ('{"\\ud800": 1, "\\udc00": 2}', "twice"),
        ("[NaN]", "NaN"),
        ("[-Infinity]", "Infinity"),
        ("1e400", "1e400 is too large"),
        ("9" * 5000, "4000 digits"),
        (b'"\xff"', "no UTF-8"),
        ("[1] x", "extra data"),
    ],
)
def test_reading_is_strict(text, message):
    with pytest.raises(JsonError, match=re.escape(message)):
        read_json(text)


def test_integers_are_exact():
    assert read_json(b"9007199254740993") == 2**53 + 1
    assert read_json("-" + "9" * 4000) == -int("9" * 4000)


@given(st.text(st.characters()))
def test_clean_texts_can_be_encoded(text):
    assert clean({"k": [text]})["k"][0].encode() is not None


def test_clean_shares_what_needs_no_change():
    value = {"a": [1, {"b": "é"}]}
    assert clean(value) is value
    assert clean({"a": ["\ud800"], "\udc00": 1}) == {"a": ["\ufffd"], "\ufffd": 1}


@given(st.binary(max_size=40))
def test_any_bytes_are_read_or_refused(source):
    try:
        value = read_json(source)
    except JsonError:
        return
    assert equal(value, json.loads(source))


def test_digest():
    assert digest({"b": 1.0, "a": None}) == digest({"a": None, "b": 1})
    assert digest({}) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


def test_numbers_are_bounded():
    assert checked(10**3999) == 10**3999
    for value in (math.nan, -math.inf, 10**4001):
        with pytest.raises(NumberError):
            checked(value)


@pytest.mark.parametrize(
    "value",
    [
        [],
        "x" * 200_000,
        "\ud83d\ude00" * 100_000,
        "a\ud83d" * 70_000,
        "\udc00" * 70_000 + "\ud83d",
        {"ü" * 3: ['"\\\n' * 50_000, {"b": 1, "a": None}], "b": [1.5, 10**30] * 20_000},
        [{"n": n, "text": "ä" * 50} for n in range(5_000)],
    ],
    ids=lambda value: repr(value)[:12],
)
def test_pieces_are_the_whole(value: object):
    pieces: list[bytes] = []
    write_canonical(value, pieces.append)
    assert b"".join(pieces) == canonical(clean(value)) == canonical(value)
    assert max(map(len, pieces)) < 500_000
