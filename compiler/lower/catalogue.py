"""Catalogue entries: what each visible chain promises, gathered from its clauses and its proven types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from compiler.lower.bound import bound
from compiler.program import CheckedChain, Program, ToolSignature
from compiler.types.constants import NotConstant, json_value
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
    clauses = _Clauses(chain)
    before, after = _requirements(chain, lowered)
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
            examples=tuple(_example(chain, m) for m in chain.node.members if isinstance(m, tree.Example)),
            groups=clauses.names("groups"),
            stages=clauses.names("stages"),
        ),
        input=cat.EntryInput(json_schema=lowered.input_schema, constraints=before),
        output=cat.EntryOutput(
            mode=lowered.output.mode,
            kind=lowered.output.handle,
            json_schema=lowered.output.json_schema,
            adapted=tuple(_adapted(lowered)),
            bound=_bound(program, chain),
            empty=clauses.text("empty"),
            faults=(*_declared(chain), *(_fault("precondition", message) for message in after)),
        ),
        behaviour=cat.Behaviour(
            read_only=effects.read_only,
            idempotent=effects.idempotent,
            destructive=effects.destructive,
            open_world=effects.open_world,
            scopes=chain.signature.scopes,
            approvals=approvals(lowered.bindings),
            budget=clauses.budget(),
            retries=_retries(chain, lowered),
        ),
        uses=_uses(program, chain),
        deprecated=_deprecation(chain),
        source=cat.SourcePlace(file=lowered.origin.file, line=lowered.origin.line),
    )


def _adapted(lowered: plan.Chain) -> Iterator[cat.AdaptedOutput]:
    """What calls of older versions get, where it is not what all get; a handle is the same for all."""
    for adapter in lowered.adapters if lowered.output.mode == "scalar" else ():
        schema = adapter.output_schema
        if schema is not None and (schema, adapter.wrapped) != (lowered.output.json_schema, lowered.wrapped):
            yield cat.AdaptedOutput.model_validate({"version": adapter.version, "schema": schema})


def _bound(program: Program, chain: CheckedChain) -> int | Literal["unbounded"]:
    output = next(m for m in chain.node.members if isinstance(m, tree.Output))
    return bound(chain.signature.result, program.type_of(output.value))


def _retries(chain: CheckedChain, lowered: plan.Chain) -> Literal["safe", "keyed", "none"]:
    """`keyed` only where a key makes it safe: other writes would be done twice."""
    effects = chain.signature.effects
    if effects.read_only or effects.idempotent:
        return "safe"
    return "keyed" if lowered.keyed and chain.signature.retry_safe else "none"


def _declared(chain: CheckedChain) -> tuple[cat.DeclaredFault, ...]:
    clauses = (m for m in chain.node.members if isinstance(m, tree.Fails))
    return tuple(_fault(m.fault.text, _plain(chain, m.when)) for m in clauses)


def _fault(fault_class: str, when: str) -> cat.DeclaredFault:
    return cat.DeclaredFault.model_validate({"class": fault_class, "when": when})


def _requirements(chain: CheckedChain, lowered: plan.Chain) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The messages of `require`: those that inputs alone decide, and those that wait for a step."""
    messages = [_plain(chain, m.message) for m in chain.node.members if isinstance(m, tree.Require)]
    waiting: set[str] = set()
    late: dict[str, bool] = {}
    for binding in lowered.bindings:
        if isinstance(binding, plan.CallStep | plan.MapStep) or waiting.intersection(binding.needs):
            waiting.add(binding.name)
        if isinstance(binding, plan.Require):
            late[binding.name] = binding.name in waiting
    named = [(f"require#{number}", message) for number, message in enumerate(messages, 1)]
    return tuple(m for name, m in named if not late[name]), tuple(m for name, m in named if late[name])


def approvals(bindings: tuple[plan.Binding, ...]) -> tuple[str, ...]:
    """The groups whose approval a chain may ask for; `user` is the client's user."""
    groups: dict[str, None] = {}
    for binding in bindings:
        if isinstance(binding, plan.ApproveStep):
            groups[binding.by or "user"] = None
        elif isinstance(binding, plan.MapStep):
            groups |= dict.fromkeys(approvals(binding.bindings))
    return tuple(groups)


def _deprecation(chain: CheckedChain) -> cat.Deprecation | None:
    node = next((m for m in chain.node.members if isinstance(m, tree.Deprecated)), None)
    if node is None:
        return None
    told = {s.name.text: s.value.plain for s in node.settings if isinstance(s.value, tree.Text)}
    return cat.Deprecation.model_validate({"reason": _plain(chain, node.message), **told})


def _example(chain: CheckedChain, node: tree.Example) -> cat.Example:
    arguments: dict[str, Any] = {}
    for argument in node.arguments:
        try:
            if argument.name is not None:
                arguments[argument.name.text] = json_value(argument.value)
        except NotConstant:
            continue
    return cat.Example(request=_plain(chain, node.request), arguments=arguments)


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


def _plain(chain: CheckedChain, text: tree.Text) -> str:
    """The text; what is interpolated stands as it is written, in braces."""
    source = chain.module.file.source.text
    return "".join(part if isinstance(part, str) else f"{{{source[part.start : part.end]}}}" for part in text.parts)


class _Clauses:
    """The header clauses of a chain."""

    def __init__(self, chain: CheckedChain) -> None:
        self.chain, self.members = chain, chain.node.members

    def texts(self, keyword: str) -> tuple[str, ...]:
        clauses = (m for m in self.members if isinstance(m, tree.TextClause) and m.keyword == keyword)
        return tuple(_plain(self.chain, m.text) for m in clauses)

    def text(self, keyword: str) -> str | None:
        return next(iter(self.texts(keyword)), None)

    def names(self, keyword: str) -> tuple[str, ...]:
        clauses = (m for m in self.members if isinstance(m, tree.NamesClause) and m.keyword == keyword)
        return tuple(dict.fromkeys(name.text for clause in clauses for name in clause.names))

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
