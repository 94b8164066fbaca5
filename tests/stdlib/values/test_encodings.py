"""Names of encodings from outside."""

import pytest

from stdlib.values.encodings import text_encoding


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("UTF-8", "utf-8"), ("latin-1", "iso8859-1"), ("windows-1252", "cp1252"), ("Shift_JIS", "shift_jis"),
        ("gb18030", "gb18030"), ("utf-16le", "utf-16-le"), ("koi8-r", "koi8-r"), ("us-ascii", "ascii"),
    ],
)  # fmt: skip
def test_encodings_of_texts(name: str, known: str):
    assert text_encoding(name) == known


@pytest.mark.parametrize(
    "name",
    ["punycode", "idna", "undefined", "unicode_escape", "raw_unicode_escape", "zlib", "rot13", "none", "", "a\0b"],
)
def test_others_are_read_as_utf_8(name: str):
    assert text_encoding(name) == "utf-8"
