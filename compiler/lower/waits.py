"""Steps that wait for a person: approve and ask."""

from __future__ import annotations

from compiler.lower.expressions import lower_expression
from compiler.lower.policy import lower_reaction
from compiler.lower.scope import Scope
from compiler.types.to_schema import to_schema
from dsl import tree
from stdlib.plan import expression as ex
from stdlib.plan import plan


def lower_wait(
    scope: Scope,
    step: tree.Step,
    action: tree.ApproveAction | tree.AskAction,
    when: ex.Expression | None,
    needs: tuple[str, ...],
) -> plan.ApproveStep | plan.AskStep:
    """The step with what its clauses say: `by`, `show`, `timeout`, and what follows a refusal or silence."""
    fields: dict[str, object] = {}
    for clause in step.clauses:
        match clause:
            case tree.By(group=group):
                fields["by"] = group.plain
            case tree.Show(value=value):
                fields["show"] = lower_expression(scope, value)
            case tree.Timeout(duration=duration):
                fields["timeout_ms"] = duration.value
            case tree.On(event=event, reaction=reaction):
                fields[f"on_{event.text}"] = lower_reaction(scope, reaction)
    shared = {
        "name": step.name.text,
        "question": lower_expression(scope, action.question),
        "when": when,
        "needs": needs,
        "origin": scope.origin(step),
        **fields,
    }
    if isinstance(action, tree.ApproveAction):
        return plan.ApproveStep.model_validate(shared)
    form = to_schema(scope.program.type_of(action.form))
    return plan.AskStep.model_validate({**shared, "form": form})
