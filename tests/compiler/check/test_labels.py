"""The second place of a mistake, as its marked text and what is said beside it."""

import pytest

from dsl.diagnostics import Diagnostic
from tests.compiler.world import IMPORTS, body, checked

SHARED = """
type Line = { title: string, owner: string? }
chain helper {
  input repo: string
  output Line = { title: repo, owner: null }
}
"""


def second(found: list[Diagnostic], code: str) -> tuple[str, str, str] | None:
    """File, text and words of the label of the first mistake of this code."""
    labels = next(each.secondary for each in found if each.code == code)
    assert len(labels) < 2
    return next(((label.span.source.path, label.span.text, label.text) for label in labels), None)


LIST = "step open = github.list_issues(repo: repo)"
WRITTEN = {
    "an input": (
        "input a: string?\n  let b = a\n  let c = a == null and a.b",
        "E0408",
        "string?",
        "`a` is declared as",
    ),
    "on error skip": (
        f"input repo: string\n  {LIST} {{\n    on error skip\n  }}\n  let b = open.total",
        "E0408",
        "on error skip",
        "`open` may be null because of this",
    ),
    "when": (
        f"input repo: string\n  {LIST} {{\n    when count(repo) > 1\n  }}\n  let b = open.total",
        "E0408",
        "when count(repo) > 1",
        "`open` may be null because of this",
    ),
    "when of a section": (
        f"input repo: string\n  section s {{\n    when count(repo) > 1\n    {LIST}\n  }}\n  let b = open.total",
        "E0408",
        "when count(repo) > 1",
        "`open` may be null because of this",
    ),
    "defaults": (
        f"input repo: string\n  defaults {{ on error skip }}\n  {LIST}\n  let b = open.total",
        "E0408",
        "on error skip",
        "`open` may be null because of this",
    ),
    "on error use": (
        f"input repo: string\n  {LIST} {{\n    on error use null\n  }}\n  let b = open.total",
        "E0408",
        "null",
        "this may be null",
    ),
    "a let": (
        'input a: string?\n  let b = a\n  let c = "${b}"',
        "E0409",
        "a",
        "`b` may be null because of this",
    ),
    "a part of a let": (
        'input a: string?\n  let b = [{\n    x: a\n  }]\n  let c = ["${i.x}" for i in b]',
        "E0409",
        "a",
        "`x` may be null because of this",
    ),
    "through functions": (
        'input a: string\n  let b = [{\n    x: 1\n  }]\n  let c = first(sort(b, by: "x"))?.y',
        "E0401",
        "{",
        "this has no field `y`",
    ),
    "the field that was meant": (
        "input a: string\n  let b = [{\n    titel: a\n  }]\n  let c = [i.title for i in b]",
        "E0401",
        "titel",
        "`titel` is given here",
    ),
    "an item of a for each": (
        "input repo: string\n  step xs = for each i in [1, 2] {\n"
        "    step one = github.get_issue(repo: repo, number: i)\n    return {\n      t: one.title\n    }\n  }\n"
        "  output { t: list<integer> } = {\n    t: [x.t for x in xs]\n  }",
        "E0410",
        "integer",
        "declared as integer",
    ),
    "a name": ("input repo: string\n  let b = rpeo", "E0300", "repo", "declared here"),
    "a loop variable": (
        "output = [\n    itm\n    for item in [1]\n  ]",
        "E0300",
        "item",
        "declared here",
    ),
    "an output": (
        "output { n: integer,\n    m: string } = { n: 1,\n    m: 2 }",
        "E0410",
        "m: string",
        "`m` is declared as string",
    ),
    "a condition": (
        'input a: string\n  require a else "no"',
        "E0405",
        "string",
        "`a` is declared as string",
    ),
    "an operand": ("input a: boolean\n  let b = a + 1", "E0415", "boolean", "`a` is declared as boolean"),
    "choices": (
        'input a: "x" | "y"\n  let b = a == "z"',
        "E0414",
        '"x" | "y"',
        '`a` is declared as "x" | "y"',
    ),
}


@pytest.mark.parametrize("case", WRITTEN)
def test_what_is_written_on_another_line(case: str):
    members, code, text, words = WRITTEN[case]
    found = second(checked(body(members))[1], code)
    assert found is not None
    assert found[:2] == ("main.chain", text)
    assert found[2].startswith(words)


NOTHING = {
    "the same line": ("let b = [x.y for x in [{ y: null }] if x.y + 1 > 0]", "E0408"),
    "a tool's schema": (
        'input a: string\n  step i = github.get_issue(repo: a, number: 1)\n  let b = "${i.body}"',
        "E0409",
    ),
    "a parameter of a tool": ("step i = github.get_issue(repo: 1,\n    number: 2)", "E0404"),
    "no name like it": ("input repo: string\n  let b = whatever", "E0300"),
}


@pytest.mark.parametrize("case", NOTHING)
def test_no_second_place(case: str):
    members, code = NOTHING[case]
    found = checked(body(members))[1]
    assert [each.secondary for each in found if each.code == code] in ([()], [(), ()])


def with_shared(members: str, code: str) -> tuple[str, str, str] | None:
    main = f'import shared from chain "./shared.chain"\n{IMPORTS}chain c {{\n  {members}\n  output = 1\n}}\n'
    return second(checked({"main.chain": main, "shared.chain": SHARED})[1], code)


def test_places_in_an_imported_file():
    called = 'step h = shared.helper(repo: "a")\n  '
    assert with_shared("let x = shared.helper\n  step h = shared.helper(repo: 1)", "E0404") == (
        "shared.chain",
        "string",
        "`repo` is declared as string",
    )
    owner = ("shared.chain", "owner: string?", "`owner` is declared as string?")
    assert with_shared(f'{called}let x = "${{h.owner}}"', "E0409") == owner
    assert with_shared(f"{called}let x = h.ownr", "E0401") == owner
    assert with_shared('let l: shared.Line = { title: "a", ownr: "b" }', "E0401") == owner


def test_what_a_misspelt_name_meant_in_an_imported_file():
    assert with_shared('step h = shared.helper(rpo: "a")', "E0501") == (
        "shared.chain",
        "string",
        "`repo` is declared as string",
    )
    assert with_shared("step h = shared.helper()", "E0502") == (
        "shared.chain",
        "string",
        "`repo` is declared as string",
    )
    assert with_shared('step h = shared.heplr(repo: "a")', "E0203") == ("shared.chain", "helper", "declared here")


def test_what_a_misspelt_name_meant_in_the_file():
    found = checked(body("input a: Lnie\n  step x = hlper()", "type Line = string\nchain helper {\n  output = 1\n}"))[1]
    assert second(found, "E0402") == ("main.chain", "Line", "declared here")
    assert second(found, "E0300") == ("main.chain", "helper", "declared here")


def test_a_claim_is_where_the_type_is_written():
    claimed = 'import github from mcp "github" {\n  tool search_code returns {\n    hits: integer?\n  }\n}\n'
    text = f'{claimed}chain c {{\n  step s = github.search_code(query: "a")\n  output = s.hits + 1\n}}\n'
    assert second(checked(text)[1], "E0408") == ("main.chain", "hits: integer?", "`hits` is declared as integer?")


def test_types_that_name_themselves_end():
    text = "type A = B\ntype B = A\nchain c {\n  input a: A\n  let b = a.x\n  output integer = a\n}\n"
    assert "E0401" not in [each.code for each in checked(text)[1]]
