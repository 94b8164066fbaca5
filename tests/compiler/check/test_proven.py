"""What is known below a `require`, and what waits for it because of that; what belongs to a chain besides its types."""

import pytest

from compiler.program import CheckedChain
from tests.compiler.world import body, checked

HEAD = "input repo: string\n  input maybe: string?\n  input flag: boolean\n  "
READ = "step a = github.get_issue(repo: repo, number: 1)\n  "


def said(members: str) -> list[str]:
    return [each.code for each in checked(body(HEAD + members))[1]]


def chain(members: str, before: str = "") -> CheckedChain:
    program, found = checked(body(HEAD + members, before))
    assert [each.message for each in found if each.severity == "error"] == []
    return program.chains["c"]


USE = "github.get_issue(repo: maybe, number: 2)"


def test_a_require_proves_what_stands_below_it():
    assert said(f'require maybe != null else "no"\n  step s = {USE}\n  output = s.title') == []
    # One that rests on inputs alone is checked before any call, wherever it stands.
    assert said(f'step s = {USE}\n  require maybe != null else "no"\n  output = s.title') == []
    assert said('let l = upper(maybe)\n  require maybe != null else "no"\n  output = l') == ["E0404"]
    assert said(f'require flag or maybe != null else "no"\n  step s = {USE}\n  output = s.title') == ["E0404"]
    assert said('require maybe in ["a", "b"] else "no"\n  output = upper(maybe)') == []
    assert said('require maybe != "a" else "no"\n  output = upper(maybe)') == ["E0404"]


def test_the_message_knows_that_the_condition_is_false():
    assert said('require maybe == null else "${maybe} is too much"\n  output = repo') == []
    assert said('require maybe != null else "${maybe}"\n  output = repo') == ["E0409"]
    assert said('require flag and maybe == null else "${maybe}"\n  output = repo') == ["E0409"]
    assert said('require maybe == null and flag == true else "${maybe ?? "it"}"\n  output = repo') == []


def test_it_proves_it_for_lets_guards_loops_and_the_output():
    proof = 'require a.body != null else "no"\n  '
    assert said(f"{READ}{proof}let l = upper(a.body)\n  output = l") == []
    assert said(f"{READ}{proof}output = upper(a.body)") == []
    assert said(f'{READ}{proof}section s {{ when starts_with(a.body, "x")\n  let l = 1 }}\n  output = l') == []
    loop = "for each i in [1] do github.get_issue(repo: a.body, number: i)"
    assert said(f"{READ}{proof}step s = {loop}\n  output = count(s)") == []
    block = "for each i in [1] { let l = upper(a.body)\n  return l }"
    assert said(f"{READ}{proof}step s = {block}\n  output = s") == []


def test_what_relies_on_a_proof_waits_for_it():
    needs = chain(f'{READ}require a.body != null else "no"\n  let l = upper(a.body)\n  output = l').graph.needs
    assert "require#1" in needs["l"]
    # A read that has nothing to do with it starts at once.
    needs = chain(f'{READ}require a.body != null else "no"\n  step s = {USE.replace("maybe", "repo")}').graph.needs
    assert needs["s"] == ()


def test_what_depends_on_such_a_let_has_the_proof_too():
    upper = "upper(if l.number > 0 then a.body else l.body)"
    members = f'{READ}require a.body != null else "no"\n  let l = a\n  let m = {upper}\n  output = m'
    assert said(members) == []


@pytest.mark.parametrize(
    ("members", "least"),
    [
        ("output = 1", 0),
        (READ, 1),
        (f"{READ.strip()} {{ when flag }}", 0),
        (f"{READ.strip()} {{ on error skip }}", 1),
        (f"section s {{ when flag\n  {READ} }}", 0),
        (f"section s {{ {READ} }}", 1),
        ("step a = for each i in [1, 2] do github.get_issue(repo: repo, number: i)", 2),
        ("let xs = [1]\n  step a = for each i in xs do github.get_issue(repo: repo, number: i)", 0),
        ("step a = for each i in [1, ...[2]] do github.get_issue(repo: repo, number: i)", 1),
        (f"step b = for each i in [1, 2, 3] {{ {READ} return a.title }}", 3),
        ('step a = approve "go?"', 0),
    ],
)
def test_the_least_number_of_calls(members: str, least: int):
    assert chain(members).signature.minimal_calls == least


def test_calls_of_chains_count_with_all_that_they_call():
    helper = f"private chain helper {{\n  input repo: string\n  {READ}step b = helper2(repo: repo)\n  output = b }}\n"
    helper2 = f"private chain helper2 {{\n  input repo: string\n  {READ}output = a.title }}\n"
    assert chain("step h = helper(repo: repo)", helper + helper2).signature.minimal_calls == 2


KEYED = 'import pay from mcp "pay"\n'
PAID = "pay.refund(order_id: repo, amount: 1) { key idempotency_key }"


@pytest.mark.parametrize(
    ("members", "safe"),
    [
        (READ, True),
        ('step s = slack.post_message(channel: repo, text: "x")', False),
        ('step s = slack.post_message(channel: repo, text: "x") { retry 2 (safe: true) }', True),
        (f"step s = {PAID}", True),
        (f'step s = {PAID}\n  step t = slack.post_message(channel: repo, text: "x")', False),
        (f"step s = for each i in [1] {{ step t = {PAID}\n  return t.id }}", True),
    ],
)
def test_what_can_be_repeated(members: str, safe: bool):
    assert chain(members, KEYED).signature.retry_safe is safe


def test_a_retry_is_safe_on_a_chain_whose_steps_have_keys():
    inside = f"effects destructive\n  input repo: string\n  step s = {PAID}\n  output = s.id"
    helper = f"{KEYED}private chain helper {{\n  {inside} }}\n"
    assert chain("effects destructive\n  step h = helper(repo: repo) { retry 2 }", helper).signature.retry_safe


def test_a_chain_with_a_keyed_step_can_be_told_the_request():
    made = chain(f"step s = {PAID}", KEYED).signature.parameters.field("request_key")
    assert made is not None
    assert not made.required
    assert made.doc
    assert chain(READ).signature.parameters.field("request_key") is None


def test_a_step_waits_for_a_let_that_its_undo_uses_where_that_needs_nothing_more():
    before = 'import pay from mcp "pay"\n'
    members = (
        "effects destructive\n  "
        + READ
        + "step s = pay.refund(order_id: a.title, amount: 1, idempotency_key: repo) {\n  "
    )
    members += "undo pay.cancel_refund(id: s.id, reason: l) }\n  let l = upper(a.title)"
    assert "l" in chain(members, before).graph.needs["s"]
    late = members.replace("upper(a.title)", "upper(b.title)") + "\n  step b = github.get_issue(repo: repo, number: 3)"
    assert [e.code for e in checked(body(HEAD + late, before))[1]] == ["E0507"]


def test_effects_and_scopes_count_what_takes_back_and_proves():
    claim = 'import pay from mcp "pay" { tool cancel_refund { effects destructive scopes "x" } }\n'
    members = READ.strip() + ' { undo pay.cancel_refund(id: "a") }'
    made = chain(members, claim).signature
    assert not made.effects.read_only
    assert made.effects.destructive
    assert made.scopes == ("x",)
    assert "E0602" in [e.code for e in checked(body(HEAD + "effects read_only\n  " + members, claim))[1]]


def test_places_that_no_type_can_say_are_kept():
    text = 'import odd from mcp "odd"\nchain c {\n  step t = odd.tree(path: "/")\n  output = t.root.name\n}\n'
    program, _ = checked(text)
    (tool,) = program.chains["c"].calls.values()
    assert [u.why for u in tool.unsaid if u.pointer == "/$defs/folder"] == ["refers to itself"]  # type: ignore[union-attr]


def test_silence_is_a_timeout_of_the_step_that_asks():
    text = 'chain c {\n  step s = ask "Who?" for { name: string } { on expiry skip }\n  output = s?.name\n}\n'
    text += 'test "t" {\n  given s fails "timeout"\n  call c()\n  expect output == null\n}\n'
    program, found = checked(text)
    assert found == []
    assert list(program.tests[0].targets.values()) == ["s"]
