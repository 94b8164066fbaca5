"""Adapters: old arguments become new ones, a new result an old one."""

from __future__ import annotations

import re

from compiler.check.arguments import arguments
from compiler.check.fit import expect
from compiler.check.misfit import Slot
from compiler.check.scope import Scope, Surroundings
from compiler.check.steps import let_type
from compiler.program import ChainSignature, CheckedAdapter
from compiler.types.constants import shown_default
from compiler.types.inside import complete
from compiler.types.report import Report
from dsl import tree
from stdlib.values.types import Field, Record, Type

_OLD = re.compile(r"(0|[1-9]\d*)\.(x|(0|[1-9]\d*)\.(x|0|[1-9]\d*))")
_VERSION = re.compile(r"\d+\.\d+\.\d+")


def adapters(file: Surroundings, chain: tree.Chain, signature: ChainSignature) -> tuple[CheckedAdapter, ...]:
    """Check the adapters of a chain whose own types are known. They see the file, not the names of the chain."""
    found: dict[str, CheckedAdapter] = {}
    takers = [(f"`{chain.name.text}` itself", signature.parameters)]
    for node in chain.members:
        if isinstance(node, tree.Adapter):
            version = node.version.plain or ""
            is_right = _says_older(file.report, chain, node, found)
            made = _adapter(file, node, signature)
            if is_right:
                _reached(file.report, node.version, made.parameters, takers)
                takers.append((f"the adapter `{version}`", made.parameters))
            found.setdefault(version, made)
    return tuple(found.values())


def _says_older(report: Report, chain: tree.Chain, node: tree.Adapter, found: dict[str, CheckedAdapter]) -> bool:
    """Whether the adapter is for older versions that no other one is for; what is wrong is reported."""
    version = node.version.plain or ""
    if not _OLD.fullmatch(version):
        hint = 'For example `adapter "1.x"`, for every version that begins with 1.'
        report("E0701", node.version, f"`{version}` does not say which versions are adapted.", helps=hint)
    elif version in found:
        first = report.place(found[version].node.version, "first here")
        report("E0301", node.version, f"The adapter `{version}` is declared twice.", also=(first,))
    elif not any(isinstance(m, tree.TextClause) and m.keyword == "version" for m in chain.members):
        report(
            "E0701",
            node.version,
            f"`{chain.name.text}` has no version, so none is older.",
            helps='Say which version it is now: `version "2.0.0"`.',
        )
    elif (own := _own_version(chain)) is not None and not _older(version, own.plain or ""):
        report(
            "E0701",
            node.version,
            f"`{version}` is no older version: `{chain.name.text}` is at {own.plain}.",
            helps="An adapter serves clients of a version before this one.",
            also=(report.place(own, "the version of the chain"),),
        )
    else:
        return True
    return False


def _own_version(chain: tree.Chain) -> tree.Text | None:
    """The version that the chain says, where it is one."""
    clauses = (m for m in chain.members if isinstance(m, tree.TextClause) and m.keyword == "version")
    own = next((clause.text for clause in clauses), None)
    return own if own is not None and _VERSION.fullmatch(own.plain or "") else None


def _older(pattern: str, version: str) -> bool:
    """Whether all versions that `1.x`, `1.4.x` or `1.4.2` stands for came before `version`."""
    numbers = [int(part) for part in pattern.split(".") if part != "x"]
    return numbers < [int(part) for part in version.split(".")][: len(numbers)]


def _adapter(file: Surroundings, node: tree.Adapter, signature: ChainSignature) -> CheckedAdapter:
    scope = Scope(file)
    names: dict[str, tree.Name] = {}
    fields: list[Field] = []
    for each in node.inputs:
        name = each.name.text
        wanted = file.declared.border(file.module, each.type)
        if each.default is not None:
            said = f"The default of `{name}` does not fit"
            expect(scope, each.default, wanted, Slot("E0406", said, said, joint=": "))
        if own_name(scope, each.name, names):
            required = each.default is None and not file.declared.may_be_left_out(file.module, each.type)
            fields.append(Field(name, wanted, required, each.doc, shown_default(each.default)))
            scope = scope.binding(name, complete(wanted))
    for let in node.lets:
        given = let_type(scope, let)
        if own_name(scope, let.name, names):
            scope = scope.binding(let.name.text, given)
    version = node.version.plain or ""
    missing = arguments(scope, node.version, node.arguments, signature.parameters, signature.id)
    if missing:
        unfilled = ", ".join(f"`{f.name}`" for f in missing)
        example = ", ".join(f"{f.name}: …" for f in missing)
        message = f"The adapter `{version}` does not fill {unfilled}."
        file.report("E0703", node.version, message, helps=f"Add `{example}` to its `call`.")
    result = _old_result(scope.binding("result", signature.result), node.output, version) if node.output else None
    return CheckedAdapter(node, Record(tuple(fields), open=False), result)


def _reached(report: Report, version: tree.Text, old: Record, takers: list[tuple[str, Record]]) -> None:
    """Report an adapter that comes after something that takes all its calls."""
    taker = next((who for who, own in takers if _always_fits(old, own)), None)
    if taker is not None:
        report(
            "W0707",
            version,
            f"No call reaches the adapter `{version.plain}`: {taker} takes them all.",
            helps="Old and new calls must differ in their inputs: give one of the new ones another name, or remove the "
            "adapter.",
        )


def _always_fits(old: Record, own: Record) -> bool:
    """Whether all arguments of the one are surely arguments of the other. Careful: False where it is not obvious."""
    required = {f.name for f in old.fields if f.required}
    return all((mine := own.field(f.name)) is not None and mine.type == f.type for f in old.fields) and all(
        f.name in required for f in own.fields if f.required
    )


def _old_result(scope: Scope, node: tree.Output, version: str) -> Type:
    for word, clause in (("summary", node.summary), ("expires", node.expires)):
        if clause is not None:
            scope.report("E0503", clause, f"`{word}` belongs to the output of the chain, not of an adapter.")
    if node.type is None:
        return scope.infer(node.value)
    wanted = scope.file.declared.border(scope.file.module, node.type, optional_too=False)
    whole = f"The output of the adapter `{version}` does not fit its type"
    expect(scope, node.value, wanted, Slot("E0410", whole, whole, joint=": "))
    return wanted


def own_name(scope: Scope, at: tree.Name, names: dict[str, tree.Name], reserved: tuple[str, ...] = ()) -> bool:
    """Whether a name of an adapter or a test is free; one that is taken is reported. `names` grows."""
    report: Report = scope.report
    name = at.text
    if name in names:
        report("E0301", at, f"`{name}` is declared twice.", also=(report.place(names[name], "first here"),))
        return False
    names[name] = at
    if name in reserved:
        report("E0306", at, f"`{name}` already has a meaning here.", helps="Pick another name.")
        return False
    if name in scope.file.names.declared:
        message = f"`{name}` is already {scope.file.names.word(name)} of this file."
        report("E0306", at, message, helps="A name means one thing in a file: pick another one here.")
    return True
