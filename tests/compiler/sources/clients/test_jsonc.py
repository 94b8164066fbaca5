import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.sources.clients.jsonc import read_jsonc
from stdlib.values.canonical import JsonError, canonical_text

TEXT = """\ufeff{
  // a comment with "quotes" and , commas
  "a": [1, 2, /* three */ ], /* over
  two lines */
  "b": "// no comment, /* none */ ,]",
  "c": "\\"//", // the end
}
"""


def test_comments_and_trailing_commas_are_no_part_of_the_value():
    assert read_jsonc(TEXT) == {"a": [1, 2], "b": "// no comment, /* none */ ,]", "c": '"//'}


@pytest.mark.parametrize("text", ["", "{", "[1,,]", "/*", "[1 /*", '"a', "NaN", "// only"])
def test_what_is_none_is_an_error(text):
    with pytest.raises(JsonError):
        read_jsonc(text)


def test_an_error_has_the_place_of_the_text():
    with pytest.raises(JsonError, match="line 3, column 1"):
        read_jsonc('{ /* a\n b */ "x": 1 // c\n?}')


def test_many_comments_take_no_longer_than_their_text():
    text = '{"a": [1,' + "/**/ " * 20_000 + "2], // x\n" + "/* " * 20_000 + "*/ " + "}"
    assert read_jsonc(text) == {"a": [1, 2]}


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3))


@given(JSON)
def test_json_is_read_as_json(value):
    text = canonical_text(value)
    assert canonical_text(read_jsonc(text)) == text


@pytest.mark.parametrize("text", ['"' + '\\"' * 100_000, '{"a": "' + "\\" * 200_001, '"' * 200_001])
def test_texts_without_an_end_take_no_long_time(text: str):
    with pytest.raises(JsonError):
        read_jsonc(text)
