"""Tools of commands: what is said where an argument may become an option, and where a text is no value of a type."""

import pytest

from tests.compiler.world import checked


def helps(tool: str) -> list[tuple[str, str]]:
    """The code and the first help of each mistake in an import with this tool."""
    found = checked(f'import x from command "prog" {{\n  tool t {tool}\n}}\n')[1]
    return [(each.code, each.helps[0]) for each in found]


@pytest.mark.parametrize(
    ("run", "told"),
    [
        ('"--repo", "${repo}"', 'Join it to the option that it belongs to: `"--repo=${repo}"`.'),
        (
            '"-C", "${repo}"',
            'Begin it with what is always there, such as `"./${repo}"` where it is a path behind `-C`.',
        ),
        ('"log", "${repo}"', 'Put `"--"` before it, where the program knows that.'),
        ('"--depth=1", "${repo}"', 'Put `"--"` before it, where the program knows that.'),
        ('"${repo}"', 'Put `"--"` before it, where the program knows that.'),
    ],
)
def test_a_value_is_kept_apart_as_the_word_before_it_wants(run: str, told: str):
    assert helps(f"takes {{ repo: string }} {{ run [{run}] }}") == [("E0232", told)]


@pytest.mark.parametrize(
    ("returns", "told"),
    [
        ("bytes", "Keep it as it comes: declare `kind blob = bytes`, and write `returns handle<blob>`."),
        ("bytes?", "Keep it as it comes: declare `kind blob = bytes`, and write `returns handle<blob>`."),
        ("{ n: integer }", "Add `parse json`, `jsonl`, `lines`, `csv` or `match`."),
    ],
)
def test_how_an_output_becomes_a_value_is_told(returns: str, told: str):
    assert helps(f"returns {returns} {{ run [] }}") == [("E0231", told)]
