"""What surrounds a side effect, in plan and catalogue."""

from compiler.lower import lower
from stdlib.plan.plan import CallStep
from tests.compiler.world import body, checked

IMPORT = 'import pay from mcp "pay" { tool refund { effects destructive cost (call: 0.25) } }\n'
PAID = "step paid = pay.refund(order_id: order, amount: 1) {{ key idempotency_key {more} }}"


def lowered(members: str):
    program, found = checked(body(f"effects destructive\n  input order: string\n  {members}", IMPORT))
    assert [each.message for each in found if each.severity == "error"] == []
    plan, catalogue = lower(program)
    return plan, plan.chains["c"], catalogue.entries[0]


def test_a_tool_has_its_cost():
    plan, _, _ = lowered(PAID.format(more=""))
    assert plan.sources["pay"].tools["refund"].cost == 0.25


def test_a_chain_with_a_key_takes_a_request_key():
    _, chain, entry = lowered(PAID.format(more=""))
    assert chain.keyed
    assert chain.input_schema["properties"]["request_key"]["description"]
    assert "request_key" not in chain.input_schema["required"]
    assert entry.behaviour.retries == "keyed"


def test_a_chain_that_calls_one_with_a_key_takes_a_request_key():
    paid = "chain settle {\n  input order: string\n  " + PAID.format(more="") + "\n  output = 1\n}\n"
    calls = 'chain c {\n  %s\n  step p = settle(order: "o"%s)\n  output = 1\n}\n'

    def caller(own: str = "", passed: str = ""):
        program, found = checked(IMPORT + paid + calls % (own, passed))
        assert [each.message for each in found if each.severity == "error"] == []
        plan, catalogue = lower(program)
        return plan.chains["c"], catalogue.entries[0]

    chain, entry = caller()
    assert chain.keyed
    assert entry.id == "c"
    assert list(entry.input.json_schema["properties"]) == ["request_key"]
    assert entry.behaviour.retries == "keyed"
    # One that names it passes it on as it likes.
    chain, entry = caller("input request_key: string", ", request_key: request_key")
    assert [each.name for each in chain.inputs] == ["request_key"]
    assert entry.input.json_schema["required"] == ["request_key"]


def test_a_write_without_a_key_is_not_made_safe_by_another_ones():
    _, _, entry = lowered(PAID.format(more="") + '\n  step s = slack.post_message(channel: "a", text: "b")')
    assert entry.behaviour.retries == "none"


def test_a_retry_that_is_inherited_holds_for_a_step_with_a_key():
    _, chain, _ = lowered("defaults { retry 2 }\n  " + PAID.format(more=""))
    (step,) = chain.bindings
    assert isinstance(step, CallStep)
    assert step.policy.retry is not None
    assert step.key == "idempotency_key"
