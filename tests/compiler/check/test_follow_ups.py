"""After a mistake in the text, nothing is said of what may only be missing because of it."""

import pytest

from tests.compiler.world import checked

SHARED = """
type Region = "emea" | "amer"
let limit = 5
kind rows = list<string>
chain helper {
  input repo: string
  output string = repo
}
"""
USES = {
    "type": ("type Region =", "input r: shared.Region\n  output = r"),
    "let": ("let limit = 5", "output = shared.limit"),
    "kind": ("kind rows =", "input r: handle<shared.rows>\n  output = r"),
    "chain": ("chain helper {", 'step h = shared.helper(repo: "a")\n  output = h'),
}


def errors(shared: str, members: str) -> list[str]:
    main = f'import shared from chain "./shared.chain"\nchain c {{\n  {members}\n}}\n'
    return [each.code for each in checked({"main.chain": main, "shared.chain": shared})[1] if each.severity == "error"]


@pytest.mark.parametrize("use", USES)
def test_what_another_file_could_not_say(use: str):
    written, members = USES[use]
    assert errors(SHARED, members) == []
    lost = SHARED.replace(written, f"@ {written.replace('=', '').replace('{', '')} ?? ")
    found = errors(lost, members)
    assert found
    assert all(code.startswith(("E00", "E01")) for code in found), found
    # Without a mistake that could explain it, it is told.
    assert errors("let other = 1\n", members)


def test_inputs_that_could_not_be_read():
    shared = SHARED.replace("input repo: string", "input repo: string\n  input number integer")
    found = errors(shared, 'step h = shared.helper(repo: "a", number: 5)\n  output = h')
    assert all(code.startswith("E01") for code in found), found


def test_tests_whose_call_could_not_be_read():
    text = 'chain c {\n  output = 1\n}\ntest "t" {\n  call c(\n  expect output == 1\n}\n'
    found = [each.code for each in checked(text)[1]]
    assert all(code.startswith("E01") for code in found), found


@pytest.mark.parametrize(
    "value",
    [
        "first(found).title",
        "[pair.right.title for pair in zip([1], found)]",
        "[each.title for each in compact(found)]",
        "upper(sum(found))",
        'upper(sum(found, by: "size"))',
        "greatest(1, found) + greatest(found, 1).title",
        'merge({ a: 1 }, found)["a"].title',
    ],
)
def test_functions_of_what_is_not_known(value: str):
    text = f'import lost from mcp "nowhere"\nchain c {{\n  step found = lost.search()\n  output = {value}\n}}\n'
    assert [each.code for each in checked(text)[1]] == []
