"""What functions refuse, and how large their results may grow."""

import pytest

from stdlib.functions import FunctionFault, find

BIG = "x" * 4000


def call(name, on=None, **arguments):
    entry = find(name)
    assert entry is not None
    return entry.call(arguments, on)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("repeat", {"text": BIG, "times": 4000}),
        ("replace", {"text": BIG, "part": "x", "with": BIG}),
        ("join", {"items": [BIG] * 3000, "separator": ""}),
        ("pad_start", {"text": "", "length": 10**9}),
        ("range", {"length": 10**7}),
        ("flatten", {"lists": [[0] * 1000] * 1001}),
        ("split", {"text": BIG * 300, "separator": "x"}),
        ("url_encode", {"text": "ü" * 2_000_000}),
    ],
)
def test_results_are_bounded(name, arguments):
    with pytest.raises(FunctionFault) as caught:
        call(name, **arguments)
    assert caught.value.fault_class == "result_too_large"


@pytest.mark.parametrize(
    ("name", "arguments", "fault_class"),
    [
        ("div", {"number": 1, "by": 0}, "precondition"),
        ("chunk", {"items": [1], "size": 0}, "precondition"),
        ("pad_end", {"text": "a", "length": 3, "with": "ab"}, "precondition"),
        ("group", {"items": [{"a": None}], "by": "a"}, "precondition"),
        ("index", {"items": [{"a": [1]}], "by": "a"}, "precondition"),
        ("parse_json", {"text": "{"}, "shape_mismatch"),
        ("days", {"duration": "soon"}, "shape_mismatch"),
        ("date_of", {"timestamp": "2026-06-01"}, "shape_mismatch"),
        ("at_offset", {"timestamp": "2026-06-01T00:00:00Z", "offset": "CEST"}, "precondition"),
        ("at_time", {"date": "2026-06-01", "time": "noon"}, "shape_mismatch"),
        ("from_unix", {"number": 10**15}, "precondition"),
        ("sum", {"items": [1e308, 1e308]}, "precondition"),
        ("fixed", {"number": 1, "decimals": -1}, "precondition"),
        ("round_to", {"number": 1, "decimals": 99}, "precondition"),
    ],
)
def test_what_cannot_be_done_is_a_fault(name, arguments, fault_class):
    with pytest.raises(FunctionFault) as caught:
        call(name, **arguments)
    assert caught.value.fault_class == fault_class
    assert caught.value.message.endswith(".")


def test_whole_doubles_serve_as_integers():
    assert call("take", items=[1, 2, 3], most=2.0) == [1, 2]
    assert call("substring", text="abc", **{"from": 1.0, "to": 2.0}) == "b"


def test_arguments_are_never_changed():
    items = [{"n": 2}, {"n": 1}]
    call("sort", "number", items=items, by="n")
    call("reverse", items=items)
    assert items == [{"n": 2}, {"n": 1}]


def test_equal_items_keep_their_order_in_both_directions():
    items = [{"k": 1, "n": 1}, {"k": 2, "n": 2}, {"k": 1, "n": 3}]
    assert [i["n"] for i in call("sort", "number", items=items, by="k")] == [1, 3, 2]
    assert [i["n"] for i in call("sort", "number", items=items, by="k", order="desc")] == [2, 1, 3]


def test_groups_of_one_instant():
    items = [{"at": "2026-06-01T10:00:00+02:00"}, {"at": "2026-06-01T08:00:00Z"}]
    assert call("tally", "timestamp", items=items, by="at") == {"2026-06-01T10:00:00+02:00": 2}
    assert call("tally", "timestamp", items=[item["at"] for item in items]) == {"2026-06-01T10:00:00+02:00": 2}


def test_rounding_is_decimal():
    assert call("round_to", number=1.005, decimals=2) == 1.01
    assert call("round", number=10**400 + 0) == 10**400
    assert call("percent", number=0.125) == "13%"
    assert call("percent", number=-0.001) == "0%"
    assert call("fixed", number=-1234.5, decimals=0, group=" ") == "-1 235"
