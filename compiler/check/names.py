"""Names in value position: loop variables, the chain's names, the file's lets, and `run`."""

from __future__ import annotations

from dataclasses import replace

from compiler.check.labels import name_label
from compiler.check.scope import Path, Scope, ruled_out
from compiler.names.chain import Symbol
from compiler.types.report import did_you_mean, near
from dsl import tree
from dsl.diagnostics import Label
from stdlib.values.types import ERROR, STRING, TIMESTAMP, Field, Record, Type, may_be_null, optional, present

RUN = Record((Field("id", STRING), Field("started_at", TIMESTAMP)), open=False)

_OTHER_LANGUAGES = {
    "self": "Refer to a step, input or `let` by its name alone.",
    "this": "Refer to a step, input or `let` by its name alone.",
    "now": "There is no clock in a chain: `run.started_at` is the start of the run.",
}
_RESULT = ("result", "response", "output", "this", "self", "it")
"""Words for what a step gave, where it has the step's own name."""
GROUPS = ("steps", "step", "inputs", "input", "vars", "lets", "outputs")
"""Words that other languages put before a name."""


def ref(scope: Scope, node: tree.Ref) -> Type:
    """The type of a name; an unknown one is reported."""
    name = node.name
    if name in scope.variables:
        return _known(scope, name, scope.variables[name])
    chain = scope.chain
    if chain is not None and name in chain.names.symbols:
        return _known(scope, name, _own(scope, node, chain.names.symbols[name]))
    let = scope.file.names.lets.get(name)
    if let is not None:
        return scope.file.file_let(scope.file.module.path, let)
    if name == "run":
        return RUN
    unknown(scope, node)
    return ERROR


def _known(scope: Scope, name: str, found: Type) -> Type:
    """Without null where a condition around has ruled it out, for the value and for its fields."""
    return _proven(found, {path[1:] for path in scope.facts if path[0] == name}) if scope.facts else found


def _proven(found: Type, paths: set[Path]) -> Type:
    """The type where nothing that the paths lead to is null."""
    found = present(found) if () in paths else found
    inner = present(found)
    if not isinstance(inner, Record):
        return found
    fields = []
    for f in inner.fields:
        below = {path[1:] for path in paths if path[:1] == (f.name,)}
        fields.append(replace(f, type=_proven(f.type, below), required=f.required or () in below) if below else f)
    record = replace(inner, fields=tuple(fields))
    return optional(record) if may_be_null(found) else record


def _own(scope: Scope, node: tree.Ref, symbol: Symbol) -> Type:
    chain = scope.chain
    assert chain is not None, "only chains have symbols"
    name = node.name
    chain.used.add(name)
    if symbol.kind == "section":
        scope.report(
            "E0300",
            node,
            f"`{name}` is a section, which has no value.",
            helps="Refer to one of its steps, or write `after " + name + "` to wait for all of them.",
        )
        return ERROR
    if symbol.loops != scope.loops[: len(symbol.loops)]:
        loop = symbol.loops[-1]
        scope.report(
            "E0300",
            node,
            f"`{name}` lives inside the loop `{loop}` and cannot be seen here.",
            helps=f"Name it in the `return` of `{loop}`, then read it from the items of `{loop}`.",
        )
        return ERROR
    value = chain.values.get(name, ERROR)
    absent = set(chain.absent.get(name, ()))
    if symbol.section is not scope.section and _guarded(symbol.section):
        absent.add("skipped")
    return optional(value) if any(ruled_out(name, each) not in scope.facts for each in absent) else value


def _guarded(section: tree.Section | None) -> bool:
    return section is not None and any(isinstance(c, tree.When) for c in section.clauses)


def unknown(scope: Scope, node: tree.Ref) -> None:
    """There is no such name: say what was probably meant."""
    name, file = node.name, scope.file
    if name == scope.hidden:
        scope.report(
            "E0307",
            node,
            f"`when` decides about the whole step, so it cannot see the loop variable `{name}`.",
            helps=f"Choose the items: `for each {name} in [{name} for {name} in … if …]`.",
        )
        return
    if name in file.names.imports:
        if name not in file.module.broken:
            _import(scope, node)
        return
    if name in file.names.declared:
        word = file.names.word(name)
        hint = f"Chains are called by a step: `step x = {name}(…)`." if name in file.names.chains else ""
        scope.report("E0300", node, f"`{name}` is {word}, which has no value.", helps=hint)
        return
    if scope.afterwards is not None and name in _RESULT:
        _result(scope, node, *scope.afterwards)
        return
    if name == "result":
        hint = "`result` is what the call of a `verify` gave, or the new output inside an `adapter`."
        scope.report("E0300", node, "There is no `result` here.", helps=hint)
        return
    scope.report("E0300", node, f"I cannot find `{name}`.", helps=_meant(scope, name), also=_near(scope, node))


def _result(scope: Scope, node: tree.Ref, step: str, word: str) -> None:
    """What the step gave, by another word than its name."""
    if word == "reconcile":
        hint = "`reconcile` is asked because nobody knows whether the call happened: use what the step was given."
        scope.report("E0300", node, f"`{step}` has no result for its `reconcile`.", helps=hint)
        return
    hint = f"What the step gave has the name of the step: write `{step}`."
    fixes = (scope.report.replace(node, step),)
    scope.report("E0300", node, f"There is no `{node.name}` in `{word}`.", helps=hint, fixes=fixes)


def _meant(scope: Scope, name: str) -> str:
    if name in _OTHER_LANGUAGES:
        return _OTHER_LANGUAGES[name]
    symbols = scope.chain.names.symbols if scope.chain is not None else {}
    if name in GROUPS:
        some = next((s.name.text for s in symbols.values() if s.kind != "section"), "issue")
        return f"Steps, inputs and lets are named alone: `{some}`, not `{name}.{some}`."
    hint = did_you_mean(name, _known_names(scope))
    if hint:
        return hint
    for alias, path in scope.file.module.chain_imports.items():
        other = scope.file.files.get(path)
        if other is not None and name in other.lets:
            return f"Did you mean `{alias}.{name}`?"
    return f'If it is a text, write it in quotes: `"{name}"`.'


def _known_names(scope: Scope) -> list[str]:
    symbols = scope.chain.names.symbols if scope.chain is not None else {}
    own = (n for n, s in symbols.items() if s.kind != "section")
    return [*scope.variables, *own, *scope.file.names.lets, "run"]


def _near(scope: Scope, node: tree.Ref) -> tuple[Label, ...]:
    """Where the name that was probably meant is declared."""
    meant = near(node.name, _known_names(scope)) if node.name not in _OTHER_LANGUAGES | dict.fromkeys(GROUPS) else None
    return name_label(scope, node, meant) if meant is not None else ()


def _import(scope: Scope, node: tree.Ref) -> None:
    name = node.name
    chains = scope.file.module.chain_imports
    hint = (
        f"Name what you need of it: `{name}.NAME`."
        if name in chains
        else f"Tools are called by a step: `step x = {name}.…`."
    )
    scope.report("E0300", node, f"`{name}` is an import, which has no value.", helps=hint)
