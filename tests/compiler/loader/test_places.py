"""Every key and item of a TOML text has its place."""

import tomllib

import pytest

from compiler.loader.places import places

TEXT = '''# a comment with [brackets] and = signs
[project] # another
name = "a # no comment"
"quoted key" = 'literal \\'
a.b . c = 3
when = 2026-01-02 03:04:05Z
chains = [
  "x", # c, ]
  "y]",
  [1, 2], { p = 1 },
]
[sources.github]
mcp = { command = "c", args = ["--a", '-b'], env = [] , "h\\u0041" = 1, deep = { er = true } }
[[many]]
a = 1
[[many]]
a = """several
] = "" lines\\""""
b = \'\'\'raw
= ]\'\'\'
[many.sub]
q = 1
'''


def _paths(value, path=()):
    if path:
        yield path
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _paths(each, (*path, key))
    elif isinstance(value, list):
        for i, each in enumerate(value):
            yield from _paths(each, (*path, i))


def test_every_key_and_item_is_found():
    found = places(TEXT)
    assert set(_paths(tomllib.loads(TEXT))) == set(found)
    words = {path: TEXT[start:end] for path, (start, end) in found.items()}
    assert words[("project", "a", "b", "c")] == "c"
    assert words[("project", "chains", 1)] == '"y]"'
    assert words[("sources", "github", "mcp", "hA")] == '"h\\u0041"'
    assert words[("many", 1, "sub", "q")] == "q"


@pytest.mark.parametrize("text", ["", "\n\n", "# only", "a=1", "a=[]", "a={}", "\ta\t=\t'x'\t#c\r\nb = 1\r\n"])
def test_small_texts(text):
    assert set(_paths(tomllib.loads(text))) == set(places(text))
