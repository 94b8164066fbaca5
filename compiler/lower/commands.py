"""What the tools of commands run: the `run` and `stdin` of their declarations as expressions of the plan."""

from __future__ import annotations

from compiler.lower.expressions import lower_expression
from compiler.lower.scope import Scope
from compiler.names.commands import guarded
from compiler.program import Program, ToolSignature
from dsl import tree
from stdlib.plan import plan
from stdlib.plan.expression import Expression


def lower_invocation(program: Program, signature: ToolSignature) -> plan.Invocation | None:
    """None for a tool that is no command."""
    if signature.command is None:
        return None
    names = frozenset(f.name for f in signature.parameters.fields)
    scope = Scope(program, signature.command.module, names, {})
    arguments: list[plan.CommandArgument] = []
    stdin: Expression | None = None
    for clause in signature.command.node.clauses:
        if isinstance(clause, tree.Stdin):
            stdin = lower_expression(scope, clause.value)
        elif isinstance(clause, tree.Run):
            for item, is_guarded in zip(clause.argv.items, guarded(clause.argv, program.type_of), strict=True):
                spread = isinstance(item, tree.Spread)
                value = lower_expression(scope, item.value if isinstance(item, tree.Spread) else item)
                arguments.append(plan.CommandArgument(value=value, spread=spread, guarded=is_guarded))
    return plan.Invocation(arguments=tuple(arguments), stdin=stdin)
