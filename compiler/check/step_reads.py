"""What a chain reads of its steps: which parts, and whether of a list more than its first items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from compiler.check.parts import ITEM, Parts
from compiler.names.chain import ChainNames
from dsl import tree
from dsl.tree.walk import children

_FEW = ("first", "take")
"""Functions that take so many items from the front, and do not need the others."""
_ONE = ("first", "last", "min", "max")
"""Functions that give an item of a list."""
_SAME = ("take", "drop", "slice", "reverse", "compact", "sort", "unique")
"""Functions that give a list of the same items."""
_BECAME = ("succeeded", "skipped", "failed")
"""Functions that ask what became of a step, not what it gave."""
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_MOST_NAMES = 30
"""So many names for one thing are followed with the fields that are read of it; that takes a pass for each use."""


@dataclass(frozen=True, slots=True)
class StepRead:
    """A place that reads the part `path` of the step (or input) `name`. `few`: only the first items of it, or whether
    there are any. `items`: a loop goes through it, so that as a whole it is seen by nobody."""

    name: str
    path: Parts
    few: bool = False
    items: bool = False


def step_reads(names: ChainNames) -> list[StepRead]:
    """Every read of a chain. A `let` is looked at where it is used: it is another name of what stands in it."""
    lets = {name: symbol.node.value for name, symbol in names.symbols.items() if isinstance(symbol.node, tree.Let)}
    reading = _Reading(lets)
    reading.through(names.chain)
    return reading.found


_Scope = Mapping[str, StepRead | None]
"""What the variables of the loops around a place are; None where nobody can tell."""


class _Reading:
    def __init__(self, lets: Mapping[str, tree.Expr]) -> None:
        self.found: list[StepRead] = []
        self._lets = lets
        self._seen: set[tuple[int, bool]] = set()
        self._stack: list[tuple[tree.Node, bool, _Scope]] = []

    def through(self, chain: tree.Chain) -> None:
        self._later(chain, False, {})
        while self._stack:
            self._node(*self._stack.pop())

    def _later(self, node: tree.Node, few: bool, scope: _Scope) -> None:
        """Each node once, however many use the `let` that it stands in."""
        if (id(node), few) not in self._seen:
            self._seen.add((id(node), few))
            self._stack.append((node, few, scope))

    def _node(self, node: tree.Node, few: bool, scope: _Scope) -> None:
        match node:
            case tree.Let():
                return
            case tree.Step(action=tree.EachCall() | tree.EachBlock() as loop, clauses=clauses):
                self._loop(loop, False, scope, clauses)
            case tree.ListComprehension() | tree.MapComprehension():
                self._loop(node, few and node.condition is None, scope)
            case tree.Binary(op=op, left=left, right=right) if op in _COMPARISONS:
                self._later(*self._compared(left, right), scope)
                self._later(*self._compared(right, left), scope)
            case tree.Ref() | tree.Member() | tree.Index() | tree.Present() | tree.Cast() | tree.Function():
                self._whole(node, few, scope)
            case tree.Binary(op="??"):
                self._whole(node, few, scope)
            case _:
                for each in children(node):
                    self._later(each, False, scope)

    def _whole(self, node: tree.Node, few: bool, scope: _Scope) -> None:
        read = self._read(node, few, scope)
        if read is not None:
            self.found.append(read)

    def _loop(
        self,
        loop: tree.EachCall | tree.EachBlock | tree.ListComprehension | tree.MapComprehension,
        few: bool,
        scope: _Scope,
        clauses: tuple[tree.Clause, ...] = (),
    ) -> None:
        read = self._read(loop.items, few, scope)
        item = replace(read, path=(*read.path, ITEM)) if read is not None else None
        if item is not None:
            self.found.append(replace(item, items=True))
        inside = {**scope, loop.variable.text: item}
        for each in (*children(loop), *clauses):
            if each is not loop.items:
                self._later(each, few, inside)

    def _compared(self, side: tree.Expr, other: tree.Expr) -> tuple[tree.Expr, bool]:
        """What a comparison reads of a side. With null or [], or of a count with 0 or 1, it asks if there is any."""
        if isinstance(other, tree.Constant) and other.value is None:
            return side, True
        if isinstance(other, tree.ListLiteral) and not other.items:
            return side, True
        if isinstance(other, tree.Integer) and other.value in (0, 1):
            counted = side
            for _ in range(_MOST_NAMES):
                if isinstance(counted, tree.Ref) and counted.name in self._lets:
                    counted = self._lets[counted.name]
            if isinstance(counted, tree.Function) and counted.name.text == "count" and counted.arguments:
                return counted.arguments[0].value, True
        return side, False

    def _read(self, node: tree.Node, few: bool, scope: _Scope) -> StepRead | None:
        """What a value is of a step; None where it is something else. What stands beside it is looked at later."""
        path: list[str] = []
        names = 0
        while True:
            match node:
                case tree.Member(base=base, name=name):
                    path.append(name.text)
                    node = base
                case tree.Index(base=base, index=index):
                    self._later(index, False, scope)
                    few = few or not isinstance(index, tree.Unary)  # negative positions count from the end
                    path.append(ITEM)
                    node = base
                case tree.Present(base=base) | tree.Cast(value=base):
                    node = base
                case tree.Binary(op="??", left=left, right=right):
                    self._later(right, few, scope)
                    node = left
                case tree.Function(name=name, arguments=(list_, *others)) if name.text in (*_ONE, *_SAME):
                    for each in others:
                        self._later(each.value, False, scope)
                    few = few or name.text in _FEW
                    path += [ITEM] if name.text in _ONE else []
                    node = list_.value
                case tree.Function(name=name, arguments=arguments):
                    for each in arguments if name.text not in _BECAME else ():
                        self._later(each.value, False, scope)
                    return None
                case tree.Ref(name=name) if name in scope:
                    item = scope[name]
                    below = tuple(reversed(path))
                    return replace(item, path=(*item.path, *below), few=few or item.few) if item is not None else None
                case tree.Ref(name=name) if name in self._lets:
                    node = self._lets[name]
                    names += 1
                    if names > _MOST_NAMES:
                        self._later(node, few, scope)
                        return None
                case tree.Ref(name=name):
                    return StepRead(name, tuple(reversed(path)), few)
                case _:
                    self._later(node, few, scope)
                    return None
