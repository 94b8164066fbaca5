"""Tests that authors write, from the text to what is told of them."""

from __future__ import annotations

from collections.abc import Iterator

from compiler.lower import lower, lower_scenarios
from stdlib.runtime.load import load_plan
from stdlib.runtime.scenario import ScenarioResult, run_scenario
from tests import golden
from tests.compiler.world import IMPORTS, checked

PAY = 'import pay from mcp "pay" {\n  tool refund { effects destructive }\n}\n'

CHAINS = """
private chain label {
  input number: integer
  step issue = github.get_issue(repo: "acme/app", number: number)
  output string = issue.title
}
chain pair {
  input numbers: list<integer>
  step titles = for each n in numbers do label(number: n)
  output { titles: list<string>, at: timestamp } = { titles: titles, at: run.started_at }
}
chain refund {
  effects destructive
  input amount: integer
  step sure = approve "Pay ${amount}?" {
    timeout 1h
    on reject fail "Rejected."
    on expiry use null
  }
  step why = ask "Why?" for { reason: string, more: string? } { on decline use { reason: "none", more: null } }
  step paid = pay.refund(order_id: why.reason, amount: amount) {
    after sure
    when sure?.approved ?? false
    key idempotency_key
    retry 1 (wait: 10m)
    undo pay.cancel_refund(id: paid.id, reason: "undone")
  }
  step told = slack.post_message(channel: "c", text: "paid") { when paid != null }
  output string? = paid?.id
}
"""


def results(text: str) -> Iterator[ScenarioResult]:
    program, found = checked(IMPORTS + PAY + CHAINS + text)
    assert [each.message for each in found if each.severity == "error"] == []
    loaded = load_plan(lower(program)[0])
    for scenario in lower_scenarios(program):
        yield run_scenario(loaded, scenario)


def failures(text: str) -> list[tuple[str, str]]:
    (result,) = results(text)
    assert result.passed == (not result.failures)
    return [(each.text, each.found) for each in result.failures]


def test_chains_may_be_answered_for_and_the_last_fitting_answer_counts():
    text = """test "t" {
      at "2026-03-01T00:00:00Z"
      let two = 2
      given label returns "any"
      given label(number: two) returns "two"
      call pair(numbers: [1, two, 3])
      expect output.titles == ["any", "two", "any"]
      expect output.at == "2026-03-01T00:00:00Z"
    }"""
    assert failures(text) == []


def test_an_unmet_expectation_tells_both_sides():
    text = """test "t" {
      given label returns "any"
      call pair(numbers: [1])
      expect count(output.titles) == 2
      expect "x" in output.titles
    }"""
    assert failures(text) == [
        ("count(output.titles) == 2", "1 == 2 is false"),
        ('"x" in output.titles', 'output is {"titles": ["any"], "at": "2026-01-01T00:00:00Z"}'),
    ]


def test_a_call_that_nothing_is_given_for_fails_the_test():
    text = """test "t" {
      given label(number: 1) returns "one"
      call pair(numbers: [1, 2])
      expect fault != null
    }"""
    assert failures(text) == [
        ("an answer for every call", '`label` was called by `titles[1]` with {"number": 2}; no `given` fits')
    ]


def test_a_fault_that_nobody_expects_fails_the_test():
    text = """test "t" {
      given label fails "unavailable"
      call pair(numbers: [1])
      expect true
    }"""
    assert failures(text) == [
        ("`pair` to succeed", "the run ended at `titles[0]` with unavailable: The test says so."),
    ]


PAID = """
      given why answers { reason: "late" }
      given pay.refund returns { id: "r-1", status: "done", amount: 5 }
      given slack.post_message returns { ts: "1" }
"""


def test_people_are_answered_for_by_the_names_of_their_steps():
    assert (
        failures(f'test "t" {{ given sure answers true {PAID} call refund(amount: 5) expect output == "r-1" }}') == []
    )
    text = f'test "t" {{ given sure answers false {PAID} call refund(amount: 5) expect fault?.message == "Rejected." }}'
    assert failures(text) == []
    silent = f'test "t" {{ {PAID} call refund(amount: 5) expect fault?.class == "input_required" }}'
    assert failures(silent) == [("an answer for every call", '`sure` asks "Pay 5?"; no `given` answers it')]


def test_nobody_answers_a_step_that_fails_by_timeout():
    text = f'test "t" {{ given sure fails "timeout" {PAID} call refund(amount: 5) expect output == null }}'
    assert failures(text) == []
    rest = PAID.replace("given why answers", 'given why fails "timeout"  //')
    text = f'test "t" {{ given sure answers true {rest} call refund(amount: 5) expect fault?.class == "timeout" }}'
    assert failures(text) == []


def test_waits_pass_at_once_and_what_fails_is_undone():
    text = """test "t" {
      given sure answers true
      given why answers null
      given pay.refund(order_id: "none") returns { id: "r-1", status: "done", amount: 5 }
      given slack.post_message fails "tool_error"
      given pay.cancel_refund(id: "r-1") returns { ok: true }
      call refund(amount: 5)
      expect fault?.class == "tool_error"
      expect fault?.undone == ["paid"] and count(fault?.not_undone ?? ["?"]) + count(fault?.done ?? ["?"]) == 0
    }"""
    assert failures(text) == []
    stays = """test "t" {
      given sure answers true
      given why answers null
      given pay.refund returns { id: "r-1", status: "done", amount: 5 }
      given slack.post_message fails "tool_error"
      given pay.cancel_refund fails "denied"
      call refund(amount: 5)
      expect fault?.undone == [] and fault?.not_undone == ["paid"] and fault?.done == ["paid"]
    }"""
    assert failures(stays) == []
    again = """test "t" {
      given sure answers true
      given why answers null
      given pay.refund fails "unavailable"
      call refund(amount: 5)
      expect fault?.class == "unavailable"
    }"""
    assert failures(again) == []


TWICE = """
chain close {
  effects destructive
  input number: integer
  step before = github.get_settings(repo: "acme/app") { retry 2 (wait: 1s) }
  step closed = github.close_issue(repo: "acme/app", number: number) {
    after before
    verify github.get_settings(repo: "acme/app") expect result.flags["closed"] ?? false
  }
  output = before.flags["closed"] ?? false
}
test "t" {
  let open = { settings: null, flags: { closed: false } }
  given github.close_issue returns { closed: true, at: "2026-01-01T00:00:00Z" }
"""


def test_answers_for_the_same_call_come_one_after_another():
    """A fault that passes, what is read before the write, and what is read after it."""
    text = f"""{TWICE}
      given github.get_settings fails "unavailable"
      given github.get_settings returns open
      given github.get_settings returns {{ ...open, flags: {{ closed: true }} }}
      call close(number: 1)
      expect output == false
    }}"""
    assert failures(text) == []


def test_the_last_answer_stays_and_is_of_the_same_arguments_in_any_order():
    text = f"""{TWICE}
      given github.get_settings(repo: "acme/app") fails "unavailable"
      given github.get_settings(repo: "acme/" + "app") returns open
      call close(number: 1)
      expect fault?.class == "not_verified"
    }}"""
    assert failures(text.replace('"acme/" + "app"', '"${"acme"}/app"')) == []
    stays = """test "t" {
      given label(number: 1) returns "one"
      given label returns "first"
      given label(number: 1) returns "again"
      given label returns "later"
      call pair(numbers: [2, 1, 3])
      expect output.titles == ["first", "later", "later"]
    }"""
    assert failures(stays) == [
        (
            "a call of `label` that this `given` answers",
            f"the one on line {line} answered, since the last that fits counts",
        )
        for line in (line_of(stays, "later"), line_of(stays, "later"))
    ]


def line_of(text: str, what: str) -> int:
    whole = IMPORTS + PAY + CHAINS + text
    return whole[: whole.index(what)].count("\n") + 1


def test_people_answer_one_after_another():
    each = """
    chain many {
      input names: list<string>
      step agreed = for each n in names {
        step sure = approve "Greet ${n}?" { on reject skip }
        return sure?.approved ?? false
      }
      output = agreed
    }
    test "t" {
      given sure answers true
      given sure answers false
      given sure answers true
      call many(names: ["a", "b", "c", "d"])
      expect output == [true, false, true, true]
    }"""
    assert failures(each) == []


def test_a_given_that_no_call_asks_for_fails_the_test():
    text = """test "t" {
      given label returns "any"
      given label(number: 7) returns "seven"
      call pair(numbers: [1, 2])
      expect output.titles == ["any", "any"]
    }"""
    expected = "a call of `label` that this `given` answers"
    assert failures(text) == [(expected, "the nearest, by `titles[0]`, had `number` 1, not 7")]
    missing = text.replace('given label returns "any"', 'given label(number: 1) returns "any"')
    assert failures(missing) == [
        ("an answer for every call", '`label` was called by `titles[1]` with {"number": 2}; no `given` fits'),
        (expected, "the nearest, by `titles[0]`, had `number` 1, not 7"),
    ]
    never = text.replace("[1, 2]", "[]").replace('["any", "any"]', "[]")
    assert failures(never) == [(expected, "it was never called")]


def test_an_answer_too_many_fails_the_test():
    text = """test "t" {
      given label fails "unavailable"
      given label returns "one"
      given label returns "two"
      call pair(numbers: [1])
      expect fault?.class == "unavailable"
    }"""
    found = ("another call of `label` that this `given` answers", "there was 1")
    assert failures(text) == [found, found]


def test_the_nearest_call_is_the_one_with_most_of_the_arguments():
    text = """
    chain said {
      step one = slack.post_message(channel: "a", text: "one")
      step two = slack.post_message(channel: "b", text: "two", thread: "7")
      output = two.ts
    }
    test "t" {
      given slack.post_message returns { ts: "1" }
      given slack.post_message(channel: "b", text: "three", thread: "8") fails "denied"
      call said()
      expect output == "1"
    }"""
    (failure,) = failures(text)
    assert failure[1] == 'the nearest, by `two`, had `text` "two", not "three"; `thread` "7", not "8"'


def test_what_is_given_for_every_call_of_a_tool_that_is_never_called_is_a_note():
    (result,) = results(
        f'test "t" {{ given sure answers false {PAID} call refund(amount: 5) expect fault?.message == "Rejected." }}'
    )
    assert result.passed
    assert [each.text for each in result.notes] == [
        "`pay.refund` needs no answer: it was never called.",
        "`slack.post_message` needs no answer: it was never called.",
    ]


def test_a_test_that_fails_otherwise_tells_no_answers_of_tools_that_were_never_called():
    text = """test "t" {
      given sure answers true
      given why fails "timeout"
      given pay.refund(amount: 5) returns { id: "r-1", status: "done", amount: 5 }
      call refund(amount: 5)
      expect output == "r-1"
    }"""
    assert [each[0] for each in failures(text)] == ["`refund` to succeed", 'output == "r-1"']


def test_the_tests_of_a_golden_program_pass():
    case = golden.GOLDEN / "good" / "refunds.chain"
    program, _ = checked({case.name: case.read_text(encoding="utf-8")})
    loaded = load_plan(lower(program)[0])
    told = [run_scenario(loaded, scenario).failures for scenario in lower_scenarios(program)]
    assert told == [(), ()]
