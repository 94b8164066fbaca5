"""`chainc run --dry-run` for people: what a run with these arguments does, as far as it is known without a call."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from compiler.cli.foreseen import Block, First, Step, Value
from compiler.cli.guess import RUN, Fails, Guess, Known, Unknown
from stdlib.plan import plan as p

if TYPE_CHECKING:
    from pathlib import Path

    from stdlib.plan.model import Origin
    from stdlib.runtime.adapt import Accepted
    from stdlib.runtime.loaded import LoadedPlan

_MOST: Final = 120
"""Characters of a value; those of the first calls are shown whole."""
_MOST_FIRST: Final = 20


def text(loaded: LoadedPlan, chain_id: str, block: Block, accepted: Accepted, root: Path | None) -> str:
    """`root`: where the workflow's files are, to show requirements as they are written."""
    chain = loaded.chains[chain_id].plan
    lines = [f"{chain_id}: a dry run, nothing is called."]
    if accepted.version is not None:
        lines.append(f"The arguments are those of version {accepted.version}.")
    if block.inputs:
        given = accepted.arguments
        rows = [
            (name, _guess(guess) + ("" if name in given else "  (not given)")) for name, guess in block.inputs.items()
        ]
        lines += ["", "Inputs", *_columns(rows)]
    later = [each for each in block.values if isinstance(each.guess, Unknown) and _steps_before(each.guess)]
    first = [each for each in block.values if each not in later]
    for title, values in (("Before any call", first), ("Between the calls", later)):
        if values:
            lines += ["", title, *_columns([_value(each, root) for each in values])]
    if block.steps:
        lines += ["", "Steps, each with the number of its turn: those of one turn may run at once"]
        lines += _steps(block, loaded.plan.limits.call_ms, "  ")
        lines += _budget(chain.budget)
    lines += ["", "First calls", *_first(block)] if block.steps else []
    lines += ["", "Result", f"  {_guess(block.result)}"] if block.fault is None else []
    return "".join(f"{line}\n" for line in lines)


def _guess(guess: Guess, most: int = _MOST) -> str:
    if isinstance(guess, Known):
        written = json.dumps(guess.value, ensure_ascii=False)
        return written if len(written) <= most else f"{written[:most]}… ({len(written)} characters)"
    if isinstance(guess, Fails):
        return f"fails: {guess.fault.fault_class}: {guess.fault.message}"
    return f"not known before {_before(guess)}"


def _steps_before(guess: Unknown) -> list[str]:
    return [name for name in guess.before if name != RUN and not name.startswith("@") and not name.endswith("[]")]


def _before(guess: Unknown) -> str:
    """What must happen first: `a` and `b` have ended, the run begins …"""
    steps = _steps_before(guess)
    said = []
    if steps:
        said.append(f"{_and([f'`{name}`' for name in steps])} {'has' if len(steps) == 1 else 'have'} ended")
    said += [f"an item of `{name[:-2]}` is taken" for name in guess.before if name.endswith("[]")]
    said += [f"the handle in `{name[1:]}` is read" for name in guess.before if name.startswith("@")]
    said += ["the run begins"] if RUN in guess.before else []
    return _and(said) if said else "the run has come there"


def _and(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _value(value: Value, root: Path | None) -> tuple[str, str]:
    if isinstance(value.plan, p.Let):
        name = value.plan.name
        label = f"let {name}" if "." not in name else f"guard of {name.rpartition('.')[0]}"
        return label, _guess(value.guess)
    written = _written(value.plan.origin, root)
    said = "holds" if isinstance(value.guess, Known) else _guess(value.guess)
    return written if len(written) <= _MOST else f"{written[:_MOST]}…", said


def _written(origin: Origin, root: Path | None) -> str:
    """The line of the workflow on which something begins."""
    from compiler.loader.files import Folder

    found = None if root is None else Folder(root).text(origin.file)
    lines = found.split("\n") if isinstance(found, str) else []
    return lines[origin.line - 1].strip() if origin.line <= len(lines) else "require"


def _columns(rows: list[tuple[str, str]], indent: str = "  ") -> Iterator[str]:
    """Two columns; what is long on the left has its right side on the next line."""
    width = max((len(left) for left, _ in rows if len(left) <= 32), default=0)
    for left, right in rows:
        if len(left) <= 32:
            yield f"{indent}{left:<{width}}  {right}".rstrip()
        else:
            yield from (f"{indent}{left}", f"{indent}    {right}")


def _steps(block: Block, call_ms: int, indent: str) -> Iterator[str]:
    width = max((len(step.plan.name) for step in block.steps), default=0)
    for step in block.steps:
        yield f"{indent}{step.wave}  {step.plan.name:<{width}}  {_what(step)}"
        yield from (f"{indent}     {line}" for line in _circumstances(step))
        if step.will in ("is skipped", "is not reached"):
            continue
        yield from (f"{indent}     {line}" for line in _policy(step, call_ms))
        yield from _columns([(name, _guess(guess)) for name, guess in step.arguments], f"{indent}       ")
        if step.inner is not None:
            yield from _steps(step.inner, call_ms, f"{indent}     ")


def _what(step: Step) -> str:
    plan = step.plan
    if isinstance(plan, p.CallStep):
        return f"chain {step.chain}" if step.tool is None else f"{step.tool.label.strip('`')}, {_effects(step)}"
    if isinstance(plan, p.MapStep):
        count = "each item"
        if isinstance(step.items, Known) and isinstance(step.items.value, list):
            number = len(step.items.value)
            count = "1 item" if number == 1 else f"each of {number} items"
        elif isinstance(step.items, Fails):
            count = f"each item, {_guess(step.items)}"
        return f"for {count}, at most {plan.policy.parallel} at once:"
    asked = ""
    if isinstance(step.text, Unknown):
        asked = f"; the question is {_guess(step.text)}"
    elif step.text is not None:
        asked = f": {_guess(step.text)}"
    if isinstance(plan, p.ApproveStep):
        return f"needs the approval of {plan.by or 'the user'}{asked}"
    return f"asks the user{asked}"


def _effects(step: Step) -> str:
    assert step.tool is not None
    effects = step.tool.plan.effects
    if effects.read_only:
        return "only reads"
    kinds = (["destructive"] if effects.destructive else []) + (["may be repeated"] if effects.idempotent else [])
    return "changes something" + (f" ({', '.join(kinds)})" if kinds else "")


def _circumstances(step: Step) -> Iterator[str]:
    if step.after:
        yield f"after {_and(list(step.after))}"
    if step.will == "is not reached":
        yield "is not reached"
    elif step.will == "is skipped":
        yield "is skipped: its condition does not hold"
    elif isinstance(step.when, Unknown):
        yield f"only if its condition holds, which is not known before {_before(step.when)}"
    elif isinstance(step.when, Fails):
        yield f"its condition {_guess(step.when)}"
    if isinstance(step.items, Unknown):
        yield f"how many items is not known before {_before(step.items)}"


def _policy(step: Step, call_ms: int) -> Iterator[str]:
    plan = step.plan
    if isinstance(plan, p.ApproveStep | p.AskStep):
        if plan.timeout_ms is not None:
            yield f"waits at most {_time(plan.timeout_ms)}"
        refusal = plan.on_reject if isinstance(plan, p.ApproveStep) else plan.on_decline
        yield from _reaction("a no", refusal)
        yield from _reaction("no answer", plan.on_expiry)
        return
    policy, told = plan.policy, []
    if isinstance(plan, p.CallStep) and step.tool is not None:
        told.append(f"at most {_time(policy.timeout_ms or call_ms)} a call")
    elif policy.timeout_ms is not None:
        told.append(f"at most {_time(policy.timeout_ms)}")
    if policy.retry is not None:
        retry, faults = policy.retry, ", ".join(policy.retry.on) or "a fault that may pass"
        times = "once" if retry.count == 1 else f"{retry.count} times"
        told.append(f"again up to {times} after {faults}, first after {_time(retry.wait_ms)}")
    if told:
        yield "; ".join(told)
    if isinstance(plan, p.CallStep):
        around = [
            f"with a key in `{plan.key}`" if plan.key is not None else "",
            "reconciled where its outcome is unknown" if plan.reconcile is not None else "",
            "verified" if plan.verify is not None else "",
            "taken back if the run fails later" if plan.undo is not None else "",
        ]
        if any(around):
            yield "; ".join(filter(None, around))
    else:
        yield from _reaction("an item that fails", policy.on_item_error)
    yield from _reaction("a fault", policy.on_error)


def _reaction(after: str, reaction: p.Reaction) -> Iterator[str]:
    if isinstance(reaction, p.Skip):
        yield f"after {after} the run goes on without it"
    elif isinstance(reaction, p.Use):
        yield f"after {after} the run goes on with another value"


def _budget(budget: p.Budget) -> list[str]:
    limits = [
        "" if budget.calls is None else f"{budget.calls} calls",
        "" if budget.bytes is None else f"{budget.bytes} bytes of results",
        "" if budget.time_ms is None else _time(budget.time_ms),
        "" if budget.cost is None else f"a cost of {budget.cost:g}",
        "" if budget.parallel is None else f"{budget.parallel} calls at once",
    ]
    known = [each for each in limits if each]
    return [f"  Budget: at most {_and(known)}."] if known else []


def _first(block: Block) -> Iterator[str]:
    if block.fault is not None:
        some = "  The run fails before anything has answered. By then it may have begun:"
        yield some if block.first else "  None: the run fails before."
    elif not block.first:
        yield "  None: there is nothing to call."
    for each in block.first[:_MOST_FIRST]:
        yield f"  {each.path}: {each.tool} {_sent(each)}"
    if len(block.first) > _MOST_FIRST:
        yield f"  … and {len(block.first) - _MOST_FIRST} more"


def _sent(first: First) -> str:
    key = "" if first.key is None else f" and a key in `{first.key}`"
    if isinstance(first.arguments, Known):
        return json.dumps(first.arguments.value, ensure_ascii=False) + key
    if not first.parts:
        return f"({_guess(first.arguments)})"
    return "(" + "; ".join(f"{name}: {_guess(guess)}" for name, guess in first.parts) + ")" + key


def _time(ms: int) -> str:
    for unit, size in (("h", 3_600_000), ("min", 60_000)):
        if ms >= size and ms % size == 0:
            return f"{ms // size} {unit}"
    return f"{ms / 1000:g} s"
