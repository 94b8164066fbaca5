"""Lists that a tool gives page by page, of which a chain reads the first page as if it were all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from compiler.check.arguments import path_place, written_path
from compiler.check.least import Target
from compiler.graph.references import all_steps, calls
from compiler.loader.lock_shape import visible
from compiler.names.chain import ChainNames
from compiler.program import ToolSignature
from compiler.types.paging import Paging, asks_for_pages, paging
from dsl import tree
from dsl.tree.walk import children
from stdlib.values.types import Record, Type, present

_FEW = ("first", "take")
"""Functions that take so many items from the front, and do not need the others."""
_BECAME = ("succeeded", "skipped", "failed")
"""Functions that ask what became of a step, not what it gave."""


def first_page_only(names: ChainNames, target: Target, types: Mapping[int, Type]) -> None:
    """W0613, once for each tool: no call of it in this chain asks for a page or says how many items are enough, what
    tells of more is not read, and more than the first items are."""
    reads: list[_Read] | None = None
    known: set[tuple[str, str]] = set()
    found: dict[tuple[str, str], tuple[tree.Step, tree.Call, Paging]] = {}
    for step in all_steps(names.chain.members):
        for call in calls((step,)) if not isinstance(step.action, tree.EachBlock) else ():
            meant = target(call)
            if not isinstance(meant, ToolSignature):
                continue
            tool = (meant.source, meant.tool.name)
            how = of_tool(meant)
            if how is None or tool in known or any(_asks(argument, how, types) for argument in call.arguments):
                known.add(tool)
                continue
            reads = _through_lets(list(_reads(names.chain))) if reads is None else reads
            if _aware(names, step, how, reads):
                known.add(tool)
            elif _wants_all(step, reads) and (how.argument or how.size or how.signs):
                found.setdefault(tool, (step, call, how))
    for tool, (step, call, how) in found.items():
        if tool not in known:
            message = f"`{written_path(call.path)}` gives its answer in pages, and this reads only the first."
            names.file.report("W0613", path_place(call.path), message, helps=_help(step, call, how))


def of_tool(meant: ToolSignature) -> Paging | None:
    """How a tool gives pages, as far as a chain can do anything about it."""
    result = meant.result if meant.proof != "untyped" else None
    how = paging(meant.parameters, result, meant.tool.pages)
    if how is not None and how.style == "cursor" and not how.signs:
        return None  # what leads to the next page is somewhere in the text: whoever gets the text has it
    return how


def _asks(argument: tree.Argument, how: Paging, types: Mapping[int, Type]) -> bool:
    if argument.name is not None:
        return argument.name.text in (how.argument, how.size) or asks_for_pages(argument.name.text)
    given = present(types[id(argument.value)]) if id(argument.value) in types else None
    if not isinstance(given, Record):
        return True
    return any(f.name in (how.argument, how.size) or asks_for_pages(f.name) for f in given.fields)


@dataclass(frozen=True, slots=True)
class _Read:
    """A place that reads `name`, or the fields `path` of it. `few`: only items from its front; `items`: one after the
    other, so that nothing but them is seen; `let`: it is all that this one means."""

    name: str
    path: tuple[str, ...]
    few: bool
    items: bool
    let: str | None = None


def _reads(chain: tree.Chain) -> Iterator[_Read]:
    stack: list[tuple[tree.Node, bool, bool]] = [(chain, False, False)]
    while stack:
        node, few, items = stack.pop()
        path: list[str] = []
        let = None
        if isinstance(node, tree.Let):
            let, node = node.name.text, node.value
        while isinstance(node, tree.Member | tree.Index | tree.Present):
            if isinstance(node, tree.Index):
                stack.append((node.index, False, False))
                few = few or not isinstance(node.index, tree.Unary)  # negative positions count from the end
            elif isinstance(node, tree.Member):
                path.append(node.name.text)
            node = node.base
        if isinstance(node, tree.Ref):
            yield _Read(node.name, tuple(reversed(path)), few, items, let)
        elif isinstance(node, tree.Function):
            front = node.name.text in _FEW
            stack += ((each.value, front, False) for each in node.arguments if node.name.text not in _BECAME)
        else:
            through = node.items if isinstance(node, _LOOPS) else None
            stack += ((each, False, each is through) for each in children(node))


def _through_lets(reads: list[_Read]) -> list[_Read]:
    """The reads of a `let` that is another name of something are reads of that."""
    means = {read.let: read for read in reads if read.let is not None and not read.few}
    found = []
    for read in reads:
        if read.let in means:
            continue
        hops = 0
        while read.name in means and hops < len(means):
            base, hops = means[read.name], hops + 1
            read = replace(read, name=base.name, path=(*base.path, *read.path))
        found.append(read)
    return found


_LOOPS = (tree.ListComprehension, tree.MapComprehension, tree.EachCall, tree.EachBlock)


def _aware(names: ChainNames, step: tree.Step, how: Paging, reads: list[_Read]) -> bool:
    """Whether what tells of more is read, or handed on with the answer as a whole."""
    own = step.name.text
    for read in reads:
        symbol = names.symbols.get(read.name)
        if read.name != own and symbol is not None and symbol.kind in ("input", "step"):
            continue
        for sign in how.signs:
            if sign[-1] in read.path:
                return True
            if read.name == own and not read.items and not read.few and sign[: len(read.path)] == read.path:
                return True
    return False


def _wants_all(step: tree.Step, reads: list[_Read]) -> bool:
    """Whether more is read of a step than the first of its items."""
    return any(not read.few for read in reads if read.name == step.name.text)


def _help(step: tree.Step, call: tree.Call, how: Paging) -> str:
    written = written_path(call.path)
    enough = f"say how many are enough: `{how.size}: 20`" if how.size else ""
    more = ""
    if how.signs:
        path = ".".join(visible(name) for name in how.signs[0])
        more = f"`{step.name.text}.{path}`" if isinstance(step.action, tree.CallAction) else f"`{path}` of each answer"
    if how.style in ("page", "offset") and how.argument:
        count = "range(3, from: 1)" if how.style == "page" else "range(3, step: 100)"
        ways = [f"Loop over the pages: `for each n in {count} do {written}({how.argument}: n, …)`", enough]
    elif how.style == "cursor" and more:
        ways = [f"Pass {more} as `{how.argument}` in another step, or put it into the output", enough]
    else:
        ways = [f"Put {more} into the output: it tells whether there is more" if more else "", enough]
    said = [way for way in ways if way]
    return "; or ".join([said[0][:1].upper() + said[0][1:], *said[1:]]) + "."
