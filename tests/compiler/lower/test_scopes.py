"""Scopes go from imports to the tools of the plan, and to the chains that call them."""

from compiler.lower import lower
from tests.compiler.world import checked

PROGRAM = """
import slack from mcp "slack" {
  tool post_message { scopes "chat:write" }
}

chain tell {
  input text: string
  step posted = slack.post_message(channel: "#a", text: text)
  output boolean = succeeded(posted)
}
"""


def test_a_tool_and_its_chain_have_the_scopes_of_the_import():
    program, found = checked(PROGRAM)
    assert [each.message for each in found if each.severity == "error"] == []
    plan, catalogue = lower(program)
    assert plan.sources["slack"].tools["post_message"].scopes == ("chat:write",)
    assert catalogue.entries[0].behaviour.scopes == ("chat:write",)
    assert plan.chains["tell"].scopes == ("chat:write",)
