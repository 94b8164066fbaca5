"""Settings in round brackets, `retry 3 (wait: 1s)`: which there are and what they hold."""

from __future__ import annotations

from collections.abc import Mapping

from compiler.types.report import Report, mended
from dsl import tree
from stdlib.values.faults import FAULTS, RETRYABLE

RETRY = {"wait": "a time", "max_wait": "a time", "on": "a list of fault classes", "safe": "true or false"}
BUDGET = {
    "calls": "an integer",
    "bytes": "a size",
    "time": "a time",
    "tokens": "an integer",
    "cost": "a number",
    "parallel": "an integer",
}
COST = {"call": "a number"}
DEPRECATED = {"since": "a text", "remove_in": "a text", "use": "a text"}

LONGEST_WAIT = 36_500 * 86_400_000
"""A hundred years in milliseconds: so long may anything wait or be kept."""

_FOREIGN = {
    ("retry", "delay"): "wait: 1s",
    ("retry", "interval"): "wait: 1s",
    ("retry", "max_delay"): "max_wait: 20s",
    ("retry", "idempotent"): "safe: true",
    ("budget", "timeout"): "time: 2m",
    ("budget", "concurrency"): "parallel: 8",
}
"""(clause, setting of other languages) → ours."""

_ABOVE_ZERO = {"budget": ("calls", "bytes", "time", "parallel")}

_FORMS: dict[str, tuple[type, ...]] = {
    "a time": (tree.Duration,),
    "an integer": (tree.Integer,),
    "a size": (tree.Size, tree.Integer),
    "a number": (tree.Integer, tree.Number),
    "true or false": (tree.Constant,),
    "a text": (tree.Text,),
    "a list of fault classes": (tree.ListLiteral,),
}
_EXAMPLES = {
    "a time": "`30s`",
    "an integer": "`10`",
    "a size": "`5MB`",
    "a number": "`0.5`",
    "true or false": "`true`",
    "a text": '`"1.0.0"`',
    "a list of fault classes": '`["timeout", "unavailable"]`',
}


def settings(report: Report, clause: str, given: tuple[tree.Setting, ...], known: Mapping[str, str]) -> None:
    """Check the names and the forms of the settings of a clause."""
    for setting in given:
        name = setting.name.text
        if name not in known:
            ours = _FOREIGN.get((clause, name))
            hint = f"Write `{ours}`." if ours else mended(name, known, "It has")
            report("E0506", setting.name, f"`{clause}` has no setting `{name}`.", helps=hint)
            continue
        form = known[name]
        value = setting.value
        fits = isinstance(value, _FORMS[form]) and not (isinstance(value, tree.Constant) and value.value is None)
        if not fits and not isinstance(value, tree.BadExpr):
            message = f"The setting `{name}` of `{clause}` is {form}."
            report("E0506", value, message, helps=f"For example {_EXAMPLES[form]}, without calculation.")
        elif isinstance(value, tree.ListLiteral):
            _classes(report, value)
        elif name in _ABOVE_ZERO.get(clause, ()) and getattr(value, "value", 1) == 0:
            report("E0506", value, f"With `{name}: {report.text(value)}` no run of this chain can do anything.")
        elif isinstance(value, tree.Duration):
            check_wait(report, f"The setting `{name}` of `{clause}`", value, zero=True)


def check_wait(report: Report, what: str, node: tree.Duration, *, zero: bool = False) -> None:
    """A time that something waits or is kept: not nothing (unless `zero`), and not for ever."""
    if node.value == 0 and not zero:
        report("E0506", node, f"{what} must be more than nothing.", helps="For example `30s`.")
    elif node.value > LONGEST_WAIT:
        report("E0506", node, f"{what} may be at most a hundred years, `36500d`.")


def _classes(report: Report, node: tree.ListLiteral) -> None:
    for item in node.items:
        name = item.plain if isinstance(item, tree.Text) else None
        if name is None:
            report("E0506", item, "`on` lists classes of faults as plain texts.", helps='For example `["timeout"]`.')
        elif name not in FAULTS:
            message = f"There is no fault class `{name}`."
            report("E0506", item, message, helps=mended(name, FAULTS, "There are"))
        elif name not in RETRYABLE:
            hint = f"Retrying helps against {', '.join(f'`{n}`' for n in RETRYABLE)}."
            report("E0506", item, f"A retry never helps against `{name}`.", helps=hint)
