"""`chainc run --dry-run --format json`: what a run does, for machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from compiler.cli.foreseen import Block, Step
from compiler.cli.guess import Guess, Known, Unknown
from stdlib.plan import plan as p

if TYPE_CHECKING:
    from stdlib.runtime.adapt import Accepted
    from stdlib.runtime.loaded import LoadedPlan


def as_json(loaded: LoadedPlan, chain_id: str, block: Block, accepted: Accepted) -> dict[str, Any]:
    """What `dry_run.text` says. A value is { value }, { not_before: [steps] } or { fault }; what does not apply is left
    out. What a step `will` do is said of a run that comes to its loop or chain; `turn` counts within that."""
    return {
        "chain": chain_id,
        "version": loaded.plan.version,
        "arguments_of": accepted.version,
        "inputs": {
            name: {**_guess_json(guess), "given": name in accepted.arguments} for name, guess in block.inputs.items()
        },
        "values": [
            {
                "kind": each.plan.kind,
                "name": each.plan.name,
                "origin": each.plan.origin.model_dump(),
                **_guess_json(each.guess),
            }
            for each in block.values
        ],
        "steps": [_step_json(step, loaded.plan.limits.call_ms) for step in block.steps],
        "budget": _present(loaded.chains[chain_id].plan.budget.model_dump()),
        "first": [
            _present(
                {
                    "step": each.path,
                    "tool": each.tool,
                    "arguments": _guess_json(each.arguments),
                    "parts": None if isinstance(each.arguments, Known) else _parts(each.parts),
                    "key": each.key,
                }
            )
            for each in block.first
        ],
        "result": _guess_json(block.result),
        "fault": None if block.fault is None else block.fault.to_json(),
    }


def _guess_json(guess: Guess) -> dict[str, Any]:
    if isinstance(guess, Known):
        return {"value": guess.value}
    return {"not_before": list(guess.before)} if isinstance(guess, Unknown) else {"fault": guess.fault.to_json()}


def _parts(parts: tuple[tuple[str, Guess], ...]) -> dict[str, Any]:
    return {name: _guess_json(guess) for name, guess in parts}


def _step_json(step: Step, call_ms: int) -> dict[str, Any]:
    plan = step.plan
    policy = plan.policy if isinstance(plan, p.CallStep | p.MapStep) else None
    made: dict[str, Any] = {
        "name": plan.name,
        "kind": plan.kind,
        "turn": step.wave,
        "after": list(step.after),
        "will": step.will,
        "when": None if step.when is None else _guess_json(step.when),
        "tool": None if step.tool is None else step.tool.label.strip("`"),
        "chain": step.chain,
        "effects": None if step.tool is None else step.tool.plan.effects.model_dump(),
        "arguments": _parts(step.arguments) or None,
        "items": None if step.items is None else _guess_json(step.items),
        "question": None if step.text is None else _guess_json(step.text),
        "by": plan.by if isinstance(plan, p.ApproveStep) else None,
        "parallel": plan.policy.parallel if isinstance(plan, p.MapStep) else None,
        "timeout_ms": plan.timeout_ms if isinstance(plan, p.ApproveStep | p.AskStep) else None,
        "steps": None if step.inner is None else [_step_json(each, call_ms) for each in step.inner.steps],
    }
    if policy is not None:
        made["timeout_ms"] = policy.timeout_ms or (None if step.tool is None else call_ms)
        made["retry"] = None if policy.retry is None else policy.retry.model_dump()
        made["on_error"] = policy.on_error.kind
        made["on_item_error"] = policy.on_item_error.kind if isinstance(plan, p.MapStep) else None
    if isinstance(plan, p.CallStep):
        around = {"reconcile": plan.reconcile, "verify": plan.verify, "undo": plan.undo}
        made["key"] = plan.key
        made["has"] = [name for name, call in around.items() if call is not None] or None
    return _present(made)


def _present(made: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in made.items() if value is not None}
