"""Calls of tools and chains: each argument against its parameter."""

from __future__ import annotations

from compiler.check.fit import check_fit, expect
from compiler.check.labels import parameter_label
from compiler.check.misfit import Slot
from compiler.check.scope import Scope
from compiler.program import ChainSignature, ToolSignature
from compiler.types.report import listing, mended, near, shown
from dsl import tree
from dsl.diagnostics import Fix
from stdlib.values.types import (
    ERROR,
    JSON,
    ErrorType,
    Field,
    MapType,
    Record,
    Type,
    may_be_null,
    present,
)

Signature = ToolSignature | ChainSignature


def call(
    scope: Scope, node: tree.Call, target: Signature | None, filled: str | None = None, *, complete: bool = True
) -> Type:
    """The type that a call gives. A call whose path leads nowhere still has its arguments looked at.

    `filled` is a parameter that something else than an argument fills; without `complete` nothing is missed.
    """
    if target is None:
        for argument in node.arguments:
            scope.infer(argument.value)
        return ERROR
    name = written_path(node.path)
    missing = arguments(scope, path_place(node.path), node.arguments, target.parameters, name)
    if complete:
        report_missing(scope, node, [f for f in missing if f.name != filled], name)
    return target.result


def written_path(path: tuple[tree.Name, ...]) -> str:
    return ".".join(part.written for part in path)


def path_place(path: tuple[tree.Name, ...]) -> tree.Node:
    return tree.Node(path[0].start, path[-1].end)


def arguments(
    scope: Scope, at: tree.Node, given: tuple[tree.Argument, ...], parameters: Record, name: str
) -> list[Field]:
    """Hold arguments against parameters; what is required and missing, as far as that is sure.

    `at` is where the tool is named.
    """
    taken: dict[str, tree.Argument] = {}
    unsure = False
    by_name = {argument.name.text for argument in given if argument.name is not None}
    if _all_foreign(scope, at, given, parameters, name):
        return []
    for argument in given:
        if argument.spread:
            unsure = _spread(scope, argument, parameters, name, taken) or unsure
        elif argument.name is None:
            unsure = _unnamed(scope, argument, parameters, taken, by_name) or unsure
        else:
            unsure = _named(scope, argument, argument.name, parameters, name, taken) or unsure
    return [] if unsure else [f for f in parameters.fields if f.required and f.name not in taken]


def _all_foreign(scope: Scope, at: tree.Node, given: tuple[tree.Argument, ...], parameters: Record, name: str) -> bool:
    """Several arguments, none of which the tool knows: probably another tool was meant, so that is said once."""
    words = [argument.name.text for argument in given if argument.name is not None]
    known = [f.name for f in parameters.fields]
    if len(words) < 2 or len(words) < len(given) or any(near(word, known) for word in words):
        return False
    for argument in given:
        scope.infer(argument.value)
    none_of = ", ".join(f"`{word}`" for word in words)
    hint = listing("It takes", known) or f"`{name}` takes no arguments."
    scope.report("E0501", at, f"`{name}` has no parameters {none_of}.", helps=hint)
    return True


def _named(
    scope: Scope,
    argument: tree.Argument,
    at: tree.Name,
    parameters: Record,
    name: str,
    taken: dict[str, tree.Argument],
) -> bool:
    """One `name: value`; True where the name is wrong, so that a missing parameter was probably meant."""
    word = at.text
    parameter = parameters.field(word)
    if parameter is None:
        free = [f.name for f in parameters.fields if f.name not in taken]
        nothing = f"Everything that `{name}` takes is given." if parameters.fields else f"`{name}` takes no arguments."
        hint = mended(word, free, "It takes") or nothing
        also = parameter_label(scope, argument, near(word, free))
        scope.report("E0501", at, f"`{name}` has no parameter `{word}`.", helps=hint, also=also)
        scope.infer(argument.value)
        return True
    taken[word] = argument
    expect(scope, argument.value, parameter.type, argument_slot(parameter, name))
    return False


def argument_slot(parameter: Field, name: str) -> Slot:
    """How to speak of an argument that does not fit. Null is left out where the parameter may be missing."""
    subject = f"The argument `{parameter.name}` of `{name}`"
    return Slot(
        "E0404",
        f"{subject} wants {shown(parameter.type)}",
        f"{subject} does not fit",
        root=parameter.name,
        may_be_left_out=not parameter.required,
    )


def _unnamed(
    scope: Scope,
    argument: tree.Argument,
    parameters: Record,
    taken: dict[str, tree.Argument],
    by_name: set[str],
) -> bool:
    """A value without a name; it is taken for the first parameter that nothing was given for."""
    scope.infer(argument.value)
    if isinstance(argument.value, tree.RecordLiteral) and argument.value.fields:
        hint = "Leave out the braces: the fields of a record are no arguments by themselves."
        scope.report("E0108", argument, "Arguments of tools and chains are named.", helps=hint)
        return True
    free = [f.name for f in parameters.fields if f.name not in taken and f.name not in by_name]
    same = argument.value.name if isinstance(argument.value, tree.Ref) else None
    meant = same if same in free else (free[0] if free else None)
    fixes: tuple[Fix, ...] = ()
    hint = ""
    if meant is not None:
        taken[meant] = argument
        written = scope.report.text(argument.value)
        hint = f"Write `{meant}: {written}`."
        if same == meant or len(free) == 1:
            fixes = (scope.report.insert(argument.start, f"{meant}: ", f"Write `{meant}: {written}`"),)
    scope.report("E0108", argument, "Arguments of tools and chains are named.", helps=hint, fixes=fixes)
    return True


def _spread(
    scope: Scope, argument: tree.Argument, parameters: Record, name: str, taken: dict[str, tree.Argument]
) -> bool:
    """`...record`: every field is an argument. True where it is not known which ones there are."""
    found = scope.infer(argument.value)
    if isinstance(found, ErrorType):
        return True
    record = present(found)
    if not isinstance(record, Record):
        written = scope.report.text(argument.value)
        hint = f"Say what it is: `...({written} as {{ … }})`." if record == JSON or isinstance(record, MapType) else ""
        message = f"`...` passes the fields of a record, but this is {shown(found)}."
        scope.report("E0404", argument, message, helps=hint)
        return True
    nullable = may_be_null(found)
    unknown = [f.name for f in record.fields if parameters.field(f.name) is None]
    if len(unknown) > 1:
        # Told once: what else the record lacks or has is not looked at, because it was probably not meant as a whole.
        listed = ", ".join(f"`{each}`" for each in unknown)
        hint = listing("Pass by name what it takes", (p.name for p in parameters.fields))
        message = f"`{name}` has no parameters {listed}, which are fields of this record."
        scope.report("E0501", argument, message, helps=hint)
        return True
    for f in record.fields:
        parameter = parameters.field(f.name)
        if parameter is None:
            hint = mended(f.name, (p.name for p in parameters.fields), "It takes")
            message = f"`{name}` has no parameter `{f.name}`, which is a field of this record."
            scope.report("E0501", argument, message, helps=hint)
            continue
        if f.name in taken:
            scope.report("E0501", argument, f"`{f.name}` is passed twice to `{name}`.")
            continue
        taken[f.name] = argument
        slot = argument_slot(parameter, name)
        absent = parameter.required and (nullable or not f.required) and not may_be_null(parameter.type)
        if check_fit(scope, argument, f.type, parameter.type, slot) and absent:
            message = f"{slot.whole}, but it may be absent from this record."
            scope.report("E0404", argument, message, helps=f"Pass it by name: `{f.name}: …`.")
    return False


def report_missing(scope: Scope, at: tree.Node, missing: list[Field], name: str) -> None:
    """Say which required parameters nothing was given for."""
    if not missing:
        return
    wanted = ", ".join(f"`{f.name}: {shown(f.type)}`" for f in missing)
    example = ", ".join(f"{f.name}: …" for f in missing)
    also = parameter_label(scope, at, missing[0].name)
    scope.report("E0502", at, f"`{name}` also needs {wanted}.", helps=f"Add `{example}`.", also=also)
