"""The type of expressions, and what is known where."""

import pytest

from dsl import tree
from stdlib.values.show import show
from tests.compiler.world import body, checked

INPUTS = """input repo: string
  input n: integer
  input maybe: string?
  input at: timestamp
  input flag: boolean
  step issue = github.get_issue(repo: repo, number: 1)
  step open = github.list_issues(repo: repo)
  step gone = github.get_issue(repo: repo, number: 2) { on error skip }
  step settings = github.get_settings(repo: repo)
  """


def type_of(expression: str) -> str:
    """The type of an expression in a chain with the inputs and steps above; nothing may be wrong with it."""
    program, found = checked(body(INPUTS + f"output = {expression}"))
    assert [f"{each.code} {each.message}" for each in found if each.severity == "error"] == []
    output = next(m for m in program.chains["c"].node.members if isinstance(m, tree.Output))
    return show(program.type_of(output.value), 20)


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("1", "integer"),
        ("-2.5", "number"),
        ("30s", "duration"),
        ("5MB", "integer"),
        ("null", "null"),
        ("true", "boolean"),
        ('"a"', '"a"'),
        ('"a ${n}"', "string"),
        ("n + 1", "integer"),
        ("n / 2", "number"),
        ("n % 2", "integer"),
        ("n * 1.5", "number"),
        ("-n", "integer"),
        ("at - at", "duration"),
        ("at + 2h - 1d", "timestamp"),
        ("2 * (at - at)", "duration"),
        ("maybe", "string?"),
        ('maybe ?? "x"', "string"),
        ("maybe!", "string"),
        ("null ?? n", "integer"),
        ("n > 1 and flag", "boolean"),
        ("issue.state", '"open" | "closed"'),
        ("issue.assignee", "{ login: string, name: string? }?"),
        ("issue.assignee?.name", "string?"),
        ("issue.assignee!.name", "string?"),
        ("gone?.title", "string?"),
        ("open.items[0]?.number", "integer?"),
        ("settings.settings", "json"),
        ('settings.flags["x"]', "boolean?"),
        ("settings.flags.x", "boolean?"),
        ("settings.settings as list<string>", "list<string>"),
        ("run.started_at", "timestamp"),
        ("[]", "list<nothing>"),
        ("[1, 2.5]", "list<number>"),
        ("[1, null]", "list<integer?>"),
        ('["a", repo]', "list<string>"),
        ("[...[1], ...[2]]", "list<integer>"),
        ("{ a: 1, b: maybe }", "{ a: integer, b: string? }"),
        ("{ a: 1, [repo]: 2.5 }", "map<number>"),
        ('{ ...{ a: 1, b: "x" }, a: "y" }', '{ a: "y", b: "x" }'),
        ("{ a: repo, ...(if flag then { a: n } else {}) }", "{ a: string | integer }"),
        ("if flag then 1 else null", "integer?"),
        ("[{ a: 1 }, { a: 2, b: true }]", "list<{ a: integer, b: boolean? }>"),
        ('[{ kind: "x", v: 1 }, { kind: "y" }][0]?.kind', '("x" | "y")?'),
        ("[i.number for i in open.items]", "list<integer>"),
        ("{[i.title]: i.number for i in open.items}", "map<integer>"),
        ("first(open.items)?.title", "string?"),
        ("count(open.items)", "integer"),
        ('sort([3, 1], order: "desc")', "list<integer>"),
        (
            'group(open.items, by: "state")["open"]',
            "list<" + "{ number: integer, title: string, "
            'state: "open" | "closed", updated_at: timestamp, labels: list<string>, '
            "assignee: { login: string, name: string? }?, body: string?, "
            "milestone: { title: string, due: date? }? }>?",
        ),
        ('sum(open.items, by: "number")', "integer"),
        ("sum([1.5])", "number"),
        ('max(open.items, by: "updated_at")?.number', "integer?"),
        ("entries(settings.flags)[0]?.value", "boolean?"),
        ("unique(flatten([i.labels for i in open.items]))", "list<string>"),
    ],
)
def test_types(expression: str, shown: str):
    assert type_of(expression) == shown


@pytest.mark.parametrize(
    "condition",
    [
        "maybe != null",
        "null != maybe",
        "maybe == repo",
        'maybe in ["a", "b"]',
        "maybe != null and flag",
        "flag and maybe != null",
        "not (maybe == null)",
        "not (maybe == null or flag)",
        "(maybe != null and flag) or maybe == repo",
        "not (maybe == null) and n > 1",
    ],
)
def test_conditions_that_rule_null_out(condition: str):
    assert type_of(f'if {condition} then maybe else "none"') == "string"


@pytest.mark.parametrize(
    "condition",
    [
        "maybe == null",
        "not (maybe != null)",
        "maybe == null or flag",
        "maybe == null or maybe == repo",
    ],
)
def test_conditions_whose_else_rules_null_out(condition: str):
    assert type_of(f'if {condition} then "none" else maybe') == "string"


@pytest.mark.parametrize("condition", ["maybe != null or flag", "maybe == maybe", "flag", "maybe != repo"])
def test_conditions_that_do_not(condition: str):
    assert type_of(f'if {condition} then maybe else "none"') == "string?"


def test_facts_hold_for_paths_and_what_they_were_reached_through():
    assert type_of('if issue.milestone?.due != null then issue.milestone.title else ""') == "string"
    assert type_of("[i.body for i in open.items if i.body != null]") == "list<string>"
    assert type_of("if succeeded(gone) then gone.title else null") == "string?"
    assert type_of("if gone == null or gone.title == repo then 0 else gone.number") == "integer"


def test_a_declared_output_widens_nothing_in_the_signature():
    program, _ = checked(
        body("input a: string?\n  input b: integer = 2 * 3\n  input d: duration = 2h\n  output number = 1")
    )
    signature = program.chains["c"].signature
    assert show(signature.result) == "number"
    fields = {f.name: (f.required, f.default) for f in signature.parameters.fields}
    assert fields == {"a": (False, None), "b": (False, None), "d": (False, ("PT2H",))}
    assert not signature.parameters.open
