import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdlib.values.equal import compare, equal, identity, order_key
from stdlib.values.time import TimeError

LEAVES = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.0, 1.0, -0.0, 0.5, 2.0**60]) | st.text("ab")
)
VALUES = st.recursive(
    LEAVES, lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text("ab"), v, max_size=3), max_leaves=6
)


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (False, 0, False),
        (None, False, False),
        ("1", 1, False),
        ([True], [1], False),
        ([1], [1.0], True),
        ({"a": 1, "b": 2}, {"b": 2.0, "a": 1}, True),
        ({"a": None}, {}, False),
        ([], {}, False),
        (2**53 + 1, float(2**53), False),
        (["2026-01-01T12:00:00Z"], ["2026-01-01T13:00:00+01:00"], False),
        ("é", "e\u0301", False),
        (None, None, True),
    ],
)
def test_equality(a, b, same):
    assert equal(a, b) is same
    assert (identity(a) == identity(b)) is same


@pytest.mark.parametrize(
    ("on", "a", "b"),
    [
        ("timestamp", "2026-06-01T10:00:00+02:00", "2026-06-01T08:00:00.000Z"),
        ("duration", "PT36H", "P1DT12H"),
        ("date", "2026-06-01", "2026-06-01"),
    ],
)
def test_times_are_equal_by_what_they_mean(on, a, b):
    assert equal(a, b, on)
    assert identity(a, on) == identity(b, on)
    assert compare(a, b, on) == 0
    assert not equal(a, None, on)
    assert equal(None, None, on)


def test_a_text_that_is_no_time():
    with pytest.raises(TimeError):
        equal("yesterday", "2026-06-01", "date")


@given(VALUES, VALUES)
def test_identity_and_order_agree_with_equality(a, b):
    assert equal(a, b) == (identity(a) == identity(b)) == (compare(a, b) == 0)
    assert compare(a, b) == -compare(b, a)
    if equal(a, b):
        assert hash(identity(a)) == hash(identity(b))


@given(st.lists(VALUES, max_size=5))
def test_the_order_is_total(values):
    ordered = sorted(values, key=order_key)
    for i, a in enumerate(ordered):
        assert all(compare(a, b) <= 0 for b in ordered[i:])


def test_texts_compare_by_code_point():
    assert compare("\ue000", "\U00010000") == -1
    assert compare("Z", "a") == -1


def test_times_order():
    assert compare("2026-06-01T10:00:00+02:00", "2026-06-01T08:30:00Z", "timestamp") == -1
    assert compare("PT90M", "PT1H", "duration") == 1
    assert compare(None, "PT1H", "duration") == -1
