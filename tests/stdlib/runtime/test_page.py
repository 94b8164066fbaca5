"""Pages of stored values."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdlib.runtime.clean import compact
from stdlib.runtime.fault import RunFault
from stdlib.runtime.page import outline, page
from stdlib.runtime.path import read_path, write_path


def refused(action: Any, *arguments: Any) -> tuple[str, str]:
    with pytest.raises(RunFault) as found:
        action(*arguments)
    return found.value.fault.fault_class, found.value.fault.message


def test_pages_of_a_list():
    value = {"rows": [{"n": n} for n in range(10)]}
    first = page(value, "rows", 0, 4, 1000)
    assert first == {
        "path": "rows",
        "type": "array",
        "total": 10,
        "offset": 0,
        "items": [{"n": n} for n in range(4)],
        "next_offset": 4,
    }
    assert page(value, "rows", 8, 4, 1000)["next_offset"] is None
    assert page(value, "rows", 50, None, 1000)["items"] == []
    assert page(value, "rows[-1].n", 0, None, 1000) == {"path": "rows[-1].n", "type": "integer", "value": 9}


def test_an_item_that_does_not_fit_is_named_and_not_in_the_way():
    found = page([1, "x" * 500, 3], "", 0, None, 200)
    assert found["items"] == [1, 3]
    assert found["too_large"] == [{"path": "[1]", "type": "string", "bytes": 502, "length": 500}]
    assert found["next_offset"] is None
    assert page([1, "x" * 500, 3], "[1]", 100, 5, 200)["text"] == "xxxxx"


def test_a_record_that_does_not_fit_shows_its_fields():
    found = page({"a": "x" * 500, "odd name": [1]}, "", 0, None, 200)
    assert [each["path"] for each in found["fields"]] == ["a", '["odd name"]']
    assert page({"odd name": [1]}, '["odd name"][0]', 0, None, 200)["value"] == 1
    assert outline([{"a": 1, "b": "x"}])["fields"] == {"a": "integer", "b": "string"}


@pytest.mark.parametrize("path", ["rows[", ".a", "a..b", "a[b]", "rows[9]", "nothing", "rows.x", "rows[0].n.m"])
def test_paths_that_lead_nowhere(path: str):
    assert refused(page, {"rows": [{"n": 1}]}, path, 0, None, 100)[0] == "invalid_input"


@given(st.lists(st.one_of(st.integers(-5, 5), st.text(max_size=5))))
def test_a_path_survives_writing_and_reading(parts: list[str | int]):
    assert read_path(write_path(parts)) == tuple(parts)


@given(st.one_of(st.text(), st.lists(st.one_of(st.integers(), st.text(max_size=60), st.lists(st.integers())))))
def test_pages_bring_everything_and_never_more_than_fits(value: Any):
    collected: list[Any] = []
    offset: int | None = 0
    for _ in range(200):
        found = page(value, "", offset or 0, None, 120)
        part = found["text"] if isinstance(value, str) else found["items"]
        assert len(compact(part).encode()) <= 125
        collected += [part] if isinstance(value, str) else part + [None for _ in found.get("too_large", ())]
        offset = found["next_offset"]
        if offset is None:
            break
    assert offset is None
    assert ("".join(collected) == value) if isinstance(value, str) else (len(collected) == len(value))
