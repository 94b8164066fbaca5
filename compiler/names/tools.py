"""Primitive tools as an import sees them: the locked schemas, narrowed by what the import block claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from compiler.loader.lock_shape import alias_of
from compiler.names.claims import parse_claim
from compiler.names.effects import claimed_annotations, written_effects
from compiler.program import Proof, ToolSignature, Unsaid
from compiler.project import Annotations, JsonSchema, LockedSource, LockedTool, Module
from compiler.types.declared import DeclaredTypes
from compiler.types.from_schema import BadSchema, Note, from_schema, parameters
from compiler.types.report import Report, mended
from compiler.types.to_schema import to_schema
from dsl import tree
from stdlib.values.show import show
from stdlib.values.subtype import closed, fits
from stdlib.values.types import ERROR, UNTYPED_RESULT, ErrorType, ListType, Record, Type


@dataclass(frozen=True, slots=True)
class Reader:
    """What is needed to read the claims of one module."""

    module: Module
    report: Report
    declared: DeclaredTypes


def find_tool(source: LockedSource, name: str) -> LockedTool | None:
    """By its own name, else by the alias that needs no quotes, where that means one tool alone."""
    return source.tools.get(name) or next((t for t in source.tools.values() if t.alias == name), None)


def tool_names(source: LockedSource) -> list[str]:
    return [t.alias for t in source.tools.values()]


def claims(reader: Reader, node: tree.Import, source: LockedSource) -> Mapping[str, tree.ToolDecl]:
    """The claims of an import by the tool's own name; unknown and repeated tools are reported."""
    found: dict[str, tree.ToolDecl] = {}
    aliases: dict[str, tree.ToolDecl] = {}
    for decl in node.tools:
        tool = find_tool(source, decl.name.text)
        if tool is None:
            unknown_tool(reader.report, decl.name, node.name.text, source)
        elif tool.name in found:
            reader.report(
                "E0301",
                decl.name,
                f"`{decl.name.text}` is declared twice in this import.",
                also=(reader.report.place(found[tool.name].name, "first here"),),
            )
        else:
            found[tool.name] = decl
            other = aliases.setdefault(tool.alias, decl)
            if other is not decl:  # only where tools are declared: those of a lock have quotes then
                reader.report(
                    "E0206",
                    decl.name,
                    f"`{other.name.text}` and `{decl.name.text}` would both be called `{tool.alias}`.",
                    helps="Give one of them another name: it is only used here.",
                    also=(reader.report.place(other.name, "the other one"),),
                )
    return found


def unknown_tool(report: Report, at: tree.Name, alias: str, source: LockedSource) -> None:
    """E0203, or E0206 where the word stands for several tools."""
    meant = [t.alias for t in source.tools.values() if alias_of(t.name) == at.text]
    if meant:
        what = f"`{alias}` has {len(meant)} tools that the word `{at.text}` may mean."
        shown = " or ".join(f"`{each}`" for each in meant)
        report("E0206", at, what, helps=f"Write the name that its server gives it, in quotes: {shown}.")
        return
    known = mended(at.text, tool_names(source), "It has")
    report("E0203", at, f"`{alias}` has no tool `{at.text}`.", helps=known or f"`{alias}` offers no tools.")


def tool_signature(
    reader: Reader, source: LockedSource, tool: LockedTool, claim: tree.ToolDecl | None, at: tree.Node
) -> ToolSignature | None:
    """The tool with its types; claims that contradict the declared schemas are reported and left out.

    None where a schema of the server cannot be read, which is reported at `at`, where the tool is named first.
    """
    taken = parameters(tool.input_schema)
    if isinstance(taken, BadSchema):
        _unreadable(reader, at, f"The input schema of `{tool.name}`", taken)
        return None
    result: Type = UNTYPED_RESULT
    unsaid: tuple[Unsaid, ...] = ()
    schema: JsonSchema | None = None
    proof: Proof = "untyped"
    if tool.output_schema is not None:
        given = from_schema(tool.output_schema)
        if isinstance(given, BadSchema):
            _unreadable(reader, at, f"The output schema of `{tool.name}`", given)
            return None
        result, schema, proof = given.type, tool.output_schema, "declared"
        unsaid = _unsaid(given.notes)
    plain = ToolSignature(
        source=source.name,
        tool=tool,
        parameters=taken.record,
        result=result,
        proof=proof,
        effects=tool.annotations or Annotations(),
        result_schema=schema,
        unsaid=unsaid,
        unsaid_parameters=_unsaid(taken.notes),
    )
    return _claimed(reader, plain, claim) if claim is not None else plain


def _unsaid(notes: tuple[Note, ...]) -> tuple[Unsaid, ...]:
    return tuple(Unsaid(note.pointer, note.why) for note in notes)


def _unreadable(reader: Reader, at: tree.Node, what: str, bad: BadSchema) -> None:
    where = f" at `{bad.pointer}`" if bad.pointer else ""
    reader.report(
        "E0208",
        at,
        f"{what} cannot be read{where}: {bad.why}",
        helps="The mistake is the server's. Ask its maintainers, or leave this tool out.",
    )


def _claimed(reader: Reader, plain: ToolSignature, claim: tree.ToolDecl) -> ToolSignature:
    effects, scopes, parse = plain.effects, plain.scopes, plain.parse
    cost: int | float = 0
    for clause in claim.clauses:
        if isinstance(clause, tree.NamesClause):
            effects = claimed_annotations(written_effects(reader.report, clause))
        elif isinstance(clause, tree.Scopes):
            scopes = tuple(text.plain or "" for text in clause.texts)
        elif isinstance(clause, tree.Cost):
            cost = next((s.value.value for s in clause.settings if isinstance(s.value, tree.Integer | tree.Number)), 0)
    made = replace(plain, effects=effects, scopes=scopes, cost=float(cost))
    if claim.takes is not None:
        made = replace(made, parameters=_taken(reader, plain, claim.takes))
    returns, kind = (None, None) if claim.returns is None else reader.declared.result(reader.module, claim.returns)
    parsed = next((c for c in claim.clauses if isinstance(c, tree.Parse)), None)
    if parsed is not None and kind is not None:
        reader.report(
            "E0207",
            parsed,
            f"What `{claim.name.text}` answers is kept as it comes, so `parse` has nothing to read.",
            helps="Leave one of them out: `parse`, or the handle.",
        )
    elif parsed is not None:
        parse = parse_claim(reader.report, claim, parsed, returns)
        made = replace(made, parse=parse)
    if returns is None or claim.returns is None:
        return made
    if isinstance(returns, ErrorType):
        return replace(made, result=returns, proof="claimed", unsaid=())
    if plain.proof == "declared" and parsed is None:
        # What is returned is held against the claim, so fields that it does not name are no matter.
        misfit = fits(closed(returns), plain.result)
        if misfit is not None:
            why = f"{_undeclared(returns, plain.result)}{misfit}"
            _disagrees(reader, claim.returns, f"`returns` of `{claim.name.text}`", why, plain.result)
            return replace(made, result=ERROR, unsaid=())  # what is read of it was meant for one of the two
    schema = to_schema(returns)
    return replace(made, result=returns, proof="claimed", result_schema=schema, unsaid=(), handle=kind)


def _undeclared(claimed: Type, declared: Type) -> str:
    """The beginning of a sentence about fields that only the claim has: often the misspelled one that is missing."""
    if isinstance(claimed, ListType) and isinstance(declared, ListType):
        return _undeclared(claimed.item, declared.item)
    if not isinstance(claimed, Record) or not isinstance(declared, Record):
        return ""
    names = [f"`{each.name}`" for each in claimed.fields if declared.field(each.name) is None]
    return f"there {'is' if len(names) == 1 else 'are'} no {', '.join(names)}, and " if names else ""


def _taken(reader: Reader, plain: ToolSignature, written: tree.RecordType) -> Record:
    """The parameters as `takes` narrows them: each must be declared and may only accept less."""
    taken = reader.declared.read(reader.module, written)
    if not isinstance(taken, Record):
        return plain.parameters
    name = plain.tool.name
    for node in written.fields:
        mine, theirs = taken.field(node.name.text), plain.parameters.field(node.name.text)
        if theirs is None and plain.parameters.fields:
            known = mended(node.name.text, (f.name for f in plain.parameters.fields), "It takes")
            reader.report("E0207", node.name, f"`{name}` declares no parameter `{node.name.text}`.", helps=known)
            return _unsure(plain.parameters, taken)
        if mine is not None and theirs is not None and not isinstance(mine.type, ErrorType):
            wanted = theirs.type
            misfit = fits(closed(mine.type), wanted)
            if misfit is not None and not (misfit.reason == "null" and not misfit.path and not theirs.required):
                why = f"`{mine.name}`: {misfit}" if misfit.path else f"`{mine.name}`{str(misfit).removeprefix('it')}"
                _disagrees(reader, node.type, f"`takes` of `{name}`", why, wanted)
                return _unsure(plain.parameters, taken)
    missing = [f for f in plain.parameters.fields if f.required and taken.field(f.name) is None]
    if missing:
        _disagrees(reader, written, f"`takes` of `{name}`", f"`{missing[0].name}` is missing", plain.parameters)
        return _unsure(plain.parameters, taken)
    return replace(taken, open=False)


def _unsure(declared: Record, taken: Record) -> Record:
    """The parameters where server and claim disagree (reported): calls may be meant for one or the other."""
    fields = {f.name: replace(f, required=False) for f in declared.fields}
    fields |= {f.name: replace(f, type=ERROR, required=False) for f in taken.fields if f != declared.field(f.name)}
    return Record(tuple(fields.values()), open=False)


def _disagrees(reader: Reader, at: tree.Node, what: str, why: str, declared: Type) -> None:
    reader.report(
        "E0207",
        at,
        f"{what} disagrees with what the server declares: {why}.",
        helps="A claim over a declared schema may only narrow it.",
        notes=f"Declared is {show(declared)}.",
    )
