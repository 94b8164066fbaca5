"""Texts of documents: JSON, and YAML without its surprises."""

from __future__ import annotations

import pytest

from compiler.loader import document
from compiler.loader.document import Unreadable, read_document


def read(text: str, path: str = "a.yaml"):
    return read_document(path, text)


def why(text: str, path: str = "a.yaml") -> str:
    found = read(text, path)
    assert isinstance(found, Unreadable), found
    return found.why


def test_yaml_has_the_values_of_json():
    text = "a: 1\nb: [1.5, -2e3, 0x10, 0o17]\nc: {d: true, e: null, f: ~, g: }\nh: 'true'\ni: |\n  two\n  lines\n"
    assert read(text) == {
        "a": 1,
        "b": [1.5, -2000.0, 16, 15],
        "c": {"d": True, "e": None, "f": None, "g": None},
        "h": "true",
        "i": "two\nlines\n",
    }


@pytest.mark.parametrize(
    "word", ["no", "yes", "on", "off", "NO", "2024-01-01", "12:30:45", "1_000", "=", ".inf", ".nan"]
)
def test_words_of_older_yaml_are_texts(word: str):
    assert read(f"a: {word}") == {"a": word}


def test_keys_are_texts():
    assert read("200: a\ntrue: b\n1.0: c\nnull: d") == {"200": "a", "true": "b", "1.0": "c", "null": "d"}


def test_aliases_and_merges():
    text = "base: &b {a: 1, c: 2}\none: {<<: *b, c: 3}\ntwo: {<<: [{a: 5}, *b]}\nthree: *b"
    assert read(text) == {
        "base": {"a": 1, "c": 2},
        "one": {"c": 3, "a": 1},
        "two": {"a": 5, "c": 2},
        "three": {"a": 1, "c": 2},
    }


def test_json_by_name_or_by_look():
    assert read('{"a": 12345678901234567890}', "a.json") == {"a": 12345678901234567890}
    assert read('\ufeff{"a": "no"}') == {"a": "no"}
    assert read("{a: no}") == {"a": "no"}  # a flow mapping of YAML
    assert "line 2" in why('{"a":\n oops}', "a.json")
    assert "twice" in why('{"a": 1, "a": 2}', "a.json")


def test_duplicate_keys_are_mistakes():
    assert why("a: 1\nb: 2\na: 3") == "The key `a` is there twice (line 3)."


@pytest.mark.parametrize(
    "text",
    [
        "a: !!python/object/apply:os.system ['echo']",
        "a: !!python/name:os.system",
        "a: !local b",
        "a: !!binary aGVsbG8=",
        "a: !!set {b, c}",
        "!!omap [a: 1]",
    ],
)
def test_tags_make_nothing(text: str):
    assert "has no meaning here" in why(text)


def test_a_key_that_is_no_text():
    assert "A key is a text" in why("? [a, b]\n: c")


def test_an_alias_that_contains_itself():
    assert "contains itself" in why("a: &a [*a]")


def test_aliases_that_multiply(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(document, "MOST_VALUES", 50_000)
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    assert "aliases" in why("\n".join(lines))
    merged = ["a0: &a0 {x: 1}"] + [f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}]}}" for n in range(1, 12)]
    assert "aliases" in why("\n".join(merged))


def test_too_many_values_are_counted_before_they_are_made(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(document, "MOST_VALUES", 50_000)
    monkeypatch.setattr(document, "_SMALL", 1000)
    monkeypatch.setattr(document, "_Maker", None)  # makes them
    assert why(f"x: [{'a,' * 100_001}]") == "The document has more than 50000 values."


@pytest.mark.parametrize("text", ["[" * 100_000, "- " * 100_000 + "a", "{a: " * 100_000, "[" * 300 + "]" * 300])
def test_deep_nesting(text: str):
    assert isinstance(read(text), Unreadable)
    assert isinstance(read(text, "a.json"), Unreadable)


def test_long_texts_and_large_numbers(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(document, "MOST_CHARACTERS", 1_000_000)
    assert "million characters" in why("a: " + "x" * 1_000_001)
    assert "too large" in why("a: 1e999")
    assert "too large" in why("a: " + "9" * 5000)


def test_no_yaml():
    assert why("a: [1\nb: 2").startswith("This is no YAML: ")
    assert "character" in why("a: \x01")


def test_surrogates_are_replaced():
    assert read('{"a": "\\ud800"}', "a.json") == {"a": "\ufffd"}
    assert read('a: "\\ud800"') in ({"a": "\ufffd"}, read("a: '\ufffd'")) or isinstance(
        read('a: "\\ud800"'), Unreadable
    )


def test_the_slower_parser_does_the_same(monkeypatch: pytest.MonkeyPatch):
    import yaml

    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    assert read("200: no\na: [true, 1.5]") == {"200": "no", "a": [True, 1.5]}
    assert isinstance(read("[" * 2000), Unreadable)
    assert isinstance(read("a: &a [*a]"), Unreadable)
