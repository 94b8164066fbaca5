"""Effects as words: reading them, and what a tool has."""

from __future__ import annotations

from compiler.project import Annotations
from compiler.types.report import Report, did_you_mean
from dsl import tree

EFFECTS = ("read_only", "idempotent", "destructive", "open_world")


def written_effects(report: Report, clause: tree.NamesClause) -> frozenset[str]:
    """The effects a clause names; words that are none, and words that exclude one another, are reported."""
    found: set[str] = set()
    for name in clause.names:
        if name.text not in EFFECTS:
            known = did_you_mean(name.text, EFFECTS)
            hint = known or "The effects are read_only, idempotent, destructive and open_world."
            report("E0601", name, f"`{name.text}` is not an effect.", helps=hint)
            continue
        found.add(name.text)
        if name.text in ("read_only", "destructive") and {"read_only", "destructive"} <= found:
            report(
                "E0602",
                name,
                "`read_only` and `destructive` exclude each other.",
                helps="What only reads cannot destroy anything. Keep the one that is true.",
            )
    return frozenset(found)


def claimed_annotations(names: frozenset[str]) -> Annotations:
    """What an import block says about a tool: exactly the words that stand there."""
    return Annotations(
        read_only="read_only" in names,
        idempotent="idempotent" in names or "read_only" in names,
        destructive="destructive" in names,
        open_world="open_world" in names,
    )
