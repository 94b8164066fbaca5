"""`let`s at the top of files: many in a row, circles, and what they put into a plan."""

import pytest

from compiler.lower import lower
from tests.compiler.world import checked

MOST = 100


def told(count: int, form: str, *, backwards: bool) -> list[tuple[str, str]]:
    lets = ["let v0 = 1", *(f"let v{n} = {form.replace('v', f'v{n - 1}')}" for n in range(1, count))]
    text = "\n".join([*(lets[::-1] if backwards else lets), f"chain c {{ output integer = v{count - 1} }}"])
    program, found = checked(text)
    if not found:
        assert lower(program)[0].chains
    return [(each.code, each.message) for each in found]


@pytest.mark.parametrize("backwards", [False, True])
def test_many_in_a_row_are_read_in_any_order(backwards: bool):
    assert told(MOST, "v + 1", backwards=backwards) == []
    deep = f"The `let` called `v{MOST}` is nested more than 100 levels deep, with all that it names put in."
    assert told(3000, "v + 1", backwards=backwards) == [("E0118", deep)]


def test_a_few_lines_do_not_stand_for_very_much():
    large = "The `let` called `v14` has more than 20,000 parts, with all that it names put in."
    assert told(60, "v + v", backwards=False) == [("E0118", large)]


@pytest.mark.parametrize("count", [1, 2, 1500])
def test_a_circle_is_told_once(count: int):
    lets = [f"let v{n} = v{(n + 1) % count} + 1" for n in range(count)]
    found = checked("\n".join([*lets, "chain c { output integer = v0 }"]))[1]
    assert [each.code for each in found] == ["E0305"]
    assert found[0].message.startswith("`v0` depends on itself: v0 → ")


def test_those_of_other_files_count_too():
    files = {
        "main.chain": 'import other from chain "./other.chain"\nlet a = other.b + 1\nchain c { output integer = a }\n',
        "other.chain": "\n".join([f"let b = {' + '.join(['d'] * 98)}", "let d = e", "let e = 1 + 1 + 1"]),
    }
    found = checked(files)[1]
    assert [(each.code, each.message.split("`")[3]) for each in found] == [("E0118", "a")]
