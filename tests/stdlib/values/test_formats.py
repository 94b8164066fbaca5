import pytest

from stdlib.values.formats import valid_format
from stdlib.values.subtype import fits
from stdlib.values.types import TIMESTAMP, LiteralType

GOOD = {
    "timestamp": ["2026-06-01T08:00:00Z", "2026-06-01t08:00:00.123456789+05:30", "2016-12-31T23:59:60Z"],
    "date": ["2024-02-29", "0001-01-01", "9999-12-31"],
    "duration": ["PT4H", "P30D", "PT0.5S", "P2W", "P1DT2H3M4S", "-PT30S", "PT1.5H", "P0D"],
    "url": ["https://a.example/x?q=1#y", "mailto:sam@a.example", "about:blank", "urn:isbn:1", "https://ü.example/%20"],
    "email": ["sam@a.example", "a.b+c@sub.a.example", "o'hara@a.example"],
    "uuid": ["123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000"],
    "bytes": ["", "YQ==", "YWI=", "YWJj", "+/+/"],
}
BAD = {
    "timestamp": [
        "2026-06-01T08:00:00",
        "2026-06-01 08:00:00Z",
        "2026-02-30T08:00:00Z",
        "2026-06-01T24:00:00Z",
        "2026-06-01T08:60:00Z",
        "2026-06-01T08:00:60Z",
        "2026-06-01T08:00:00+24:00",
        "2026-06-01T08:00:00Z\n",
        "0000-01-01T00:00:00Z",
        "2026-06-01T08:00:00.Z",
        "٢٠٢٦-06-01T08:00:00Z",
    ],
    "date": ["2023-02-29", "2026-6-1", "2026-06-01\n", ""],
    "duration": ["P", "PT", "P1M", "P1Y", "4h", "PT1.5H3M", "P1DT", "PT1S2M", "PT99999999999999H", "+PT1S"],
    "url": ["a.example", "https://a b", "/path", "https://a.example/%2", "", "1a:b"],
    "email": [
        "sam",
        "sam@",
        "@a.example",
        "a..b@a.example",
        "sam@a..example",
        "sam@-",
        "a b@a.example",
        "x" * 320 + "@a",
    ],
    "uuid": ["123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400g"],
    "bytes": ["YQ", "YQ=", "Y===", "YW-_", "YWJj\n", "YQ==YQ=="],
}


@pytest.mark.parametrize(("name", "text"), [(n, t) for n, texts in GOOD.items() for t in texts])
def test_accepts(name, text):
    assert valid_format(name, text)


@pytest.mark.parametrize(("name", "text"), [(n, t) for n, texts in BAD.items() for t in texts])
def test_refuses(name, text):
    assert not valid_format(name, text)


def test_a_plain_string_has_no_format():
    assert valid_format("string", "anything")


def test_a_literal_text_fits_a_format_type_where_it_is_valid():
    assert fits(LiteralType("2026-06-01T08:00:00Z"), TIMESTAMP) is None
    assert fits(LiteralType("tomorrow"), TIMESTAMP) is not None
