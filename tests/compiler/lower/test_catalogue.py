"""Catalogue entries: what is said of a chain, from its clauses and its proven types."""

from compiler.lower import lower
from stdlib.plan.catalogue import Entry
from tests.compiler.world import checked

PROGRAM = """
import github from mcp "github"
import slack from mcp "slack"

private chain inner {
  input repo: string
  step settings = github.get_settings(repo: repo)
  output string = repo
}

/// Tell a channel how many issues are open.
chain tell {
  version "2.0.1"
  owner "the support team"
  use_when "someone asks"
  use_when "a day ends"
  not_when "it is a drill"
  groups support, sales
  stages report
  example "how many are open in acme/app" (repo: "acme/app", since: 30d, tags: ["a", "b"])
  empty "nothing is open"
  fails tool_error "the repository does not exist"
  budget (calls: 5, time: 90s)

  input repo: string
  input since: duration = 2h
  input tags: list<string> = []

  require repo != "" else "Which repository is ${repo}?"
  step open = github.list_issues(repo: repo, state: "open")
  let number = count(open.items)
  require number < 100 else "${number} issues are too many."
  step known = inner(repo: repo)
  step posted = slack.post_message(channel: "#a", text: "${number} open in ${known}, ${count(tags)}, ${days(since)}")

  output { number: integer } = { number: number }
}
"""


def entry() -> Entry:
    program, found = checked(PROGRAM)
    assert [d.message for d in found if d.severity == "error"] == []
    entries = lower(program)[1].entries
    assert [each.id for each in entries] == ["tell"]
    return entries[0]


def test_selection_says_when_to_call():
    selection = entry().selection
    assert selection.title == "Tell"
    assert selection.description == "Tell a channel how many issues are open."
    assert selection.use_when == ("someone asks", "a day ends")
    assert selection.not_when == ("it is a drill",)
    assert (selection.groups, selection.stages) == (("support", "sales"), ("report",))
    assert selection.examples[0].arguments == {"repo": "acme/app", "since": "P30D", "tags": ["a", "b"]}


def test_a_requirement_on_inputs_is_a_constraint_and_one_on_steps_a_fault():
    found = entry()
    assert found.input.constraints == ("Which repository is {repo}?",)
    assert [(f.fault_class, f.when) for f in found.output.faults] == [
        ("tool_error", "the repository does not exist"),
        ("precondition", "{number} issues are too many."),
    ]


def test_behaviour_is_that_of_all_called_tools():
    behaviour = entry().behaviour
    assert not behaviour.read_only
    assert behaviour.retries == "none"
    assert (behaviour.budget.calls, behaviour.budget.seconds) == (5, 90)


def test_uses_reach_through_called_chains():
    uses = [(use.source, use.tool, use.proof) for use in entry().uses]
    assert uses == [
        ("github", "get_settings", "declared"),
        ("github", "list_issues", "declared"),
        ("slack", "post_message", "declared"),
    ]


def test_the_place_is_that_of_the_name():
    source = entry().source
    assert PROGRAM.splitlines()[source.line - 1].startswith("chain tell")


VERSIONS = """
chain c {
  version "3.0.0"
  input who: string
  output { text: string } = { text: who }
  adapter "1.x" { input name: string  call (who: name)  output string = result.text }
  adapter "2.x" { input named: string  call (who: named) }
  adapter "2.1.x" { input word: string  call (who: word)  output { text: string } = result }
}
"""


def test_the_forms_that_older_calls_get_are_said_where_they_differ():
    program, found = checked(VERSIONS)
    assert [d.message for d in found if d.severity == "error"] == []
    (one,) = lower(program)[1].entries
    told = [each.model_dump(by_alias=True) for each in one.output.adapted]
    assert told == [{"version": "1.x", "schema": {"type": "string"}}]
