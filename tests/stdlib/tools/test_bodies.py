"""What the standard library's tools do."""

import copy
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdlib.tools import REACHES, ToolFault, bodies, modules
from stdlib.tools.documents import diff, merge, patch
from stdlib.tools.pages import from_html
from stdlib.tools.tables import read_csv, read_jsonl, write_csv, write_jsonl
from stdlib.values.canonical import canonical_text

from .calls import CALLS, REFUSED

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("ab~/-0", max_size=2), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(("module", "name", "arguments", "wanted"), CALLS)
def test_calls(module: str, name: str, arguments: dict[str, Any], wanted: Any):
    given_ = copy.deepcopy(arguments)
    found = bodies(module)[name](**arguments)
    assert (found, type(found)) == (wanted, type(wanted))
    assert arguments == given_, "arguments are never changed"


@pytest.mark.parametrize(("module", "name", "arguments", "message"), REFUSED)
def test_what_cannot_be_done_is_told(module: str, name: str, arguments: dict[str, Any], message: str):
    with pytest.raises(ToolFault) as found:
        bodies(module)[name](**arguments)
    assert message in str(found.value)


def test_every_tool_is_called():
    called = {(module, name) for module, name, _, _ in CALLS}
    pure = [module for module in modules() if module not in REACHES]
    assert called | {("uuid", "v4")} == {(module, name) for module in pure for name in bodies(module)}


def test_a_uuid_by_chance_is_another_each_time():
    found = {bodies("uuid")["v4"]() for _ in range(10)}
    assert {UUID(each).version for each in found} == {4}
    assert len(found) == 10


@given(before=JSON, after=JSON)
def test_a_difference_is_a_patch(before: Any, after: Any):
    kept = copy.deepcopy(before)
    assert canonical_text(patch(before, diff(before, after))) == canonical_text(after)
    assert canonical_text(before) == canonical_text(kept)
    assert diff(before, before) == []


@given(value=JSON, changes=JSON)
def test_merging_twice_is_merging_once(value: Any, changes: Any):
    once = merge(value, changes)
    assert merge(once, changes) == once


@given(rows=st.lists(st.dictionaries(st.sampled_from("abc"), st.text(max_size=5), min_size=1), max_size=5))
def test_csv_that_was_written_is_read(rows: list[dict[str, str]]):
    columns = ["a", "b", "c"]
    read = read_csv(write_csv(rows, columns=columns))
    assert read == {"columns": columns, "rows": [{name: row.get(name, "") for name in columns} for row in rows]}


@given(rows=st.lists(JSON, max_size=5))
def test_json_lines_that_were_written_are_read(rows: list[Any]):
    assert canonical_text(read_jsonl(write_jsonl(rows))) == canonical_text(rows)


@given(html=st.text("<>/!-ap&;= \"'\ntiledscr", max_size=60))
def test_no_text_is_no_page(html: str):
    found = from_html(html)
    assert found.keys() == {"text", "title", "links"}
