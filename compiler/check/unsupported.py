"""What the language has and a chain cannot use yet: each construct is refused once, at its keyword.

A row goes when the construct is served.
"""

from __future__ import annotations

from compiler.types.report import Report
from dsl import tree

CODE = "E0900"

CONSTRUCTS: dict[type, str] = {
    tree.Run: "run",
    tree.Stdin: "stdin",
}
IMPORTS = ("command", "std")


def refuse(report: Report, file: tree.File) -> None:
    """Report every construct of a file that is not served yet."""
    for item in file.items:
        if not isinstance(item, tree.Import):
            continue
        if item.kind.text in IMPORTS:
            _refuse(report, item.kind, f"`import … from {item.kind.text}`")
        for clause in (clause for tool in item.tools for clause in tool.clauses):
            word = CONSTRUCTS.get(type(clause))
            if word is not None:
                _refuse(report, tree.Node(clause.start, clause.start + len(word)), f"`{word}`")


def _refuse(report: Report, at: tree.Node, what: str) -> None:
    report(
        CODE,
        at,
        f"{what} is not supported yet.",
        helps="It belongs to the language, but this version of chainc cannot run it. Leave it out for now.",
    )
