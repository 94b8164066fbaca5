"""Names that wait for each other, told once a circle."""

from __future__ import annotations

from compiler.graph import Circle
from compiler.names.chain import ChainNames
from dsl import tree


def circle(names: ChainNames, found: Circle) -> None:
    """E0305 at the first of the circle's names, with the way around."""
    report = names.file.report
    first = min(found.names, key=lambda name: _place(names, name).start)
    turn = found.names.index(first)
    around = [*found.names[turn:], *found.names[:turn], first]
    way = " → ".join(_word(name) for name in around)
    hint = "A step starts when everything it refers to is there, so references must not lead back."
    if any(name.startswith("require#") for name in found.names):
        hint = "A `require` that refers to steps holds back the writes below it: move it below the steps it needs."
    elif len(found.names) == 1:
        hint = "It can only refer to what is there before it."
    also = tuple(report.place(_place(names, name), "is part of the circle") for name in around[1:-1])
    message = f"{_subject(first)} depends on itself: {way}."
    report("E0305", _place(names, first), message, helps=hint, also=also)


def _place(names: ChainNames, name: str) -> tree.Node:
    if name.startswith("require#"):
        requires = [m for m in names.chain.members if isinstance(m, tree.Require)]
        node = requires[int(name.partition("#")[2]) - 1]
        return tree.Node(node.start, node.start + len("require"))
    section = names.symbols.get(name.removesuffix(".when")) if name.endswith(".when") else None
    symbol = section or names.symbols[name]
    return symbol.name


def _word(name: str) -> str:
    return "require" if name.startswith("require#") else name


def _subject(name: str) -> str:
    if name.startswith("require#"):
        return "This `require`"
    return f"The guard of `{name.removesuffix('.when')}`" if name.endswith(".when") else f"`{name}`"
