"""The `let`s at the top of files: those that one needs are read before it, however many stand in a row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, get_args

from compiler.check.scope import Scope, Surroundings
from compiler.check.steps import let_type
from compiler.types.extent import MOST_PLACES
from dsl import tree
from dsl.reduce import MOST_LEVELS
from dsl.tree.walk import children
from stdlib.values.types import ERROR, Type

_EXPRESSIONS: Final = frozenset(get_args(tree.Expr))


@dataclass(frozen=True, slots=True)
class _Extent:
    """How deep a value is and how many parts it has, with all that it names put in: so it stands in the plan."""

    depth: int
    places: int


@dataclass(frozen=True, slots=True)
class _Open:
    """A `let` that is being read. `needs`: those that its value names, as often as it does, with how deep; `own`
    is the extent of its value alone."""

    path: str
    let: tree.Let
    needs: tuple[tuple[str, tree.Let, int], ...]
    own: _Extent
    waiting: Iterator[tuple[str, tree.Let, int]]


class FileLets:
    """Their types. `files` may still grow."""

    def __init__(self, files: Mapping[str, Surroundings]) -> None:
        self._files = files
        self._types: dict[int, Type] = {}
        self._extents: dict[int, _Extent | None] = {}  # None: it is too large, or what it needs is
        self._open: list[_Open] = []
        self._opened: set[int] = set()

    def type_of(self, path: str, let: tree.Let) -> Type:
        """The type of a `let` of the file `path`; it may use other ones, but not itself."""
        if id(let) in self._types:
            return self._types[id(let)]
        below = len(self._open)
        self._begin(path, let)
        while len(self._open) > below:
            need = next(self._open[-1].waiting, None)
            if need is None:
                self._end()
            elif id(need[1]) not in self._types:
                self._begin(*need[:2])
        return self._types[id(let)]

    def _begin(self, path: str, let: tree.Let) -> None:
        if id(let) in self._opened:
            start = next(at for at, each in enumerate(self._open) if each.let is let)
            way = " → ".join([*(each.let.name.text for each in self._open[start:]), let.name.text])
            message = f"`{let.name.text}` depends on itself: {way}."
            self._files[path].report("E0305", let.name, message, helps="A `let` can only use what stands without it.")
            self._types[id(let)], self._extents[id(let)] = ERROR, None
            return
        needs, own = self._named(path, let)
        self._open.append(_Open(path, let, needs, own, iter(needs)))
        self._opened.add(id(let))

    def _end(self) -> None:
        done = self._open[-1]
        file, let = self._files[done.path], done.let
        extent = self._extents.setdefault(id(let), self._whole(done))
        found = let_type(Scope(file), let)
        self._open.pop()
        self._opened.discard(id(let))
        if extent is not None and (why := _too_large(extent)):
            message = f"The `let` called `{let.name.text}` {why}, with all that it names put in."
            file.report("E0118", let.name, message, helps="Name less in it, or put the value into a chain's own `let`.")
            self._extents[id(let)] = None
            found = ERROR
        self._types.setdefault(id(let), found)

    def _named(self, path: str, let: tree.Let) -> tuple[tuple[tuple[str, tree.Let, int], ...], _Extent]:
        file, found = self._files[path], list[tuple[str, tree.Let, int]]()
        deepest, places = 0, 0
        waiting: list[tuple[tree.Node, int]] = [(let.value, 1)]
        while waiting:
            node, depth = waiting.pop()
            deepest, places = max(deepest, depth), places + 1
            other = self._meant(file, node)
            if other is not None:
                found.append((*other, depth))
                continue
            waiting.extend((each, depth + (type(each) in _EXPRESSIONS)) for each in children(node))
        return tuple(found), _Extent(deepest, places)

    def _meant(self, file: Surroundings, node: tree.Node) -> tuple[str, tree.Let] | None:
        """The `let` at the top of a file that a name, or a name of an imported file, stands for."""
        if isinstance(node, tree.Ref):
            own = file.names.lets.get(node.name)
            return None if own is None else (file.module.path, own)
        if isinstance(node, tree.Member) and isinstance(node.base, tree.Ref):
            path = file.module.chain_imports.get(node.base.name)
            names = None if path is None else file.files.get(path)
            let = None if names is None else names.lets.get(node.name.text)
            return None if path is None or let is None else (path, let)
        return None

    def _whole(self, done: _Open) -> _Extent | None:
        depth, places = done.own.depth, done.own.places
        for _, let, at in done.needs:
            extent = self._extents.get(id(let))
            if extent is None:
                return None
            depth, places = max(depth, at + extent.depth - 1), places + extent.places - 1
        return _Extent(depth, places)


def _too_large(extent: _Extent) -> str:
    if extent.depth > MOST_LEVELS:
        return f"is nested more than {MOST_LEVELS} levels deep"
    return f"has more than {MOST_PLACES:,} parts" if extent.places > MOST_PLACES else ""
