"""A claim put into the import block of a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from compiler.project import LockedSource, LockedTool
from dsl import tree
from dsl.diagnostics import Sink
from dsl.format import format_text
from dsl.parser import parse
from dsl.source import Source
from stdlib.values.show import show
from stdlib.values.types import Type

_ALL = 1_000_000


@dataclass(frozen=True, slots=True)
class Claim:
    """What a tool is said to return, and how its text is read where that is no JSON."""

    returns: Type
    parse: Literal["text", "jsonl"] | None = None

    @property
    def shown(self) -> str:
        return show(self.returns, _ALL)

    @property
    def clauses(self) -> str:
        return f" {{ parse {self.parse} }}" if self.parse else ""


class CannotWrite(Exception):
    """The claim has no place in the file: a sentence, and what to do."""

    def __init__(self, why: str, hint: str = "") -> None:
        super().__init__(why)
        self.why, self.hint = why, hint


def claim_text(source: LockedSource, tool: LockedTool, claim: Claim) -> str:
    """An import that has this claim alone, in the one style."""
    alias = "".join(c if c.isascii() and c.isalnum() else "_" for c in source.name.rsplit("/", 1)[-1].split(".")[0])
    text = f'import {alias} from {source.kind} "{source.name}" {{ {_declared(tool, claim)} }}'
    return format_text(Source("claim", text))


def with_claim(file: Source, source: LockedSource, tool: LockedTool, claim: Claim, sink: Sink) -> str:
    """The text of the file with the claim, which is in the one style; the rest of it stays as it is. Mistakes of the
    file go to `sink`, then all of it does.

    Raises CannotWrite where the file does not import the source, or reads the tool by a `parse` of its own.
    """
    text = file.text
    read = parse(file, sink)
    if sink.has_errors:
        return text
    imports = [each for each in read.items if isinstance(each, tree.Import)]
    node = next((each for each in imports if _means(each, source)), None)
    if node is None:
        line = f'import {source.name.replace("-", "_")} from {source.kind} "{source.name}"'
        raise CannotWrite(f"`{file.path}` does not import `{source.name}`", f"Write `{line}` in it.")
    written = text[node.start : node.end]
    decl = next((each for each in node.tools if each.name.text in (tool.name, tool.alias)), None)
    declared = _declared(tool, claim) if decl is None else _amended(file, decl, claim)
    if "\n" not in written:  # one line becomes several
        at, end = node.start, node.end
        if decl is not None:
            new = f"{text[at : decl.start]}{declared}{text[decl.end : end]}"
        else:
            new = f"{written[:-1]}\n{declared}\n}}" if written.endswith("}") else f"{written} {{\n{declared}\n}}"
        new = format_text(Source(file.path, new)).strip()
    elif decl is not None:
        at, end, new = decl.start, decl.end, _formatted(declared).strip()
    else:
        last = text.rindex("\n", node.start, node.end) + 1
        alone = not text[last : node.end - 1].strip()
        at = end = last if alone else node.end - 1
        new = f"{'' if alone else chr(10)}{_formatted(declared)}"
    made = f"{text[:at]}{new}{text[end:]}"
    parse(Source(file.path, made), sink)
    return made


def _formatted(declaration: str) -> str:
    """The lines of a tool as they stand in an import."""
    opening = 'import x from mcp "x" {'
    return (
        format_text(Source("claim", f"{opening}\n{declaration}\n}}")).removeprefix(f"{opening}\n").removesuffix("}\n")
    )


def _declared(tool: LockedTool, claim: Claim) -> str:
    return f"tool {tool.alias} returns {claim.shown}{claim.clauses}"


def _means(node: tree.Import, source: LockedSource) -> bool:
    return node.kind.text == source.kind and node.where.plain == source.name


def _amended(file: Source, decl: tree.ToolDecl, claim: Claim) -> str:
    """The declaration with the claim."""
    text = file.text[: decl.end]
    if any(isinstance(each, tree.Parse) for each in decl.clauses):
        what = f"`{decl.name.text}` is read by a `parse` in `{file.path}`"
        raise CannotWrite(what, "Take that out first, or keep it: what was seen was read without it.")
    if decl.returns is not None:
        return (
            f"{text[decl.start : decl.returns.start]}{claim.shown}{_with_clauses(text, decl, decl.returns.end, claim)}"
        )
    at = (decl.takes or decl.name).end
    return f"{text[decl.start : at]} returns {claim.shown}{_with_clauses(text, decl, at, claim)}"


def _with_clauses(text: str, decl: tree.ToolDecl, at: int, claim: Claim) -> str:
    """The text from `at` on, with the claim's own clause in the block of the tool."""
    if claim.parse is None:
        return text[at:]
    if decl.clauses:
        return f"{text[at : decl.end - 1]} parse {claim.parse} {text[decl.end - 1 :]}"
    return f"{claim.clauses}{text[at:]}"
