"""`test` blocks: given answers, one call of a chain, and what is expected of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from compiler.check.adapters import own_name
from compiler.check.arguments import Signature, arguments, call, path_place, written_path
from compiler.check.fit import expect
from compiler.check.misfit import Slot
from compiler.check.operators import condition
from compiler.check.scope import Scope, Surroundings
from compiler.check.steps import let_type
from compiler.graph.references import all_steps
from compiler.program import ChainSignature, CheckedChain, CheckedTest
from compiler.types.report import did_you_mean, mended, shown
from dsl import tree
from stdlib.values.faults import FAULTS
from stdlib.values.types import BOOLEAN, STRING, TIMESTAMP, Field, ListType, LiteralType, Record, optional, union

_STEPS = tuple(Field(name, ListType(STRING)) for name in ("done", "undone", "not_undone"))
FAULT = optional(
    Record((Field("class", union(*map(LiteralType, FAULTS))), Field("message", STRING), *_STEPS), open=False)
)
"""How the call ended, in `expect`: null where it gave an output. Steps by their paths, as in a fault."""

Resolve = Callable[[tuple[tree.Name, ...]], Signature | None]
_RESERVED = ("output", "fault")


def check_test(
    file: Surroundings,
    node: tree.Test,
    resolve: Resolve,
    chains: Mapping[str, CheckedChain],
) -> CheckedTest | None:
    """Type everything in a test; None where it is not known which chain it calls. `chains` by id."""
    scope = Scope(file)
    names: dict[str, tree.Name] = {}
    for member in node.members:
        if isinstance(member, tree.Let):
            found = let_type(scope, member)
            if own_name(scope, member.name, names, _RESERVED):
                scope = scope.binding(member.name.text, found)
    signature = _called(scope, node, resolve)
    tested = chains.get(signature.id) if signature is not None else None
    targets: dict[int, Signature | str] = {}
    for member in node.members:
        if isinstance(member, tree.Given):
            meant = _given(scope, member, resolve, tested)
            if meant is not None:
                targets[id(member)] = meant
        elif isinstance(member, tree.TestAt):
            said = "`at` is the time of the run, a timestamp"
            expect(scope, member.timestamp, TIMESTAMP, Slot("E0404", said, said))
    if signature is not None:
        after = replace(scope, variables={**scope.variables, "output": signature.result, "fault": FAULT})
        _expectations(after, node)
    return CheckedTest(file.module, node, signature, targets) if signature is not None else None


def _called(scope: Scope, node: tree.Test, resolve: Resolve) -> ChainSignature | None:
    found = [m for m in node.members if isinstance(m, tree.TestCall)]
    if not found:
        message = "This test calls no chain."
        scope.report("E0310", node.name, message, helps="Write `call CHAIN(…)`, then `expect …`.")
        return None
    for extra in found[1:]:
        first = scope.report.place(found[0], "the first one")
        scope.report("E0310", extra, "A test calls one chain.", helps="Write another test for it.", also=(first,))
    path = found[0].call.path
    target = resolve(path)
    call(scope, found[0].call, target)
    if target is None or isinstance(target, ChainSignature):
        return target
    message = f"A test calls a chain, but `{written_path(path)}` is a tool."
    scope.report("E0310", path_place(path), message, helps="What a tool answers is said with `given`.")
    return None


def _expectations(scope: Scope, node: tree.Test) -> None:
    found = [m for m in node.members if isinstance(m, tree.Expect)]
    if not found:
        hint = 'For example `expect output != null`, or `expect fault?.class == "timeout"`.'
        scope.report("E0310", node.name, "This test expects nothing.", helps=hint)
    for member in found:
        condition(scope, member.condition, "`expect` needs a boolean")


def _given(scope: Scope, node: tree.Given, resolve: Resolve, tested: CheckedChain | None) -> Signature | str | None:
    """What the path means: a tool, a chain, or for `answers` a step of the tested chain that asks a person."""
    steps = {s.name.text: s for s in all_steps(tested.node.members)} if tested is not None else {}
    asking = {n: s for n, s in steps.items() if isinstance(s.action, tree.ApproveAction | tree.AskAction)}
    name = node.path[0].text if len(node.path) == 1 else None
    if node.reaction == "answers" or name in asking:
        return _answer(scope, node, asking.get(name or ""), list(asking), tested)
    target = resolve(node.path)
    if target is None:
        _look_at(scope, node)
        return None
    path = written_path(node.path)
    if node.arguments is not None:
        arguments(scope, path_place(node.path), node.arguments, target.parameters, path)
    if node.reaction == "fails":
        _fault_class(scope, node.value)
    else:
        slot = Slot("E0404", f"`{path}` gives {shown(target.result)}", f"What `{path}` returns here does not fit")
        expect(scope, node.value, target.result, slot)
    return target


def _answer(
    scope: Scope, node: tree.Given, step: tree.Step | None, asking: list[str], tested: CheckedChain | None
) -> str | None:
    name = written_path(node.path)
    if step is None:
        _look_at(scope, node)
        if tested is not None:
            steps = did_you_mean(name, asking) or mended("", asking, "It asks in")
            message = f"`{tested.node.name.text}` has no `approve` or `ask` step `{name}`, so nobody answers."
            hint = steps or f"What a tool gives is said with `returns`: `given {name} returns …`."
            scope.report("E0311", path_place(node.path), message, helps=hint)
        return None
    silence = node.reaction == "fails" and isinstance(node.value, tree.Text) and node.value.plain == "timeout"
    if node.reaction != "answers" and not silence:
        _look_at(scope, node)
        agrees, declines = ("true", "false") if isinstance(step.action, tree.ApproveAction) else ("{ … }", "null")
        hint = (
            f"Write `given {name} answers {agrees}`, `answers {declines}` where the answer is no, "
            'or `fails "timeout"` where nobody answers in time.'
        )
        scope.report("E0311", path_place(node.path), f"`{name}` asks a person, who answers.", helps=hint)
        return None
    if node.arguments is not None:
        scope.report("E0311", path_place(node.path), f"`{name}` asks a person, so it has no arguments.")
    if silence:
        scope.infer(node.value)
        return name
    if isinstance(step.action, tree.AskAction):
        # The form was read where the chain was checked.
        wanted = optional(scope.file.types[id(step.action.form)])
        slot = Slot("E0404", f"`{name}` asks for {shown(wanted)}", f"The answer to `{name}` does not fit")
    else:
        wanted = BOOLEAN
        slot = Slot("E0404", f"The answer to `{name}` is true or false", f"The answer to `{name}` does not fit")
    expect(scope, node.value, wanted, slot)
    return name


def _look_at(scope: Scope, node: tree.Given) -> None:
    """Type what stands in a `given` that leads nowhere."""
    for argument in node.arguments or ():
        scope.infer(argument.value)
    scope.infer(node.value)


def _fault_class(scope: Scope, node: tree.Expr) -> None:
    scope.infer(node)
    name = node.plain if isinstance(node, tree.Text) else None
    if name is None or name in FAULTS:
        return
    scope.report("E0506", node, f"There is no fault class `{name}`.", helps=mended(name, FAULTS, "There are"))
