"""What a chain says about itself: texts, versions, examples, budgets."""

from __future__ import annotations

import re

from compiler.check.arguments import arguments
from compiler.check.scope import Scope
from compiler.check.settings import BUDGET, DEPRECATED, settings
from compiler.types.report import mended
from dsl import tree
from dsl.diagnostics import Fix
from stdlib.values.faults import FAULTS
from stdlib.values.types import Record

_VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?")
_SHORT_VERSION = re.compile(r"(0|[1-9]\d*)(\.(0|[1-9]\d*))?")


def header(scope: Scope, chain: tree.Chain, parameters: Record) -> None:
    """Check the clauses that describe a chain."""
    report = scope.report
    for member in chain.members:
        match member:
            case tree.TextClause(keyword="version", text=text):
                _version(scope, text)
            case tree.Example(arguments=given):
                for argument in given:
                    if argument.spread or not _is_constant(argument.value):
                        message = "An example names its arguments, with plain values."
                        report("E0506", argument, message, helps='For example `(repo: "acme/app", limit: 5)`.')
                        break
                else:
                    arguments(scope, member, given, parameters, chain.name.text)
            case tree.Budget(settings=given):
                settings(report, "budget", given, BUDGET)
            case tree.Deprecated(settings=given):
                settings(report, "deprecated", given, DEPRECATED)
            case tree.Fails(fault=fault) if fault.text not in FAULTS:
                message = f"There is no fault class `{fault.text}`."
                report("E0506", fault, message, helps=mended(fault.text, FAULTS, "There are"))
            case _:
                pass


def _version(scope: Scope, node: tree.Text) -> None:
    text = node.plain or ""
    if _VERSION.fullmatch(text):
        return
    hint = 'For example `version "1.0.0"`.'
    fixes: tuple[Fix, ...] = ()
    if _SHORT_VERSION.fullmatch(text):
        full = text + ".0" * (2 - text.count("."))
        hint = f'Write `"{full}"`.'
        fixes = (scope.report.replace(node, f'"{full}"'),)
    scope.report("E0701", node, f"`{text}` is not a version: it has three numbers.", helps=hint, fixes=fixes)


def _is_constant(node: tree.Expr) -> bool:
    match node:
        case tree.Text():
            return node.plain is not None
        case tree.Integer() | tree.Number() | tree.Duration() | tree.Size() | tree.Constant():
            return True
        case tree.Unary(op="-", operand=operand):
            return isinstance(operand, tree.Integer | tree.Number)
        case tree.ListLiteral(items=items):
            return all(not isinstance(item, tree.Spread) and _is_constant(item) for item in items)
        case tree.RecordLiteral(fields=fields):
            return all(isinstance(f, tree.Field) and _is_constant(f.value) for f in fields)
        case _:
            return False
