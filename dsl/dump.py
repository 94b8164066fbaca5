"""A tree as text, for tests and for people who want to see what was read."""

from __future__ import annotations

from dsl.tree import Comment, File, Name, Node
from dsl.tree.walk import field_names


def dump(file: File) -> str:
    """One line for each node, indented by depth: `field: Node start-end plain fields`.

    Places are offsets. Names and other nodes that hold no nodes take one line. Comments come last.
    """
    lines = [f"File {'complete' if file.complete else 'incomplete'}"]
    # Deep trees are cut off before they get here; an explicit stack keeps the order and needs no recursion.
    waiting: list[tuple[int, str, Node | str | Comment]] = [(1, "", comment) for comment in reversed(file.comments)]
    waiting += [(1, "", item) for item in reversed(file.items)]
    while waiting:
        depth, label, node = waiting.pop()
        head = f"{'  ' * depth}{label}: " if label else "  " * depth
        if isinstance(node, str):
            lines.append(head + _quoted(node))
            continue
        plain, below = _parts(node)
        lines.append(f"{head}{type(node).__name__} {node.start}-{node.end}{plain}")
        waiting += [(depth + 1, name, child) for name, child in reversed(below)]
    return "\n".join(lines) + "\n"


def _parts(node: Node) -> tuple[str, list[tuple[str, Node | str]]]:
    """What a node says itself, and what lies below it with the names of its fields."""
    if isinstance(node, Name):
        return f" {_quoted(node.text) if node.quoted else node.text}", []
    plain = ""
    below: list[tuple[str, Node | str]] = []
    for name in field_names(type(node)):
        value = getattr(node, name)
        if isinstance(value, Node):
            below.append((name, value))
        elif isinstance(value, tuple):
            below += [(name, item) for item in value]
        elif isinstance(value, bool) and name != "value":
            plain += f" {name}" if value else ""
        elif isinstance(value, str):
            plain += f" {name}={_quoted(value)}"
        elif value is not None or name == "value":
            plain += f" {name}={value}"
    return plain, below


def _quoted(text: str) -> str:
    return ascii(text) if not text.isascii() else repr(text)
