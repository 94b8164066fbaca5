"""Tools of commands: what they run, and how the output is read."""

from __future__ import annotations

from dataclasses import replace

from compiler.names.tools import Reader
from compiler.program import DeclaredCommand, ParseClaim, ToolSignature
from compiler.types.to_schema import to_schema
from dsl import tree
from stdlib.values.show import show
from stdlib.values.subtype import fits
from stdlib.values.types import STRING, ErrorType

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
                helps="Add `parse json`, `jsonl`, `lines`, `csv` or `match`.",
            )
        return made
    result = signature.result if decl.returns is not None else STRING
    return replace(
        made, result=result, proof="claimed", result_schema=to_schema(result), parse=ParseClaim("text"), unsaid=()
    )


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


def guarded(argv: tree.ListLiteral) -> tuple[bool, ...]:
    """For each item of `run` whether its beginning comes from outside and no `--` stands before it."""
    found: list[bool] = []
    ended = False
    for item in argv.items:
        found.append(not ended and not author_begins(item.value if isinstance(item, tree.Spread) else item))
        ended = ended or (isinstance(item, tree.Text) and item.plain == "--")
    return tuple(found)


def author_begins(item: tree.Expr) -> bool:
    """Whether the author wrote how the item, or each item of a list, begins."""
    match item:
        case tree.Text(parts=parts):
            return not parts or (isinstance(parts[0], str) and parts[0] != "")
        case tree.If(then=then, otherwise=otherwise):
            return author_begins(then) and author_begins(otherwise)
        case tree.ListLiteral(items=items):
            return all(author_begins(i.value if isinstance(i, tree.Spread) else i) for i in items)
        case _:
            return False
