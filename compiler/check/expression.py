"""The type of an expression: one rule a construct, from this table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from compiler.check import foreign, functions, literals, loops, members, names, operators, texts
from compiler.check.scope import Scope
from dsl import tree
from stdlib.values.types import ERROR, Type

Rule = Callable[[Scope, Any], Type]

RULES: dict[type, Rule] = {
    tree.Text: texts.text,
    tree.Integer: texts.integer,
    tree.Number: texts.number,
    tree.Duration: texts.duration,
    tree.Size: texts.size,
    tree.Constant: texts.constant,
    tree.Ref: names.ref,
    tree.Member: members.member,
    tree.Index: members.index,
    tree.Present: members.assert_present,
    tree.Unary: operators.unary,
    tree.Binary: operators.binary,
    tree.Cast: operators.cast,
    tree.If: operators.if_,
    tree.Function: functions.function,
    tree.ForeignCall: foreign.foreign_call,
    tree.ListLiteral: literals.list_literal,
    tree.RecordLiteral: literals.record_literal,
    tree.ListComprehension: loops.list_comprehension,
    tree.MapComprehension: loops.map_comprehension,
    tree.BadExpr: lambda scope, node: ERROR,
}


def infer(scope: Scope, node: tree.Expr) -> Type:
    """The type of `node` where it stands, kept by `id(node)`; a node that is asked for again answers at once."""
    types = scope.file.types
    known = types.get(id(node))
    if known is None:
        known = types[id(node)] = RULES[type(node)](scope, node)
    return known
