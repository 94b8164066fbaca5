"""Lists that a tool gives page by page, of which a chain reads the first page as if it were all."""

from __future__ import annotations

import json
from collections.abc import Mapping

from compiler.check.arguments import path_place, written_path
from compiler.check.least import Target
from compiler.check.parts import ITEM, Parts, part
from compiler.check.step_reads import StepRead, step_reads
from compiler.graph.references import all_steps
from compiler.loader.lock_shape import visible
from compiler.names.chain import ChainNames
from compiler.program import ToolSignature
from compiler.project import Annotations
from compiler.types.paging import Paging, asks_for_pages, asks_how_many, has_list, paging
from dsl import tree
from stdlib.values.show import is_word
from stdlib.values.subtype import fits
from stdlib.values.types import JSON, URL, ListType, MapType, Record, Type, members, present


def first_page_only(names: ChainNames, target: Target, types: Mapping[int, Type]) -> None:
    """W0613, once for each tool, at the first call that asks for no page and does not say how many items are enough,
    where what tells of more is not read, and more than the first items are. Where another call asks for a page, the
    pages of that tool are counted."""
    reads: list[StepRead] | None = None
    known: set[tuple[str, str]] = set()
    found: dict[tuple[str, str], tuple[tree.Step, tree.Call, ToolSignature, Paging]] = {}
    for step in all_steps(names.chain.members):
        if not isinstance(step.action, tree.CallAction | tree.EachCall):
            continue
        call = step.action.call
        meant = target(call)
        how = of_tool(meant) if isinstance(meant, ToolSignature) else None
        if not isinstance(meant, ToolSignature) or how is None:
            continue
        tool = (meant.source, meant.tool.name)
        given = _given(call, types)
        if any(name == how.argument or asks_for_pages(name) for name in given or ()):
            known.add(tool)
        if given is None or any(name in (how.argument, how.size) or asks_how_many(name) for name in given):
            continue
        reads = step_reads(names) if reads is None else reads
        own = _of_answers(step, reads)
        if not _aware(how, own) and _wants_all(meant, own) and (how.argument or how.size or how.signs):
            found.setdefault(tool, (step, call, meant, how))
    for tool, (step, call, meant, how) in found.items():
        if tool not in known:
            message = f"`{written_path(call.path)}` gives its answer in pages, and this reads only the first."
            names.file.report("W0613", path_place(call.path), message, helps=_help(step, call, meant, how))


def of_tool(meant: ToolSignature) -> Paging | None:
    """How a tool gives pages, as far as a chain can do anything about it. What a tool that writes gives is no list
    to go through, unless a document says so."""
    says_nothing = meant.tool.annotations is None and meant.effects == Annotations()
    if not meant.effects.read_only and not says_nothing and meant.tool.pages is None:
        return None
    result = meant.result if meant.proof != "untyped" else None
    how = paging(meant.parameters, result, meant.tool.pages)
    if how is not None and how.style == "cursor" and not how.signs:
        return None  # what leads to the next page is somewhere in the text: whoever gets the text has it
    if how is not None and how.style == "offset" and result is None and meant.tool.pages is None:
        return None  # a file read from a line on looks the same
    return how


def _given(call: tree.Call, types: Mapping[int, Type]) -> list[str] | None:
    """The names of the arguments of a call; None where nobody can tell."""
    found: list[str] = []
    for argument in call.arguments:
        if argument.name is not None:
            found.append(argument.name.text)
            continue
        record = present(types[id(argument.value)]) if id(argument.value) in types else None
        if not isinstance(record, Record):
            return None
        found += [f.name for f in record.fields]
    return found


def _of_answers(step: tree.Step, reads: list[StepRead]) -> list[tuple[Parts, StepRead]]:
    """The reads of a step, with what each reads of an answer. A loop over the answers reads nothing of them yet."""
    found = []
    each = isinstance(step.action, tree.EachCall)
    for read in reads:
        if read.name == step.name.text:
            path = read.path[1:] if each and read.path[:1] == (ITEM,) else read.path
            if path or not read.items:
                found.append((path, read))
    return found


def _aware(how: Paging, reads: list[tuple[Parts, StepRead]]) -> bool:
    """Whether what tells of more is read, or handed on with the answer as a whole."""
    for sign in how.signs:
        for path, read in reads:
            if path[: len(sign)] == sign or (sign[: len(path)] == path and not read.few and not read.items):
                return True
    return False


def _wants_all(meant: ToolSignature, reads: list[tuple[Parts, StepRead]]) -> bool:
    """Whether more is read of a list than its first items: of one in the answer, or in it as a whole."""
    return any(not read.few and (meant.proof == "untyped" or _in_list(meant.result, path)) for path, read in reads)


def _in_list(result: Type, path: Parts) -> bool:
    found = part(result, path)
    if ITEM in path or found is None:
        return True
    return has_list(found) if not path else any(isinstance(m, ListType | MapType) or m == JSON for m in members(found))


def _help(step: tree.Step, call: tree.Call, meant: ToolSignature, how: Paging) -> str:
    more = ""
    if how.signs:
        path = _path(meant, how.signs[0])
        more = f"`{step.name.text}.{path}`" if isinstance(step.action, tree.CallAction) else f"`{path}` of each answer"
    size = _page_size(meant.parameters, how.size) if how.size else 0
    ways = []
    if how.style == "cursor" and how.argument and _leads_on(meant, how):
        ways.append(f"pass {more} as `{_name(how.argument)}` in another step, or put it into the output")
    else:
        ways.append(_loop(written_path(call.path), meant.parameters, how, size))
        ways.append(f"put {more} into the output: it tells whether there is more" if more else "")
    ways.append(f"say how many are enough: `{_name(how.size)}: {min(size, 20)}`" if how.size else "")
    said = [way for way in ways if way] or [f"ask for the pages behind it by `{_name(how.argument or '')}`"]
    return "; or ".join([said[0][:1].upper() + said[0][1:], *said[1:]]) + "."


def _path(meant: ToolSignature, sign: tuple[str, ...]) -> str:
    """A field of the result as it is read: with `?.` behind what may be null."""
    written = _name(sign[0])
    for depth in range(1, len(sign)):
        before = part(meant.result, sign[:depth])
        may_be_null = before is not None and present(before) != before
        written += f"{'?.' if may_be_null else '.'}{_name(sign[depth])}"
    return written


def _leads_on(meant: ToolSignature, how: Paging) -> bool:
    """Whether the first sign may be given as the argument that asks for the next page."""
    asked = meant.parameters.field(how.argument or "")
    found = part(meant.result, how.signs[0]) if how.signs and how.signs[0] == how.onward else None
    if asked is None or found is None or URL in members(found):
        return False
    return fits(present(found), present(asked.type)) is None


def _loop(written: str, parameters: Record, how: Paging, size: int) -> str:
    """A loop over the pages, where it is sure that it leaves no items out."""
    if how.argument is None or how.style not in ("page", "offset") or (how.style == "offset" and not size):
        return ""
    first = _first(parameters, how.argument, 1 if how.style == "page" else 0)
    start = f", from: {first}" if first else ""
    argument, sized = _name(how.argument), f", {_name(how.size or '')}: {size}"
    step, also = ("", "") if how.style == "page" else (f", step: {size}", sized)
    return f"loop over the pages: `for each n in range(3{start}{step}) do {written}({argument}: n{also}, …)`"


def _first(parameters: Record, name: str, otherwise: int) -> int:
    """The number of the first page or item: what is taken without one, or the least that may be given."""
    default, least = _default(parameters, name), _bound(parameters, name, "minimum")
    return next((n for n in (default, least) if n in (0, 1)), otherwise)


def _page_size(parameters: Record, name: str) -> int:
    """A number of items that a page can have for certain, as far as the schema says it; 100 are plenty."""
    most = _bound(parameters, name, "maximum")
    size = most if most is not None else _default(parameters, name)
    return min(size, 100) if size is not None and size > 0 else 20


def _default(parameters: Record, name: str) -> int | None:
    field = parameters.field(name)
    return _whole(field.default[0]) if field is not None and field.default is not None else None


def _bound(parameters: Record, name: str, keyword: str) -> int | None:
    field = parameters.field(name)
    for each in members(field.type) if field is not None else ():
        for key, value in getattr(each, "constraints", ()):
            if key == keyword:
                return _whole(value)
    return None


def _whole(value: object) -> int | None:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) else None


def _name(name: str) -> str:
    """As it is written: in quotes where it is no word."""
    return name if is_word(name) else visible(json.dumps(name, ensure_ascii=False))
