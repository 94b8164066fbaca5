"""Sizes of values as JSON."""

from typing import Any

import pytest

from stdlib.runtime.clean import compact, json_bytes


@pytest.mark.parametrize(
    "value",
    [
        None,
        {},
        "ü",
        "x" * 70_000,
        '\\"ü\n' * 70_000,
        {"a": "x" * 70_000, "ü": "ö" * 70_000, "c": [1, "z" * 70_000]},
        {"result": "same" * 20_000, "other": "same" * 20_000},
        [{"n": n, "t": "ä"} for n in range(1000)],
    ],
    ids=lambda value: repr(value)[:12],
)
def test_the_size_is_that_of_the_text(value: Any):
    assert json_bytes(value) == len(compact(value).encode())
