"""What a tool of a command runs: each argument is a text, and none of them becomes an option by accident."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compiler.check.fit import expect
from compiler.check.misfit import Slot
from compiler.check.scope import NO_FACTS, Scope, Surroundings
from compiler.names.commands import options_end
from compiler.names.dashes import is_choice_or_no_dash, may_be_empty
from compiler.program import ToolSignature
from compiler.types.report import shown
from dsl import tree
from dsl.tree.walk import children
from stdlib.values.subtype import fits
from stdlib.values.types import STRING, ErrorType, ListType, Scalar, Type, may_be_null, present, read

CODE = "E0232"

SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "fish", "csh", "tcsh", "cmd", "powershell", "pwsh")
_LONG_OPTION = re.compile(r"--[A-Za-z0-9][A-Za-z0-9_.-]*")
_SHORT_OPTION = re.compile(r"-[A-Za-z0-9]+")
_CODE_OPTIONS = ("-c", "/c", "/C", "-Command", "-command")


def check_command(file: Surroundings, signature: ToolSignature, program: str) -> None:
    """The `run` and `stdin` of a declared tool; their names are its parameters and the lets of the file."""
    assert signature.command is not None, "only tools of commands run something"
    decl = signature.command.node
    # A parameter that is left out has its default.
    values = {f.name: f.type if f.default is not None else read(f) for f in signature.parameters.fields}
    scope = Scope(file, None, values, NO_FACTS)
    run = next((c for c in decl.clauses if isinstance(c, tree.Run)), None)
    stdin = next((c for c in decl.clauses if isinstance(c, tree.Stdin)), None)
    for clause in (run, stdin):
        for ref in _run_refs(clause) if clause is not None else ():
            hint = "Make it a parameter of the tool: `takes { id: string }`, and pass `run.id`."
            scope.report("E0300", ref, "There is no `run` here: a tool may be called from many chains.", helps=hint)
            file.types[id(ref)] = ErrorType()
    if run is not None:
        before: str | None = None
        for item, ended in zip(run.argv.items, options_end(run.argv), strict=True):
            _argument(scope, item, ended, before)
            before = item.plain if isinstance(item, tree.Text) else None
        _no_shell(scope, run.argv, program)
    if stdin is not None:
        scope.infer(stdin.value)


def _run_refs(node: tree.Node) -> Iterator[tree.Ref]:
    for child in children(node):
        if isinstance(child, tree.Ref) and child.name == "run":
            yield child
        else:
            yield from _run_refs(child)


def _argument(scope: Scope, item: tree.Expr | tree.Spread, ended: bool, before: str | None) -> None:
    if isinstance(item, tree.Spread):
        lead = "`...` adds arguments of the program, which are texts"
        found = expect(scope, item.value, ListType(STRING), Slot("E0404", lead, lead))
        if fits(found, ListType(STRING)) is not None:
            return
    else:
        found = scope.infer(item)
        if fits(found, STRING) is not None and not _told(scope, item, found):
            return
    if not ended:
        for part in _open_ends(scope, item.value if isinstance(item, tree.Spread) else item):
            _may_be_option(scope, part, before)


def _told(scope: Scope, item: tree.Expr, found: Type) -> bool:
    """Report what is no text; True where it is an error type, which is reported already."""
    if isinstance(found, ErrorType):
        return True
    written = scope.report.text(item)
    hint = f'Write it into a text: `"${{{written}}}"`.'
    message = f"An argument of a program is a text, but this is {shown(found)}."
    if may_be_null(found):
        message = f"An argument of a program is a text, but this may be null ({shown(found)})."
        hint = f"Leave it out then: `...(if {written} != null then [{written}] else [])`."
    elif isinstance(present(found), ListType):
        hint = f"Add one argument for each: `...{written}`."
    scope.report("E0404", item, message, helps=hint)
    return False


def _open_ends(scope: Scope, node: tree.Expr) -> Iterator[tree.Expr]:
    """The expressions that may begin the argument with a `-`."""
    match node:
        case tree.Text(parts=parts):
            for part in parts:
                if not isinstance(part, str):
                    yield from _open_ends(scope, part)
                if part if isinstance(part, str) else not _may_be_empty(scope, part):
                    return
        case tree.If(then=then, otherwise=otherwise):
            yield from _open_ends(scope, then)
            yield from _open_ends(scope, otherwise)
        case tree.ListLiteral(items=items):
            for each in items:
                yield from _open_ends(scope, each.value if isinstance(each, tree.Spread) else each)
        case tree.ListComprehension(value=value):
            yield from _open_ends(scope, value)
        case tree.Ref(name=name) if name not in scope.variables and _is_plain(scope, name):
            return
        case _:
            found = present(scope.infer(node))
            if not is_choice_or_no_dash(found.item if isinstance(found, ListType) else found):
                yield node


def _may_be_empty(scope: Scope, part: tree.Expr) -> bool:
    let = scope.file.names.lets.get(part.name) if isinstance(part, tree.Ref) else None
    if let is not None and isinstance(let.value, tree.Text) and let.value.plain is not None:
        return let.value.plain == ""
    return may_be_empty(scope.infer(part))


def _is_plain(scope: Scope, name: str) -> bool:
    """Whether a `let` of the file is a text or number, written there, that begins with no `-`."""
    let = scope.file.names.lets.get(name)
    match let.value if let is not None else None:
        case tree.Text() as text:
            return text.plain is not None and not text.plain.startswith("-")
        case tree.Integer() | tree.Number():
            return True
        case _:
            return False


def _may_be_option(scope: Scope, part: tree.Expr, before: str | None) -> None:
    """`before`: the argument that stands before it, where that is a fixed text."""
    written = scope.report.text(part)
    name = part.name if isinstance(part, tree.Ref) else "name"
    found = present(scope.infer(part))
    item = present(found.item) if isinstance(found, ListType) else found
    is_number = isinstance(item, Scalar) and item.name in ("integer", "number")
    narrow = f"{item.name}(min: 0)" if isinstance(item, Scalar) and is_number else 'string(pattern: "^[^-]")'
    if isinstance(found, ListType):
        narrow = f"list<{narrow}>"
    helps = [_apart(written, None if isinstance(found, ListType) else before)]
    if is_number or (isinstance(item, Scalar) and item.name == "string"):
        helps.append(f"Or let the tool take nothing else: `takes {{ {name}: {narrow} }}`.")
    scope.report(
        CODE, part, f"`{written}` may begin with `-`, and the program would take it for an option.", helps=tuple(helps)
    )


def _apart(written: str, before: str | None) -> str:
    """How a value is kept apart from options: joined to its own one, begun with what is fixed, or behind all."""
    if before is not None and _LONG_OPTION.fullmatch(before):
        return f'Join it to the option that it belongs to: `"{before}=${{{written}}}"`.'
    if before is not None and _SHORT_OPTION.fullmatch(before):
        return f'Begin it with what is always there, such as `"./${{{written}}}"` where it is a path behind `{before}`.'
    return 'Put `"--"` before it, where the program knows that.'


def _no_shell(scope: Scope, argv: tree.ListLiteral, program: str) -> None:
    """`sh -c "… ${x} …"` would run what stands in `x`."""
    name = program.replace("\\", "/").rpartition("/")[2].removesuffix(".exe")
    options = [item.plain for item in argv.items if isinstance(item, tree.Text)]
    if name not in SHELLS or not any(option in _CODE_OPTIONS for option in options):
        return
    for item in argv.items:
        if not (isinstance(item, tree.Text) and item.plain is not None):
            scope.report(
                CODE,
                item.value if isinstance(item, tree.Spread) else item,
                f"`{name}` would run what stands in this text as a program.",
                helps="Import the program itself: its arguments are handed on one by one, without a shell.",
            )
            return
