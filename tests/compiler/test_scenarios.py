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
      given pay.refund(amount: 5) returns { id: "r-1", status: "done", amount: 5 }
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


def test_the_tests_of_a_golden_program_pass():
    case = golden.GOLDEN / "good" / "refunds.chain"
    program, _ = checked({case.name: case.read_text(encoding="utf-8")})
    loaded = load_plan(lower(program)[0])
    told = [run_scenario(loaded, scenario).failures for scenario in lower_scenarios(program)]
    assert told == [(), ()]
