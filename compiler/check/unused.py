"""Steps that nothing refers to: a read for nothing."""

from __future__ import annotations

from compiler.check.steps import Steps
from compiler.graph.references import calls
from compiler.types.report import Report


def unused(report: Report, steps: Steps) -> None:
    """Only reads are told: a write may be wanted for its effect alone."""
    names = steps.values.names
    for name, symbol in names.symbols.items():
        node = symbol.node
        if symbol.kind != "step" or name in steps.values.used:
            continue
        targets = [steps.target(call) for call in calls((node,))]
        if targets and all(target is not None and target.effects.read_only for target in targets):
            report(
                "W0310",
                symbol.name,
                f"`{name}` is never used.",
                helps=f"Remove the step, or write `after {name}` where waiting for it matters.",
            )
