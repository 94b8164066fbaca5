"""More values by position than a function takes: the names that they stand for, or the function that takes them."""

from __future__ import annotations

from collections.abc import Sequence

from compiler.check.scope import Scope
from compiler.check.unify import has_variable
from dsl import tree
from dsl.diagnostics import Edit, Fix
from dsl.source import Span
from stdlib.functions.entry import Entry
from stdlib.functions.signature import Parameter
from stdlib.values.subtype import fits
from stdlib.values.types import LiteralType, Type, members

_TAKES_TWO = {"min": "least", "max": "greatest", "round": "round_to"}
"""Functions of one value, and what takes two instead."""


def surplus(scope: Scope, node: tree.Function, entry: Entry, extra: Sequence[tree.Argument]) -> None:
    """Report, once for a call, that `extra` stand by position where names are needed."""
    most = sum(p.positional for p in entry.signature.parameters)
    times = {0: "no value", 1: "one value"}.get(most, f"{most} values")
    written, fixes = _instead(scope, node, entry, extra)
    scope.report(
        "E0501",
        extra[0],
        f"`{entry.name}` takes {times} by position.",
        helps=f"Write `{written}`." if written else f"Its form is `{entry.text}`.",
        fixes=fixes,
    )


def _instead(
    scope: Scope, node: tree.Function, entry: Entry, extra: Sequence[tree.Argument]
) -> tuple[str, Sequence[Fix]]:
    """What to write, and the fix where it is certain."""
    values = [scope.report.text(each) for each in node.arguments]
    plain = all(each.name is None and not each.spread for each in node.arguments)
    if entry.name in _TAKES_TWO and plain and len(values) == 2:
        other = _TAKES_TWO[entry.name]
        written = f"{other}({', '.join(values)})"
        return written, (scope.report.replace(node.name, other, f"Write `{written}`"),)
    if entry.name == "range" and plain and len(values) in (2, 3):
        step = f", step: {values[2]}" if len(values) == 3 else ""
        written = f"range({values[1]}, from: {values[0]}{step})"
        return written, (scope.report.replace(node, written),) if "…" not in written else ()
    names = _named(scope, node, entry, extra)
    if names is None:
        return "", ()
    by_place = {each.start: name.name for each, name in names}
    words = [
        f"{by_place[each.start]}: {value}" if each.start in by_place else value
        for each, value in zip(node.arguments, values, strict=True)
    ]
    written = f"{entry.name}({', '.join(words)})"
    edits = [Edit(Span(scope.report.file.source, at, at), f"{name}: ") for at, name in by_place.items()]
    return written, (Fix(f"Write `{written}`", tuple(edits)),)


def _named(
    scope: Scope, node: tree.Function, entry: Entry, extra: Sequence[tree.Argument]
) -> list[tuple[tree.Argument, Parameter]] | None:
    """The parameter that each value is meant for: one of whose choices it is, else the next; None where one does not
    fit."""
    given = {each.name.text for each in node.arguments if each.name is not None}
    free = [p for p in entry.signature.parameters if not p.positional and p.name not in given]
    found: list[tuple[tree.Argument, Parameter]] = []
    for argument in extra:
        choice = (p for p in free if _is_choice(scope.infer(argument.value), p))
        parameter = next(choice, free[0] if free else None)
        if parameter is None or not _can_be(argument.value, scope.infer(argument.value), parameter):
            return None
        free.remove(parameter)
        found.append((argument, parameter))
    return found


def _is_choice(found: Type, parameter: Parameter) -> bool:
    return isinstance(found, LiteralType) and any(m == found for m in members(parameter.type))


def _can_be(value: tree.Expr, found: Type, parameter: Parameter) -> bool:
    if parameter.field_of is not None:
        return isinstance(value, tree.Text)
    return not has_variable(parameter.type) and fits(found, parameter.type) is None
