"""What a chain says about itself: texts, versions, examples, budgets."""

from __future__ import annotations

import re

from compiler.check.arguments import arguments, report_missing
from compiler.check.scope import Scope
from compiler.check.settings import BUDGET, DEPRECATED, settings
from compiler.types.report import did_you_mean, mended
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
                    name = chain.name.text
                    report_missing(scope, member, arguments(scope, member, given, parameters, name), name)
            case tree.Budget(settings=given):
                settings(report, "budget", given, BUDGET)
            case tree.Deprecated(settings=given):
                settings(report, "deprecated", given, DEPRECATED)
                _deprecated(scope, given)
            case tree.Fails(fault=fault) if fault.text not in FAULTS:
                message = f"There is no fault class `{fault.text}`."
                report("E0506", fault, message, helps=mended(fault.text, FAULTS, "There are"))
            case _:
                pass


def _deprecated(scope: Scope, given: tuple[tree.Setting, ...]) -> None:
    """`since` and `remove_in` are versions, `use` is a chain that clients can see."""
    for setting in given:
        word, text = setting.name.text, setting.value
        if not isinstance(text, tree.Text):
            continue
        if word in ("since", "remove_in"):
            _version(scope, text)
        elif word == "use":
            files = scope.file.files.values()
            known = [n for file in files for n, chain in file.chains.items() if not chain.private]
            if text.plain not in known and all(file.module.file.complete for file in files):
                hint = did_you_mean(text.plain or "", known) or "Name the chain that takes its place."
                scope.report("E0704", text, f'`use: "{text.plain}"` names no chain.', helps=hint)


def _version(scope: Scope, node: tree.Text) -> None:
    text = node.plain
    if text is None or _VERSION.fullmatch(text):
        return  # what is put into a fixed text is reported already
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
