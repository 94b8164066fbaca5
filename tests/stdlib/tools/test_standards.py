"""JSON merge patches and patches as their RFCs have them, and what must not blow up."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from stdlib.tools import ToolFault, documents
from stdlib.tools.aggregates import pivot
from stdlib.tools.columns import sort, typed
from stdlib.tools.documents import get, merge, patch
from stdlib.tools.html_tables import html_tables
from stdlib.tools.pages import from_html
from stdlib.tools.tables import join, read_csv, write_csv


@pytest.mark.parametrize(
    ("value", "changes", "wanted"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"a": "foo"}, None, None),
        ({"a": "foo"}, "bar", "bar"),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_merge_patch(value: Any, changes: Any, wanted: Any):
    """RFC 7396, appendix A."""
    assert merge(value, changes) == wanted


@pytest.mark.parametrize(
    ("value", "operation", "wanted"),
    [
        ({"foo": ["bar", "baz"]}, {"op": "add", "path": "/foo/1", "value": "qux"}, {"foo": ["bar", "qux", "baz"]}),
        ({"foo": ["bar", "qux", "baz"]}, {"op": "remove", "path": "/foo/1"}, {"foo": ["bar", "baz"]}),
        ({"foo": ["a", "b", "c"]}, {"op": "move", "from": "/foo/0", "path": "/foo/2"}, {"foo": ["b", "c", "a"]}),
        ({"foo": "bar"}, {"op": "add", "path": "/child", "value": {"x": {}}}, {"foo": "bar", "child": {"x": {}}}),
        ({"/": 9, "~1": 10}, {"op": "test", "path": "/~01", "value": 10}, {"/": 9, "~1": 10}),
        ({"foo": ["bar"]}, {"op": "add", "path": "/foo/-", "value": ["a"]}, {"foo": ["bar", ["a"]]}),
        ({"foo": 1}, {"op": "add", "path": "/foo", "value": None}, {"foo": None}),
        ({"foo": 1}, {"op": "replace", "path": "", "value": [1]}, [1]),
        ({"foo": "bar"}, {"op": "add", "path": "/baz/bat", "value": "qux"}, None),
        ({"/": 9, "~1": 10}, {"op": "test", "path": "/~01", "value": "10"}, None),
        ({"baz": "qux"}, {"op": "test", "path": "/baz", "value": "bar"}, None),
        ([1], {"op": "replace", "path": "/-", "value": 2}, None),
        ([1], {"op": "add", "path": "/01", "value": 2}, None),
        ({"a": 1}, {"op": "add", "path": "/~2", "value": 2}, None),
    ],
)
def test_patch(value: Any, operation: dict[str, Any], wanted: Any):
    """RFC 6902, appendix A; None where it cannot be done."""
    if wanted is None:
        with pytest.raises(ToolFault):
            patch(value, [operation])
    else:
        assert patch(value, [operation]) == wanted


def test_pointers():
    """RFC 6901, section 5."""
    value = {
        "foo": ["bar", "baz"],
        "": 0,
        "a/b": 1,
        "c%d": 2,
        "e^f": 3,
        "g|h": 4,
        "i\\j": 5,
        'k"l': 6,
        " ": 7,
        "m~n": 8,
    }
    pointers = ["/", "/a~1b", "/c%d", "/e^f", "/g|h", "/i\\j", '/k"l', "/ ", "/m~0n"]
    assert [get(value, each)["value"] for each in pointers] == list(range(9))
    assert get(value, "")["value"] is value


def test_copies_that_double_the_whole():
    doubling: list[dict[str, Any]] = [{"op": "copy", "from": "", "path": f"/{n}"} for n in range(60)]
    with pytest.raises(ToolFault, match="the copies would be too large"):
        patch({}, doubling)
    with pytest.raises(ToolFault, match="more than 20000 operations"):
        patch({}, [{"op": "test", "path": "", "value": {}}] * (documents.MOST_OPERATIONS + 1))


# ------------------------------------------------------------------ what takes its time in line with its length

N = 40_000
BOMBS = [
    "<" * N,
    "<a " * N,
    "<a " * N + ">",
    "<!--" * N,
    "<!--x>" * N,
    "<?x" * N,
    "<![CDATA[x>" * N,
    "</a " * N,
    "<div>" * N,
    "<svg>" * N + "</style>" * N,
    "<script>x</scrip>" * N,
    "<<!-- -->!--" * N,
    "<a " + "b= " * N + ">",
    "<a b=\"'>" * N,
    "<table>" * N,
    "<title>x" * N,
    "&#" * N,
]


@pytest.mark.parametrize("html", BOMBS, ids=[each[:12] for each in BOMBS])
@pytest.mark.parametrize("read", [from_html, html_tables])
def test_no_page_takes_long(read: Callable[[str], Any], html: str):
    begin = time.process_time()
    read(html)
    assert time.process_time() - begin < 5, "with the square of the length it would be minutes"


@pytest.mark.parametrize(
    ("html", "why"),
    [
        ("<table><tr>" + "<td colspan=1000>" * 201, "more than 200000 cells"),
        ("<table><tr>" + "<td colspan=1000 rowspan=9999>" * 2 + "<tr>" * 5000, "more than 200000 cells"),
        ("<table><tr>" + "<td>" * 2100, "2000 columns"),
    ],
)
def test_tables_are_bounded(html: str, why: str):
    with pytest.raises(ToolFault, match=why):
        html_tables(html)


def test_csv_is_bounded():
    wide = ",".join(f"c{n}" for n in range(2001))
    for text, why in (
        (wide, "more than 2000 columns"),
        (",".join(f"c{n}" for n in range(2000)) + "\n1" * 2000, "more than 2000000 cells"),
        ("a\n" + "1\n" * 200_001, "more than 200000 rows"),
        ('a\n"' + "x" * 200_000, "no CSV"),
    ):
        with pytest.raises(ToolFault, match=why):
            read_csv(text)
    with pytest.raises(ToolFault, match="more than 2000 columns"):
        write_csv([{f"c{n}": n for n in range(2001)}])
    with pytest.raises(ToolFault, match="more than"):
        pivot([{"a": n, "b": 1} for n in range(3000)], [], "a", "b")
    rows: list[dict[str, Any]] = [{"k": 1, f"c{n}": n} for n in range(1500)]
    with pytest.raises(ToolFault, match="more than"):
        join(rows, rows, ["k"])


def test_types_are_found():
    rows: list[dict[str, Any]] = [
        {
            "i": "1",
            "n": "1.5",
            "b": "TRUE",
            "d": "2026-01-31",
            "t": "2026-01-31T00:00:00Z",
            "s": "0042",
            "e": "",
            "j": [1],
        },
        {"i": " -20", "n": "2", "b": "false", "d": "", "t": None, "s": "7", "e": " ", "j": "x"},
    ]
    found = typed(rows)
    assert found["columns"] == {
        "i": "integer",
        "n": "number",
        "b": "boolean",
        "d": "date",
        "t": "timestamp",
        "s": "string",
        "e": "string",
        "j": "json",
    }
    assert found["rows"][0] == {**rows[0], "i": 1, "n": 1.5, "b": True}
    assert found["rows"][1] == {**rows[1], "i": -20, "n": 2, "b": False, "d": None}
    for text in ("1e999", "NaN", "inf", "0x1", "1_000", "１", "1,5"):
        assert typed([{"x": text}])["columns"] == {"x": "string"}


def test_orders():
    rows: list[dict[str, Any]] = [{"a": 1, "b": "x"}, {"a": None}, {"a": 2, "b": "x"}, {"a": 1, "b": "y"}]
    by_both = sort(rows, [{"column": "a", "order": "desc"}, {"column": "b", "order": "desc"}])
    assert by_both == [{"a": 2, "b": "x"}, {"a": 1, "b": "y"}, {"a": 1, "b": "x"}, {"a": None}]
    assert sort(rows, [{"column": "a"}])[-1] == {"a": None}
