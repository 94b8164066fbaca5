"""What the language has and a chain cannot use yet: each construct is refused once, at its keyword.

A row goes when the construct is served.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from compiler.types.report import Report
from dsl import tree

CODE = "E0900"

CONSTRUCTS: dict[type, str] = {
    tree.ApproveAction: "approve",
    tree.AskAction: "ask",
    tree.Undo: "undo",
    tree.Key: "key",
    tree.Receipt: "receipt",
    tree.Reconcile: "reconcile",
    tree.Verify: "verify",
    tree.Adapter: "adapter",
    tree.Deprecated: "deprecated",
    tree.Test: "test",
    tree.Run: "run",
    tree.Stdin: "stdin",
    tree.Cost: "cost",
}
IMPORTS = ("openapi", "python", "command", "std")


def refuse(report: Report, file: tree.File) -> None:
    """Report every construct of a file that is not served yet."""
    for node in _nodes(file.items):
        word = CONSTRUCTS.get(type(node))
        if isinstance(node, tree.Import):
            if node.kind.text in IMPORTS:
                _refuse(report, node.kind, f"`import … from {node.kind.text}`")
        elif word is not None:
            _refuse(report, tree.Node(node.start, node.start + len(word)), f"`{word}`")


def _refuse(report: Report, at: tree.Node, what: str) -> None:
    report(
        CODE,
        at,
        f"{what} is not supported yet.",
        helps="It belongs to the language, but this version of chainc cannot run it. Leave it out for now.",
    )


def _nodes(nodes: Iterable[tree.Node]) -> Iterator[tree.Node]:
    """The nodes that can stand for such a construct: declarations, actions, clauses."""
    for node in nodes:
        yield node
        match node:
            case tree.Import(tools=tools):
                for tool in tools:
                    yield from tool.clauses
            case tree.Chain(members=members):
                yield from _nodes(members)
            case tree.Section(clauses=clauses, members=members):
                yield from clauses
                yield from _nodes(members)
            case tree.Defaults(clauses=clauses):
                yield from clauses
            case tree.Step(action=action, clauses=clauses):
                yield from _nodes((action,))
                yield from clauses
            case tree.EachBlock(members=members):
                yield from _nodes(members)
            case _:
                pass
