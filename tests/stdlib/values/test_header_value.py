"""Values of headers that come from a variable."""

import pytest

from stdlib.values.header_value import FromVariable, from_variable


@pytest.mark.parametrize(
    ("value", "before", "variable"),
    [
        ("env:TOKEN", "", "TOKEN"),
        ("Bearer env:TOKEN", "Bearer ", "TOKEN"),
        ("Token token env:_T1", "Token token ", "_T1"),
    ],
)
def test_what_comes_from_a_variable(value: str, before: str, variable: str):
    assert from_variable(value) == FromVariable(before, variable)


@pytest.mark.parametrize(
    "value",
    ["text/plain", "Bearer env:", "Bearer  env:T", " env:T", "Bearerenv:T", "a env:T b", "a env:1", "Bearer\nenv:T"],
)
def test_what_is_meant_as_it_is_written(value: str):
    assert from_variable(value) is None
