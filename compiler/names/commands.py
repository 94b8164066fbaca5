"""Tools of commands: what they run, and how the output is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from compiler.names.dashes import chosen, is_choice_or_no_dash, may_be_empty
from compiler.names.tools import Reader
from compiler.program import DeclaredCommand, ParseClaim, ToolSignature
from compiler.types.to_schema import to_schema
from dsl import tree
from stdlib.values.show import show
from stdlib.values.subtype import fits
from stdlib.values.types import BYTES, STRING, ErrorType, ListType, Type, present

CODE = "E0231"


def command_signature(reader: Reader, signature: ToolSignature, decl: tree.ToolDecl) -> ToolSignature:
    """The tool with what it runs. Without `parse` its output is a text; another type needs to be read from it."""
    made = replace(signature, command=DeclaredCommand(reader.module, decl))
    if made.handle is not None or any(isinstance(clause, tree.Parse) for clause in decl.clauses):
        return made
    if decl.returns is not None and fits(STRING, signature.result) is not None:
        if not isinstance(signature.result, ErrorType):
            reader.report(
                CODE,
                decl.returns,
                f"`{decl.name.text}` prints text; how it becomes {show(signature.result, 3)} is not said.",
                helps=_read_as(signature.result),
            )
        return made
    result = signature.result if decl.returns is not None else STRING
    return replace(
        made, result=result, proof="claimed", result_schema=to_schema(result), parse=ParseClaim("text"), unsaid=()
    )


def _read_as(result: Type) -> str:
    """What makes this type of an output; no way of reading a text gives bytes."""
    if fits(present(result), BYTES) is None:
        return "Keep it as it comes: declare `kind blob = bytes`, and write `returns handle<blob>`."
    return "Add `parse json`, `jsonl`, `lines`, `csv` or `match`."


def check_clauses(reader: Reader, node: tree.Import) -> None:
    """`run` stands in every tool of a command, and nowhere else."""
    is_command = node.kind.text == "command"
    for decl in node.tools:
        misplaced = [c for c in decl.clauses if isinstance(c, tree.Run | tree.Stdin)]
        if is_command and not any(isinstance(c, tree.Run) for c in misplaced):
            name = decl.name.text
            hint = 'Add `run ["…"]` with the arguments, or `run []` where there are none.'
            reader.report(CODE, decl.name, f"`{name}` does not say what it runs.", helps=hint)
        for clause in () if is_command else misplaced:
            word = "run" if isinstance(clause, tree.Run) else "stdin"
            at = tree.Node(clause.start, clause.start + len(word))
            hint = "Only a tool of `import … from command` runs a program."
            reader.report(CODE, at, f"`{word}` has no meaning for a tool of {node.kind.text}.", helps=hint)


TypeOf = Callable[[tree.Expr], Type]
Beginning = Literal["own", "safe", "open"]
"""How an argument begins: as its author wrote it, from outside but never with `-`, or from outside."""


def options_end(argv: tree.ListLiteral) -> tuple[bool, ...]:
    """For each item of `run` whether a `--` stands before it."""
    ends = [isinstance(item, tree.Text) and item.plain == "--" for item in argv.items]
    return tuple(any(ends[:place]) for place in range(len(ends)))


def guarded(argv: tree.ListLiteral, type_of: TypeOf) -> tuple[bool, ...]:
    """For each item of `run` whether its beginning comes from outside and no `--` stands before it."""
    items = [item.value if isinstance(item, tree.Spread) else item for item in argv.items]
    ended = options_end(argv)
    return tuple(not end and beginning(item, type_of) != "own" for item, end in zip(items, ended, strict=True))


def beginning(item: tree.Expr, type_of: TypeOf) -> Beginning:
    """Of an argument, or of the arguments of a list."""
    match item:
        case tree.Text(parts=parts):
            return _of_text(parts, type_of)
        case tree.If(then=then, otherwise=otherwise):
            return _together([beginning(then, type_of), beginning(otherwise, type_of)])
        case tree.ListLiteral(items=items):
            inner = (each.value if isinstance(each, tree.Spread) else each for each in items)
            return _together([beginning(each, type_of) for each in inner])
        case _:
            found = present(type_of(item))
            found = present(found.item) if isinstance(found, ListType) else found
            return "own" if chosen(found) else "safe" if is_choice_or_no_dash(found) else "open"


def _of_text(parts: tuple[str | tree.Expr, ...], type_of: TypeOf) -> Beginning:
    """The first part counts, and those after it as long as all before may be empty."""
    found: list[Beginning] = []
    for part in parts:
        if isinstance(part, str):
            found.append("own")
            if part:
                break
        else:
            found.append(beginning(part, type_of))
            if not may_be_empty(type_of(part)):
                break
    return _together(found)


def _together(found: list[Beginning]) -> Beginning:
    return "open" if "open" in found else "own" if "own" in found or not found else "safe"
