"""Clauses → policy. Defaults come from the file, then the chain, then the section, then the step itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from compiler.lower.expressions import lower_expression
from compiler.lower.scope import Scope
from dsl import tree
from stdlib.plan import plan

_INHERITED = (tree.Timeout, tree.Retry, tree.Parallel, tree.On)
READS_AT_ONCE, WRITES_AT_ONCE = 8, 1


def inherited(*levels: Iterable[tree.Clause]) -> tuple[tree.Clause, ...]:
    """The clauses that steps inherit; a later level replaces the same clause of an earlier one."""
    merged: dict[tuple[type, str], tree.Clause] = {}
    for level in levels:
        for clause in level:
            if isinstance(clause, _INHERITED):
                event = clause.event.text if isinstance(clause, tree.On) else ""
                merged[type(clause), event] = clause
    return tuple(merged.values())


def policy(
    scope: Scope,
    own: Sequence[tree.Clause],
    defaults: Sequence[tree.Clause],
    *,
    read_only: bool,
    retry_safe: bool,
    item: Scope,
) -> plan.Policy:
    """The policy of a step. `item` is the scope that sees the loop variable (for `on item_error use`)."""
    values: dict[str, object] = {"parallel": READS_AT_ONCE if read_only else WRITES_AT_ONCE}
    for clause in inherited(defaults, own):
        match clause:
            case tree.Timeout(duration=duration):
                values["timeout_ms"] = duration.value
            case tree.Parallel(count=count):
                values["parallel"] = count
            case tree.Retry() if retry_safe or any(clause is each for each in own):
                values["retry"] = _retry(clause)
            case tree.On(event=event, reaction=reaction) if event.text == "error":
                values["on_error"] = lower_reaction(scope, reaction)
            case tree.On(event=event, reaction=reaction) if event.text == "item_error":
                values["on_item_error"] = lower_reaction(item, reaction)
    return plan.Policy.model_validate(values)


def _retry(clause: tree.Retry) -> plan.Retry:
    values: dict[str, object] = {"count": clause.count}
    for setting in clause.settings:
        value = setting.value
        if isinstance(value, tree.Duration):
            values[f"{setting.name.text}_ms"] = value.value
        elif isinstance(value, tree.ListLiteral):
            values["on"] = tuple(item.plain for item in value.items if isinstance(item, tree.Text))
    return plan.Retry.model_validate(values)


def lower_reaction(scope: Scope, reaction: tree.Skip | tree.Use | tree.Fail) -> plan.Skip | plan.Use | plan.Fail:
    """What is done instead of failing."""
    match reaction:
        case tree.Skip():
            return plan.Skip()
        case tree.Use(value=value):
            return plan.Use(value=lower_expression(scope, value))
        case tree.Fail(message=message):
            return plan.Fail(message=lower_expression(scope, message) if message else None)
