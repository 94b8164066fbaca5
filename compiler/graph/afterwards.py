"""What the clauses that run after a step may refer to besides it: lets that need nothing more than the step does."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from dsl import tree

AFTERWARDS = (tree.Undo, tree.Receipt, tree.Reconcile, tree.Verify)


def wait_for_lets(needs: dict[str, list[str]], later: Mapping[str, Sequence[str]], steps: Collection[str]) -> None:
    """Let each step wait for the lets of `later`, where all steps behind them are done by then anyway."""
    for step, names in later.items():
        done = settled(needs, step)
        for name in names:
            if name in needs and name not in steps:
                behind = settled(needs, name)
                if step not in behind and all(other in done for other in behind if other in steps):
                    needs[step].append(name)


def settled(needs: Mapping[str, Sequence[str]], name: str) -> set[str]:
    """The binding, and everything that it waits for."""
    found: set[str] = set()
    stack = [name]
    while stack:
        at = stack.pop()
        if at not in found:
            found.add(at)
            stack += needs.get(at, ())
    return found
