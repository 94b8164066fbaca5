"""The reference interpreter itself: it must find what is wrong, and must not find what is not."""

import re

import pytest

from dsl.diagnostics import Sink
from dsl.parser import parse
from dsl.source import Source
from tests.mutation.reference.judge import Verdict, judge
from tests.mutation.trial import FOLDER, known_sources

BEFORE = """
import github from mcp "github"
import slack from mcp "slack"
import shop from mcp "shop"
import crm from mcp "crm"
type Pair = { a: integer, b: string? }
kind pairs = list<Pair>
private chain helper {
  input text: string
  input size: integer = 1
  input note: string?
  output { text: string, note: string? } = { text: text, note: note }
}
chain main {
  input repo: string
  input flag: boolean
  input n: integer
  input maybe: string?
  step issue = github.get_issue(repo: repo, number: 1)
  step listed = github.list_issues(repo: repo)
  step firms = crm.list_companies(region: "emea")
  step person = crm.get_contact(company_id: "x")
  step sets = github.get_settings(repo: repo)
"""


def verdict(members: str, runs: int = 50) -> Verdict:
    sink = Sink()
    end = "" if "output" in members else "\n  output = 1"
    file = parse(Source("main.chain", f"{BEFORE}  {members}{end}\n}}\n"), sink)
    assert not sink.has_errors, [each.message for each in sink]
    return judge({"main.chain": file}, "main.chain", known_sources(), runs, 1)


WRONG = [
    # names
    ("let a = nope", "means nothing"),
    ("let a = nope(1)", "no function"),
    ("let a = issue let a = 1", "declared twice"),
    ("let a = [n for n in [1]]", "name already"),
    ("step w = github.nope()", "to call"),
    ("step w = helper(text: repo, sise: 1)", "no input sise"),
    ("let a = succeeded(n)", "name of a step"),
    ("let a: Pear = 1", "no type"),
    ("step w = for each l in issue.labels { let x = l return x } let a = x", "means nothing"),
    ("step w = for each l in issue.labels do helper(text: l) { when l == repo }", "means nothing"),
    ("step w = slack.list_channels() { after nobody }", "nothing to wait for"),
    ("step w = main(repo: repo, flag: flag, n: n)", "calls itself"),
    # what is not there yet
    ("let a = b let b = a", "waits for itself"),
    ("step w = shop.set_note(order_id: v.id) step v = shop.create_refund(order_id: repo, amount: 1)", "waits for"),
    ('require succeeded(w) else "x" step w = shop.set_note(order_id: repo)', "waits for itself"),
    ("section s { after s step w = slack.list_channels() }", "waits for itself"),
    # fields and null
    ("let a = issue.titel", "no field `titel`"),
    ("let a = issue.assignee.login", "read of null"),
    ("let a = issue.labels[0] let b = upper(a)", "null does not fit"),
    ("let a = { x: 1 } let b = a.y", "no field `y`"),
    ("let a = person.contact.email", "no field `email`"),
    ("let a = sets.settings.x", "is read of"),
    ("let a = sets.flags.x and flag", "condition is null"),
    ('let a = "${maybe}"', "null inside a text"),
    ('let a = "${issue}"', "record inside a text"),
    ("let a: { title: string } = issue let b = a.number", "no field `number`"),
    ("step w = helper(text: repo) { when flag } let a = w.text", "read of null"),
    ("step w = helper(text: maybe!) { on error use 1 } let a = w.text", "read of number"),
    ("section s { when flag let x = repo } let a = upper(x)", "null does not fit"),
    ('let a = issue.assignee.login require issue.assignee != null else "x"', "read of null"),
    # operators and functions
    ("let a = n + repo", "calculates with text"),
    ("let a = not n", "condition is number"),
    ("let a = maybe < repo", "compares null"),
    ("let a = issue.updated_at < repo", "compares timestamp with text"),
    ("let a = issue.updated_at + 1", "there is no timestamp + number"),
    ('let a = n == "1"', "never equal"),
    ('let a = issue.state == "opened"', "never equal"),
    ("let a = [x for x in issue]", "goes through record"),
    ("let a = [x for x in issue.labels if x]", "condition is text"),
    ("let a = {[n]: 1 for x in issue.labels}", "as key"),
    ("let a = [...maybe!, 1]", "spread in a list"),
    ('let a = sort(listed.items, by: "nope")', "no field `nope`"),
    ('let a = sum(listed.items, by: "title")', "cannot work with text"),
    ('let a = group(firms.data, by: "revenue")', "null as key"),
    ("let a = join(person.notes, repo)", "does not fit"),
    ("let a = replace(repo, repo, repo)", "too many arguments"),
    ("let a = repo.upper()", "call inside an expression"),
    # people, proofs and the way back
    ('step w = approve "Go?" { on reject skip on expiry skip } let a = w.approved', "read of null"),
    ('step w = approve "Go?" let a = w.answer', "no field `answer`"),
    ('step w = ask "What?" for { why: string? } let a = upper(w.why)', "null does not fit"),
    ("step w = shop.set_note(order_id: repo) { undo shop.set_note(order_id: w.id) }", "no field `id`"),
    (
        "step w = shop.set_note(order_id: repo) { undo shop.set_note(order_id: v.id) } "
        "step v = crm.update_company(id: repo, fields: {})",
        "may not have run",
    ),
    (
        "step w = shop.set_note(order_id: repo) { verify shop.get_order(order_id: repo) expect result.ok }",
        "no field `ok`",
    ),
    ("step w = shop.set_note(order_id: repo) { key nope }", "no parameter nope"),
    ('output = issue adapter "1.x" { input a: string call (repo: a) }', "no argument for"),
    # calls
    ("step w = github.get_issue(repo: repo)", "required"),
    ("step w = github.get_issue(repo: repo, number: 1, extra: 1)", "no parameter extra"),
    ("step w = github.get_issue(repo: maybe, number: 1)", "required"),
    ("step w = github.get_issue(repo: repo, number: n / 2)", "not of type 'integer'"),
    ('step w = github.list_issues(repo: repo, state: "opened")', "is not one of"),
    ("step w = shop.list_orders(since: repo)", "is not a 'date-time'"),
    ("step w = crm.update_company(id: repo, fields: { owner: { since: null } })", "required"),
    ("step w = crm.update_company(id: repo, fields: { owner: first(firms.data)?.owner })", "unforeseen"),
    ("step w = helper(size: 1)", "no argument for text"),
    ("step w = helper(text: maybe)", "null for text"),
    ("step w = helper(text: repo, size: repo)", "is text"),
    ("step w = for each l in maybe do helper(text: l)", "goes through"),
    # outputs
    ("output { a: integer, b: string? } = { b: maybe }", "a is missing"),
    ("output list<Pair> = [{ a: 1 }, { a: repo }]", "is text"),
    ('output handle<pairs> = [{ a: "x" }]', "is text"),
    ("output string = maybe", "is null"),
]

RIGHT = [
    "let a = issue.assignee?.login ?? repo",
    "let a = if issue.assignee != null then issue.assignee.login else repo",
    "let a = [i.assignee.login for i in listed.items if i.assignee != null]",
    "let a = b + 1 let b = n",
    "step w = helper(text: v.text) step v = helper(text: repo)",
    "step w = helper(text: repo, size: null, note: maybe)",
    "step w = helper(text: repo) { when flag } let a = if w != null then w.text else repo",
    "section s { when issue.assignee != null let x = issue.assignee.login let y = upper(x) }",
    "section s { any_order step w = shop.set_note(order_id: v.id) step v = crm.update_company(id: repo, fields: {}) }",
    'require maybe != null else "x" output string = maybe',
    'require issue.assignee != null else "x" let a = issue.assignee.login',
    "let a = { x: 1, ...(if flag then { y: 2 } else {}) } let b = a.y ?? a.x",
    "let a = (if flag then { x: 1 } else { y: 2 }).x",
    "let a = sets.flags.x ?? sets.flags[repo] ?? false",
    "let a = (sets.settings as { theme: string? }).theme",
    'let a = issue.updated_at - 1h < run.started_at and issue.updated_at > "2026-01-01T00:00:00Z"',
    'let a = issue.state == "open" or issue.body == null or n == 1.0',
    'let a = (if flag then issue.state else "merged") == "merged"',
    'let a = sort(firms.data, by: "revenue") let b = sum(firms.data, by: "revenue") + 1',
    'let a = group(firms.data, by: "region")["emea"] ?? []',
    "step w = github.list_issues(repo: repo, state: issue.state, labels: [...issue.labels, repo])",
    "step w = crm.update_company(id: repo, fields: { name: maybe, tier: 2 }, note: maybe)",
    'step w = crm.update_company(id: repo, fields: { owner: { login: "x" } })',
    "step w = for each l in issue.labels do helper(text: l) { on item_error use { text: l, note: null } }",
    "output list<Pair>? = if flag then [{ a: n, b: maybe }, { a: 1 }] else null",
    'output handle<pairs> = [{ a: n }] { summary "${n}" }',
]


@pytest.mark.parametrize(("members", "message"), WRONG, ids=lambda each: each[:60])
def test_what_is_wrong_is_found(members: str, message: str):
    fault = verdict(members).shape
    assert fault is not None
    assert message in fault.message


@pytest.mark.parametrize("members", RIGHT, ids=lambda each: each[:60])
def test_what_is_right_is_let_alone(members: str):
    found = verdict(members)
    assert found.shape is None, found.shape.message
    assert found.finished > 0


@pytest.mark.parametrize(
    "members",
    [
        "let a = upper(maybe!)",
        "let a = n / (n - n)",
        "let a = sets.settings as timestamp",
        'require n > 1000000 else "too few"',
        "step w = github.list_issues(repo: repo, per_page: 1000)",
    ],
)
def test_what_only_a_run_can_tell_is_no_fault_of_shape(members: str):
    assert verdict(members).shape is None


def test_the_reference_shares_nothing_with_the_compiler():
    files = sorted((FOLDER / "reference").glob("*.py"))
    assert len(files) > 10
    borrowed = re.compile(r"^\s*(?:from|import) (?:compiler|stdlib\.(?:plan|runtime))\b", re.M)
    assert [path.name for path in files if borrowed.search(path.read_text(encoding="utf-8"))] == []
