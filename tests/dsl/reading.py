"""Short ways to read a text in tests."""

from dsl import tree
from dsl.diagnostics import Diagnostic, Sink
from dsl.parser import parse
from dsl.source import Source


def read(text: str) -> tuple[tree.File, list[Diagnostic]]:
    """The tree of a text and what is said about it."""
    sink = Sink()
    file = parse(Source("test.chain", text), sink)
    return file, list(sink)


def good(text: str) -> tree.File:
    """The tree of a text that is fine."""
    file, said = read(text)
    assert [(each.code, each.message) for each in said] == []
    assert file.complete
    return file


def value(expression: str) -> tree.Expr:
    """The node of an expression."""
    let = good(f"let x = {expression}").items[0]
    assert isinstance(let, tree.Let)
    return let.value


def member(text: str) -> tree.ChainMember:
    """The first member of a chain."""
    chain = good(f"chain c {{\n{text}\n}}").items[0]
    assert isinstance(chain, tree.Chain)
    return chain.members[0]


def codes(text: str) -> list[tuple[int, str]]:
    """(line, code) of all that is said about a text, in order."""
    _, said = read(text)
    return [(each.span.source.position(each.span.start)[0], each.code) for each in said if each.span]


def mended(text: str) -> str:
    """The text after every first fix; no two may overlap."""
    _, said = read(text)
    edits = sorted(
        ((edit.span.start, edit.span.end, edit.text) for each in said for fix in each.fixes[:1] for edit in fix.edits),
        reverse=True,
    )
    before = len(text)
    for start, end, new in edits:
        assert end <= before, "fixes overlap"
        text, before = text[:start] + new + text[end:], start
    return text
