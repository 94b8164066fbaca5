"""Rules that a golden program shows badly: which code a small chain gives, and that others give none."""

import pytest

from tests.compiler.world import body, checked, codes

HEAD = "input repo: string\n  input maybe: string?\n  input flag: boolean\n  "
READ = "github.get_issue(repo: repo, number: 1)"


def said(members: str, before: str = "") -> list[str]:
    """The codes of the errors in a chain with these members."""
    found = checked(body(HEAD + members, before))[1]
    return [each.code for each in found if each.severity == "error"]


def test_an_argument_may_be_null_where_the_parameter_may_be_left_out():
    # not required, not nullable: left out
    assert said('step s = slack.post_message(channel: repo, text: "x", thread: maybe)') == []
    # required, not nullable
    assert said("step s = slack.post_message(channel: repo, text: maybe)") == ["E0404"]
    # not required, nullable
    assert said("step s = github.close_issue(repo: repo, number: 1, reason: maybe)") == []
    assert said('step s = slack.post_message(channel: repo, text: "x", thread: null)') == []


def test_inputs_with_a_default_take_null_from_other_chains():
    helper = 'chain helper {\n  input a: string = "x"\n  input b: string?\n  input d: string\n  output string = a\n}\n'
    assert said("step s = helper(a: maybe, b: maybe, d: repo)", helper) == []
    assert said("step s = helper(d: maybe)", helper) == ["E0404"]


@pytest.mark.parametrize(
    "clauses",
    ["when flag", "on error skip"],
)
def test_a_step_that_may_be_skipped_may_be_null(clauses: str):
    assert said(f"step s = {READ} {{ {clauses} }}\n  output = s.title") == ["E0408"]
    assert said(f"step s = {READ} {{ {clauses} }}\n  output = s?.title") == []


def test_on_error_use_gives_either():
    assert said(f'step s = {READ} {{ on error use {{ title: "none" }} }}\n  output string = s.title') == []
    assert said(f"step s = {READ} {{ on error use null }}\n  output = s.title") == ["E0408"]


@pytest.mark.parametrize("where", ["defaults { on error skip }", "section s { on error skip"])
def test_reactions_are_inherited(where: str):
    close = "}" if where.startswith("section") else ""
    assert said(f"{where}\n  step a = {READ} {close}\n  output = a.title") == ["E0408"]


def test_a_step_overrides_what_it_inherits():
    assert said(f'defaults {{ on error skip }}\n  step a = {READ} {{ on error fail "x" }}\n  output = a.title') == []


def test_siblings_in_a_guarded_section_are_there():
    inside = f"step a = {READ}\n  let l = a.title\n  step b = github.get_issue(repo: l, number: a.number)"
    assert said(f"section s {{ when flag\n  {inside} }}\n  output = b?.title") == []
    assert said(f"section s {{ when flag\n  {inside} }}\n  output = l") == []
    assert said(f"section s {{ when flag\n  {inside} }}\n  output string = l") == ["E0410"]
    assert said(f"section s {{ {inside} }}\n  output = b.title") == []


def test_a_guard_tells_its_members():
    text = 'slack.post_message(channel: maybe, text: "x")'
    assert said(f"section s {{ when maybe != null\n  step a = {text} }}") == []
    assert said(f"section s {{ when flag\n  step a = {text} }}") == ["E0404"]


def test_loops_give_lists():
    loop = "for each i in [1, 2] do github.get_issue(repo: repo, number: i)"
    assert said(f"step s = {loop}\n  output list<string> = [x.title for x in s]") == []
    assert said(f"step s = {loop} {{ on item_error use null }}\n  output = [x.title for x in s]") == ["E0408"]
    assert said(f"step s = {loop} {{ when flag }}\n  output = [x.title for x in s]") == ["E0408"]
    assert said(f"step s = {loop} {{ on item_error skip }}\n  output = [x.title for x in s]") == []


def test_a_block_sees_its_variable_and_the_chain():
    block = (
        f"for each i in [1] {{ let a = i + 1\n  step b = {READ} {{ when flag }}\n  return {{ a: a, t: b?.title }} }}"
    )
    assert said(f"step s = {block}\n  output list<{{ a: integer, t: string? }}> = s") == []
    assert said(f"step s = {block.replace('?.', '.')}\n  output = s") == ["E0408"]
    assert said(f"step s = {block}\n  output = b") == ["E0300"]


@pytest.mark.parametrize(
    ("promise", "tool", "expected"),
    [
        ("effects read_only", READ, []),
        ("effects idempotent", READ, []),
        ("effects destructive", READ, []),
        ("effects read_only", "github.close_issue(repo: repo, number: 1)", ["E0602"]),
        ("effects idempotent", 'github.add_label(repo: repo, number: 1, "X-Label": "x")', []),
        ("effects open_world", "github.close_issue(repo: repo, number: 1)", []),
    ],
)
def test_promises(promise: str, tool: str, expected: list[str]):
    assert said(f"{promise}\n  step s = {tool}") == expected


def test_effects_are_computed_and_admissions_added():
    program, _ = checked(body(HEAD + "effects open_world\n  step s = github.close_issue(repo: repo, number: 1)"))
    effects = program.chains["c"].signature.effects
    assert (effects.read_only, effects.idempotent, effects.destructive, effects.open_world) == (
        False,
        False,
        True,
        True,
    )


def test_retry_needs_steps_that_can_be_repeated():
    write = 'slack.post_message(channel: repo, text: "x")'
    assert said(f"step s = {READ} {{ retry 2 }}") == []
    assert said(f"step s = {write} {{ retry 2 }}") == ["E0603"]
    assert said(f"step s = {write} {{ retry 2 (safe: true) }}") == []
    assert said(f"step s = {write} {{ retry 2 (safe: false) }}") == ["E0603"]
    assert said(f"defaults {{ retry 2 }}\n  step s = {write}") == []


def test_one_mistake_gives_one_message():
    wrong = "step s = github.get_isue(repo: repo)\n  "
    rest = "let a = s.title.x[0] + 1\n  let b = [y.z for y in s if y]\n  let d = sort(s, by: 5)\n  output string = s.a"
    assert said(wrong + rest.replace("by: 5", 'by: "x"')) == ["E0203"]


def test_names_of_other_files():
    files = {
        "main.chain": 'import lib from chain "./lib.chain"\n'
        "chain c {\n  input s: lib.Size = 3\n  step a = lib.twice(n: s)\n"
        "  output { a: integer, b: integer } = { a: a, b: lib.most }\n}\n",
        "lib.chain": "type Size = integer(max: 10)\nlet most = 10\nprivate chain twice {\n"
        "  input n: Size\n  output integer = n * 2\n}\n",
    }
    assert codes(files) == []
    program, _ = checked(files)
    assert list(program.chains) == ["twice", "c"]
    broken = {**files, "main.chain": files["main.chain"].replace("lib.most", "lib.mots")}
    assert codes(broken) == ["E0300"]


def test_an_import_that_could_not_be_loaded_is_not_told_again():
    members = "step a = lost.x(y: 1)\n  let b = lost\n  output = [a.z, b, lost.q]"
    assert codes(f'import lost from mcp "lost"\nchain c {{\n  {members}\n}}\n') == []
    assert codes('import lost from chain "./lost.chain"\nchain c {\n  input a: lost.T\n  output = a.b\n}\n') == []


def test_public_chains_have_different_names():
    one, two = "chain c { output = 1 }\n", "chain c { output = 2 }\n"
    assert codes({"a.chain": one, "b.chain": two}) == ["E0301"]
    program, found = checked({"a.chain": one, "b.chain": "private " + two})
    assert found == []
    assert list(program.chains) == ["c", "b.c"]


def test_one_kind_has_one_type():
    one, two = "kind k = list<string>\n", "kind k = list<integer>\n"
    assert codes({"a.chain": one, "b.chain": one}) == []
    assert codes({"a.chain": one, "b.chain": two}) == ["E0301"]


def test_a_file_that_was_read_in_part_is_not_blamed_for_what_is_missing():
    text = "chain c {\n  input a string {{{ \n  step x = y.z(\n  output = nothing\n}\n"
    assert all(code.startswith(("E00", "E01")) for code in codes(text))


def test_placeholders_are_only_told_where_the_name_means_something():
    assert codes('chain c {\n  input a: string\n  output = "{a} {b} \\{a} ${a}"\n}\n') == ["W0008"]
    assert codes('chain c {\n  input a: string\n  output = [x for x in ["{x}", a]]\n}\n') == []


@pytest.mark.parametrize(
    ("clauses", "condition", "fine"),
    [
        ("on error skip", "not failed(s)", True),
        ("when flag", "not skipped(s)", True),
        ("on error skip", "not skipped(s)", False),
        ("when flag", "not failed(s)", False),
        ("when flag on error skip", "not failed(s)", False),
        ("when flag on error skip", "not failed(s) and not skipped(s)", True),
        ("when flag on error skip", "not (failed(s) or skipped(s))", True),
        ("on error skip", "failed(s)", False),
        ("on error use null", "not failed(s)", False),
        ("on error skip", "not failed(s) or flag", False),
    ],
)
def test_what_became_of_a_step_tells_whether_it_has_a_value(clauses: str, condition: str, fine: bool):
    expected = [] if fine else ["E0408"]
    step = f"step s = {READ} {{ {clauses} }}\n  "
    assert said(f'{step}output string = if {condition} then s.title else "none"') == expected
    assert said(f'{step}require {condition} else "no"\n  output string = s.title') == expected
    assert said(f"{step}step t = github.get_issue(repo: s.title, number: 2) {{ when {condition} }}") == expected
    assert said(f"{step}section x {{ when {condition}\n  let l = s.title }}") == expected


def test_each_way_a_step_may_end_is_told_in_turn():
    step = f"step s = {READ} {{ when flag on error skip }}\n  "
    chosen = 'if failed(s) then "failed" else if skipped(s) then "skipped" else s.title'
    assert said(f"{step}output string = {chosen}") == []
    guarded = f"section g {{ when flag\n  step s = {READ} }}\n  "
    assert said(f'{guarded}output string = if skipped(s) then "none" else s.title') == []
    assert said(f'{guarded}output string = if failed(s) then "none" else s.title') == ["E0408"]
    asked = 'step s = approve "x" { on reject skip }\n  '
    assert said(f"{asked}output boolean = if failed(s) then false else s.approved") == []


REFUND = 'step s = shop.create_refund(order_id: repo, amount: 1, reason: "late", priority: %s)'


def test_a_number_in_a_let_is_still_that_number():
    assert said(f"effects destructive\n  let p = 2\n  {REFUND % 'p'}") == []
    assert said(f"effects destructive\n  let p = 4\n  {REFUND % 'p'}") == ["E0404"]
    assert said(f"effects destructive\n  {REFUND % 'p'}", "let p = 2") == []
    assert said(f"effects destructive\n  let p: integer = 2\n  {REFUND % 'p'}") == ["E0404"]
    guarded = f"effects destructive\n  section g {{ when flag\n  let p = 2 }}\n  {REFUND % 'p'}"
    assert said(guarded) == ["E0404"]


TYPES = 'type M = { n: integer(max: 5), mode: "x" | "y" }'


@pytest.mark.parametrize(
    ("written", "fine"),
    [
        ('{ ...a, mode: "x" }', True),
        ('{ mode: "x", ...{ n: 1 } }', True),
        ('{ ...a, mode: "x", n: 5 }', True),
        ('{ ...a, mode: "x", n: 6 }', False),
        ('{ ...a, mode: "z" }', False),
        ('{ mode: "x", ...a }', False),
        ('{ mode: "z", n: 9, ...{ n: 1, mode: "x" } }', True),
    ],
)
def test_what_stands_beside_a_spread_is_looked_at_by_itself(written: str, fine: bool):
    given = "input a: { n: integer, mode: string }\n  "
    expected = [] if fine else ["E0404"]
    assert said(f"{given}let m: M = {written}\n  output = m", TYPES) == expected


def test_a_text_in_a_let_is_still_that_text():
    given = "input a: { n: integer, mode: string }\n  "
    assert said(f'{given}let m = {{ ...a, mode: "x" }}\n  let k: M = m\n  output = k', TYPES) == []
    assert said(f'{given}let x = "x"\n  let k: M = {{ ...a, mode: x }}\n  output = k', TYPES) == []
