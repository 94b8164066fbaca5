"""Six programs that use the whole language over tools of their own: they are right, and become plans."""

from compiler.lower import lower, lower_scenarios
from dsl.render import render
from stdlib.plan.document import to_text
from stdlib.plan.plan import ApproveStep, CallStep, Plan
from tests import golden
from tests.compiler.world import checked

SIX = golden.GOLDEN / "six"


def files() -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(SIX.glob("*.chain"))}


def test_nothing_is_said_about_them():
    assert [render(each) for each in checked(files(), SIX / "sources")[1]] == []


def test_they_become_plans():
    program, _ = checked(files(), SIX / "sources")
    plan, catalogue = lower(program)
    assert Plan.model_validate_json(to_text(plan)) == plan
    ids = "create_incident issue_title market_report open_incident recent_changes refund_order stale_digest"
    assert [entry.id for entry in catalogue.entries] == ids.split()
    assert [s.name for s in lower_scenarios(program)] == ["nothing is posted when no channel is given"]
    refund = {b.name: b for b in plan.chains["refund_order"].bindings if isinstance(b, CallStep | ApproveStep)}
    payment = refund["payment"]
    assert isinstance(payment, CallStep)
    assert payment.key == "idempotencyKey"
    assert payment.reconcile is not None
    assert payment.verify is not None
    assert payment.undo is not None
    assert payment.policy.retry is not None
    assert "request_key" in plan.chains["refund_order"].input_schema["properties"]
    assert plan.chains["open_incident"].adapters[0].version == "1.x"
