"""Sources behind the text of a manifest: whatever is in them, it is TOML, and what was there stays."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.sources.clients.configuration import source_name
from compiler.sources.clients.manifest import CannotAdd, new_manifest, sources_of, tables, with_sources

MANIFEST = '# mine\n[project]\nname = "p" # the name\n\n[sources.a]\nmcp = { command = "a" }'


def test_what_was_there_stays():
    made = with_sources(MANIFEST, {"b": {"command": "b", "args": ["x"]}})
    assert made == MANIFEST + '\n\n[sources.b]\nmcp = { command = "b", args = ["x"] }\n'


def test_line_ends_are_those_of_the_file():
    made = with_sources(MANIFEST.replace("\n", "\r\n"), {"b": {"command": "b"}})
    assert "\n" not in made.replace("\r\n", "")
    assert set(sources_of(made)) == {"a", "b"}


@pytest.mark.parametrize("text", ['sources = { a = { mcp = { command = "a" } } }\n', "sources = 1\n", "x = \n"])
def test_where_nothing_can_be_put_behind_it_that_is_said(text):
    with pytest.raises(CannotAdd):
        with_sources(text, {"b": {"command": "b"}})


@pytest.mark.parametrize("name", ["", "My Project", "ünï", "-a-", "x" * 200, "..."])
def test_a_new_manifest_is_one(name):
    project = tomllib.loads(new_manifest(name))["project"]
    assert project["language"] == "1"
    assert 0 < len(project["name"]) <= 64


@given(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.dictionaries(st.text("aB-: é\u202e", min_size=1), st.text("ab\n\"\\\x7f\u202e'")),
)
def test_any_text_comes_back(text, headers):
    table = {"command": text, "args": [text, ""], "headers": headers}
    made = tables({"x": table})
    assert tomllib.loads(made)["sources"]["x"] == {"mcp": table}
    assert "\u202e" not in made


@given(st.text(), st.lists(st.sampled_from(["server", "a", "a_2"])))
def test_any_name_becomes_an_identifier_that_is_free(called, taken):
    name = source_name(called, taken)
    assert name.isidentifier()
    assert name.isascii()
    assert len(name) <= 64
    assert name not in taken
