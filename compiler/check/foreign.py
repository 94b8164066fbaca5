"""`a.b(…)` inside an expression: a habit from other languages, or a tool where no tool can be called."""

from __future__ import annotations

from compiler.check.scope import Scope
from compiler.graph.references import references
from compiler.types.report import did_you_mean
from dsl import tree
from stdlib.functions import find, names
from stdlib.values.types import ERROR, Type

_METHODS = {
    "filter": "`[x for x in {base} if …]`",
    "map": "`[… for x in {base}]`",
    "find": "`first([x for x in {base} if …])`",
    "some": "`any([… for x in {base}])`",
    "every": "`all([… for x in {base}])`",
    "includes": "`… in {base}`",
    "contains": "`… in {base}`",
    "has": "`… in {base}`",
    "length": "`count({base})`",
    "size": "`count({base})`",
    "count": "`count({base})`",
    "slice": "`slice({base}, from: …, to: …)`",
    "join": "`join({base}, …)`",
    "split": "`split({base}, …)`",
    "trim": "`trim({base})`",
    "toUpperCase": "`upper({base})`",
    "upper": "`upper({base})`",
    "toLowerCase": "`lower({base})`",
    "lower": "`lower({base})`",
    "sort": '`sort({base}, by: "…")`',
    "reverse": "`reverse({base})`",
    "keys": "`keys({base})`",
    "values": "`values({base})`",
    "items": "`entries({base})`",
    "get": '`{base}["…"]`',
    "toString": '`"${{{base}}}"`',
    "push": "`[...{base}, …]`",
    "append": "`[...{base}, …]`",
    "concat": "`[...{base}, ...…]`",
    "first": "`first({base})`",
    "last": "`last({base})`",
}


def foreign_call(scope: Scope, node: tree.ForeignCall) -> Type:
    """Always a mistake; says what to write."""
    base, name = node.base, node.name.text
    if scope.chain is not None:
        scope.chain.used.update(references(node))
    if isinstance(base, tree.Ref) and base.name in scope.file.names.imports and base.name not in scope.variables:
        if base.name not in scope.file.module.broken:
            scope.report(
                "E0302",
                node,
                "Tools are called by a step, not inside an expression.",
                helps=f"Write `step x = {base.name}.{name}(…)`, then use `x` here."
                if scope.chain is not None
                else "Only a chain has steps: what stands here works with values that are there.",
            )
        return ERROR
    before = len(scope.report.sink)
    scope.infer(base)
    if len(scope.report.sink) > before:
        return ERROR
    form = _METHODS.get(name)
    written = scope.report.text(base)
    entry = find(name)
    if form:
        hint = f"Write {form.format(base=written)}."
    elif entry is not None:
        more = sum(p.required for p in entry.signature.parameters) > 1
        hint = f"Write `{name}({written}{', …' if more else ''})`."
    else:
        hint = did_you_mean(name, names()) or f"A function takes the value in its brackets, such as `count({written})`."
    scope.report("E0302", node, f"Values have no methods, so there is no `.{name}(…)`.", helps=hint)
    return ERROR
