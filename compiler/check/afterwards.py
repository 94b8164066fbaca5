"""What surrounds a side effect: `key` before it, `receipt`, `reconcile`, `verify` and `undo` after it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from compiler.check.arguments import Signature, call, path_place, written_path
from compiler.check.fit import check_fit
from compiler.check.misfit import Slot
from compiler.check.operators import condition
from compiler.check.scope import Scope
from compiler.graph.afterwards import settled
from compiler.graph.references import references
from compiler.program import ChainGraph, ToolSignature
from compiler.types.report import mended, shown
from dsl import tree
from stdlib.values.subtype import fits
from stdlib.values.types import (
    ERROR,
    JSON,
    STRING,
    ErrorType,
    Field,
    ListType,
    Record,
    Type,
    is_text,
    members,
    optional,
)

KEYED = Record((Field("key", STRING, doc="The key that the call was sent with."),), open=False)
"""What a step is to its `reconcile`: there is no result yet."""

UNKEYED = Record((), open=False)

_WORDS: dict[type, str] = {
    tree.Receipt: "receipt",
    tree.Reconcile: "reconcile",
    tree.Verify: "verify",
    tree.Undo: "undo",
}

_IDLE = {
    "undo": "has nothing to take back",
    "receipt": "names nothing that was done",
    "reconcile": "is never asked: a read can be done again",
}


def key_of(step: tree.Step) -> tree.Key | None:
    return next((c for c in step.clauses if isinstance(c, tree.Key)), None)


def fills(key: tree.Key, target: Signature) -> bool:
    """Whether the key has a parameter to go to."""
    found = target.parameters.field(key.parameter.text) if isinstance(target, ToolSignature) else None
    return found is not None and fits(STRING, found.type) is None


def check_key(scope: Scope, key: tree.Key, node: tree.Call, target: Signature) -> None:
    """`key PARAM`: a text parameter of the tool that no argument fills."""
    name, parameter = written_path(node.path), key.parameter
    if not isinstance(target, ToolSignature):
        hint = "Write `key` on the steps of that chain: their keys follow from its own."
        scope.report("E0509", parameter, f"`key` fills a parameter of a tool, but `{name}` is a chain.", helps=hint)
        return
    found = target.parameters.field(parameter.text)
    if found is None:
        hint = mended(parameter.text, (f.name for f in target.parameters.fields), "It takes")
        scope.report("E0501", parameter, f"`{name}` has no parameter `{parameter.text}`.", helps=hint)
        return
    if not fills(key, target):
        message = f"A key is a text, but `{found.name}` of `{name}` is {shown(found.type)}."
        scope.report("E0509", parameter, message, helps="Name the parameter that the tool has for such keys.")
        return
    for argument in node.arguments:
        if _gives(scope, argument, found.name):
            scope.report(
                "E0509",
                argument,
                f"`key` fills `{found.name}`, so the call does not give it.",
                helps="Remove this argument, or the `key`.",
                also=(scope.report.place(key, "filled here"),),
            )


def _gives(scope: Scope, argument: tree.Argument, name: str) -> bool:
    if argument.name is not None:
        return argument.name.text == name
    record = scope.file.types.get(id(argument.value))
    return argument.spread and isinstance(record, Record) and record.field(name) is not None


def afterwards(
    scope: Scope, step: tree.Step, targets: Mapping[int, Signature | None], result: Type, graph: ChainGraph
) -> None:
    """Check the clauses that run after the step and see what it gave; in a loop, that of one item.

    `result` is what the step's own calls give. What such a clause refers to must be there by then.
    """
    _of_what_it_does(scope, step, targets)
    one = result.item if isinstance(result, ListType) and isinstance(step.action, tree.EachCall) else result
    for clause in step.clauses:
        seen = scope
        if type(clause) in _WORDS:
            _there(scope, step, clause, graph)
            seen = replace(_naming(scope, step, one), afterwards=(step.name.text, _WORDS[type(clause)]))
        match clause:
            case tree.Undo(call=node):
                call(seen, node, targets.get(id(node)))
            case tree.Reconcile(call=node):
                unknown = _naming(seen, step, UNKEYED if key_of(step) is None else KEYED)
                _stands_for(scope, step, node, call(unknown, node, targets.get(id(node))), one)
            case tree.Verify(call=node, condition=test):
                given = call(seen, node, targets.get(id(node)))
                checked = replace(seen, variables={**seen.variables, "result": given}, afterwards=None)
                condition(checked, test, "`expect` needs a boolean")
            case tree.Receipt(value=value):
                _receipt(scope, value, seen.infer(value))
            case tree.Show(value=value):
                scope.infer(value)
            case _:
                pass


def _of_what_it_does(scope: Scope, step: tree.Step, targets: Mapping[int, Signature | None]) -> None:
    """E0606: `reconcile` and `verify` ask and do nothing themselves. W0612: nothing is done that could be taken back,
    named, or asked about."""
    own = targets.get(id(step.action.call)) if isinstance(step.action, tree.CallAction | tree.EachCall) else None
    for clause in step.clauses:
        word = _WORDS.get(type(clause))
        target = targets.get(id(clause.call)) if isinstance(clause, tree.Reconcile | tree.Verify) else None
        if isinstance(clause, tree.Reconcile | tree.Verify) and target is not None and not target.effects.read_only:
            name = written_path(clause.call.path)
            hint = f"Call one that only reads: it runs when `{step.name.text}` was done, or may have been."
            if isinstance(target, ToolSignature):
                tool = clause.call.path[-1].text
                hint += f" If this one does, say so in the import: `tool {tool} {{ effects read_only }}`."
            message = f"`{word}` asks what happened, but `{name}` is not read_only."
            scope.report("E0606", path_place(clause.call.path), message, helps=hint)
        elif word is not None and word != "verify" and own is not None and own.effects.read_only:
            at = tree.Node(clause.start, clause.start + len(word))
            message = f"`{step.name.text}` only reads, so its `{word}` {_IDLE[word]}."
            scope.report("W0612", at, message, helps="Remove it.")


def _naming(scope: Scope, step: tree.Step, type: Type) -> Scope:
    """Where the step's own name stands for `type`."""
    return replace(scope, variables={**scope.variables, step.name.text: type})


def _stands_for(scope: Scope, step: tree.Step, node: tree.Call, given: Type, result: Type) -> None:
    """The answer of `reconcile` becomes the step's result, or is null."""
    name = step.name.text
    whole = f"`reconcile` gives what `{name}` would have given, or null"
    slot = Slot("E0508", whole, f"What `reconcile` gives cannot stand for `{name}`")
    check_fit(scope, path_place(node.path), given, optional(result), slot)


def _receipt(scope: Scope, node: tree.Expr, found: Type) -> None:
    if found == JSON or all(is_text(m) or isinstance(m, ErrorType) for m in members(found)):
        return
    written = scope.report.text(node)
    hint = f'Write `"${{{written}}}"`.' if fits(found, STRING) is not None and len(written) <= 30 else ""
    message = f"`receipt` is a text, the outside world's name for what was done, but this is {shown(found)}."
    scope.report("E0404", node, message, helps=hint)


def _there(scope: Scope, step: tree.Step, clause: tree.Clause, graph: ChainGraph) -> None:
    """What the clause refers to must have run: the step itself waits for it, or its loop does."""
    chain = scope.chain
    assert chain is not None, "steps stand in chains"
    there = settled(graph.needs, step.name.text)
    for name, ref in references(clause).items():
        symbol = chain.names.symbols.get(name)
        if symbol is None or symbol.kind not in ("let", "step") or symbol.loops != scope.loops or name in there:
            continue
        word = _WORDS[type(clause)]
        scope.report(
            "E0507",
            ref,
            f"`{word}` refers to `{name}`, which may not have run.",
            helps=f"It can use the result of `{step.name.text}`, and what `{step.name.text}` itself uses or waits for.",
        )
        scope.file.types[id(ref)] = ERROR
        chain.used.add(name)
