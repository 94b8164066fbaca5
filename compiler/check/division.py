"""Divisions that fail whatever comes: the divisor is written there, and it is 0."""

from __future__ import annotations

from compiler.check.fit import constant
from compiler.check.scope import Scope
from dsl import tree


def check_divisor(scope: Scope, divisor: tree.Expr) -> bool:
    """E0417 at a divisor that is 0; True where it is none."""
    found = constant(divisor)
    if found is None or isinstance(found.value, bool) or found.value != 0:
        return True
    scope.report(
        "E0417",
        divisor,
        "Nothing can be divided by 0: this always fails.",
        helps="Divide by another number.",
    )
    return False
