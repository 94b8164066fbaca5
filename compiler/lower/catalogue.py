"""Catalogue entries: what each visible chain promises, gathered from its clauses and its proven types."""

from __future__ import annotations

from typing import Any

from compiler.lower.constants import NotConstant, constant
from compiler.program import CheckedChain, Program, ToolSignature
from dsl import tree
from stdlib.plan import catalogue as cat
from stdlib.plan import plan

UNVERSIONED = "0.1.0"


def lower_catalogue(program: Program, lowered: plan.Plan) -> cat.Catalogue:
    """Entries of the chains that clients can see, ordered by id."""
    settings = program.project.settings
    visible = [program.chains[id] for id in sorted(program.chains) if not program.chains[id].node.private]
    return cat.Catalogue(
        name=settings.name,
        version=settings.version,
        entries=tuple(_entry(program, chain, lowered.chains[chain.id]) for chain in visible),
    )


def _entry(program: Program, chain: CheckedChain, lowered: plan.Chain) -> cat.Entry:
    clauses = _Clauses(chain.node)
    effects = chain.signature.effects
    return cat.Entry(
        id=chain.id,
        version=clauses.text("version") or UNVERSIONED,
        owner=clauses.text("owner"),
        selection=cat.Selection(
            title=clauses.text("title") or chain.id.replace("_", " ").capitalize(),
            description=chain.node.doc or "",
            use_when=clauses.texts("use_when"),
            not_when=clauses.texts("not_when"),
            examples=tuple(_example(m) for m in chain.node.members if isinstance(m, tree.Example)),
            groups=clauses.names("groups"),
            stages=clauses.names("stages"),
        ),
        input=cat.EntryInput(json_schema=lowered.input_schema, constraints=clauses.constraints()),
        output=cat.EntryOutput(
            mode=lowered.output.mode,
            kind=lowered.output.handle,
            json_schema=lowered.output.json_schema,
            empty=clauses.text("empty"),
            faults=tuple(
                cat.DeclaredFault.model_validate({"class": m.fault.text, "when": _plain(m.when)})
                for m in chain.node.members
                if isinstance(m, tree.Fails)
            ),
        ),
        behaviour=cat.Behaviour(
            read_only=effects.read_only,
            idempotent=effects.idempotent,
            destructive=effects.destructive,
            open_world=effects.open_world,
            scopes=chain.signature.scopes,
            budget=clauses.budget(),
            retries="safe" if effects.read_only or effects.idempotent else "none",
        ),
        uses=_uses(program, chain),
        source=cat.SourcePlace(file=lowered.origin.file, line=lowered.origin.line),
    )


def _example(node: tree.Example) -> cat.Example:
    arguments: dict[str, Any] = {}
    for argument in node.arguments:
        try:
            if argument.name is not None:
                arguments[argument.name.text] = constant(argument.value)
        except NotConstant:
            continue
    return cat.Example(request=_plain(node.request), arguments=arguments)


def _uses(program: Program, chain: CheckedChain) -> tuple[cat.Use, ...]:
    """Every primitive tool that the chain may call, through other chains too."""
    found: dict[tuple[str, str], cat.Use] = {}
    waiting, seen = [chain], {chain.id}
    while waiting:
        for signature in waiting.pop().calls.values():
            if isinstance(signature, ToolSignature):
                found[signature.source, signature.tool.name] = cat.Use(
                    source=signature.source,
                    tool=signature.tool.name,
                    digest=signature.tool.digest,
                    proof=signature.proof,
                )
            elif signature.id not in seen:
                seen.add(signature.id)
                waiting.append(program.chains[signature.id])
    return tuple(found[key] for key in sorted(found))


def _plain(text: tree.Text) -> str:
    """The text with its interpolations as they are written."""
    return "".join(part if isinstance(part, str) else "…" for part in text.parts)


class _Clauses:
    """The header clauses of a chain."""

    def __init__(self, node: tree.Chain) -> None:
        self.members = node.members

    def texts(self, keyword: str) -> tuple[str, ...]:
        return tuple(_plain(m.text) for m in self.members if isinstance(m, tree.TextClause) and m.keyword == keyword)

    def text(self, keyword: str) -> str | None:
        return next(iter(self.texts(keyword)), None)

    def names(self, keyword: str) -> tuple[str, ...]:
        clauses = (m for m in self.members if isinstance(m, tree.NamesClause) and m.keyword == keyword)
        return tuple(dict.fromkeys(name.text for clause in clauses for name in clause.names))

    def constraints(self) -> tuple[str, ...]:
        return tuple(_plain(m.message) for m in self.members if isinstance(m, tree.Require))

    def budget(self) -> cat.Budget:
        values: dict[str, object] = {}
        for member in self.members:
            for setting in member.settings if isinstance(member, tree.Budget) else ():
                match setting.value:
                    case tree.Duration(value=ms):
                        values["seconds"] = ms / 1000
                    case tree.Integer(value=value) | tree.Number(value=value) | tree.Size(value=value):
                        values[setting.name.text] = value
        return cat.Budget.model_validate(values)
