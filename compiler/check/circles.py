"""Names that wait for each other, told once a circle."""

from __future__ import annotations

from collections.abc import Iterator

from compiler.graph import Circle
from compiler.graph.references import references
from compiler.names.chain import ChainNames
from dsl import tree


def circle(names: ChainNames, found: Circle) -> None:
    """E0305 where one of the circle's names is referred to before it is there, with the way around."""
    if _twice(names, found):
        return  # which one is meant is not known, and that was told
    report = names.file.report
    first = min(found.names, key=lambda name: _place(names, name).start)
    at = _place(names, first)
    written = [edge for i, name in enumerate(found.names) for edge in _written(names, found, i, name)]
    if written:
        # A reference to what stands further down is the odd one, else the last that was written.
        ahead = [edge for edge in written if _looks_ahead(names, found, *edge)]
        first, at = min(ahead, key=_start) if ahead else max(written, key=_start)
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
    report("E0305", at, message, helps=hint, also=also)


def _twice(names: ChainNames, found: Circle) -> bool:
    own = [m.name.text for m in names.chain.members if isinstance(m, tree.Input | tree.Let | tree.Step | tree.Section)]
    return any(own.count(name) > 1 for name in found.names)


def _written(names: ChainNames, found: Circle, i: int, name: str) -> Iterator[tuple[str, tree.Node]]:
    """Where the text of `name` says that it needs the next one of the circle."""
    need = found.names[(i + 1) % len(found.names)]
    nodes = _nodes(names, name)
    ref = references(*nodes).get(need)
    if ref is not None:
        yield name, ref
    symbol = names.symbols.get(need)
    section = symbol.section.name.text if symbol is not None and symbol.section is not None else None
    for node in nodes:
        clauses = node.clauses if isinstance(node, tree.Step | tree.Section) else (node,)
        for clause in clauses:
            for after in clause.names if isinstance(clause, tree.After) else ():
                if after.text in (need, section):
                    yield name, after


def _nodes(names: ChainNames, name: str) -> tuple[tree.Node, ...]:
    """What is written about a binding: itself and, for a member of a section, the clauses of the section."""
    if name.startswith("require#"):
        return (_require(names, name),)
    if name.endswith(".when"):
        section = names.symbols[name.removesuffix(".when")].node
        return (
            tuple(c for c in section.clauses if isinstance(c, tree.When)) if isinstance(section, tree.Section) else ()
        )
    symbol = names.symbols[name]
    around = symbol.section.clauses if symbol.section is not None else ()
    return (symbol.node, *(c for c in around if isinstance(c, tree.After | tree.On)))


def _start(edge: tuple[str, tree.Node]) -> int:
    return edge[1].start


def _looks_ahead(names: ChainNames, found: Circle, name: str, at: tree.Node) -> bool:
    need = found.names[(found.names.index(name) + 1) % len(found.names)]
    return _place(names, need).start > at.start


def _require(names: ChainNames, name: str) -> tree.Require:
    requires = [m for m in names.chain.members if isinstance(m, tree.Require)]
    return requires[int(name.partition("#")[2]) - 1]


def _place(names: ChainNames, name: str) -> tree.Node:
    if name.startswith("require#"):
        node = _require(names, name)
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
