"""`test` blocks: tree → scenarios that the runtime can execute over given answers."""

from __future__ import annotations

from compiler.lower.calls import arguments_for, target_of
from compiler.lower.expressions import lower_expression
from compiler.lower.scope import Scope
from compiler.lower.sources import tool_keys
from compiler.program import ChainSignature, CheckedTest, Program, ToolSignature
from dsl import tree
from stdlib.plan import scenario
from stdlib.plan.plan import Let
from stdlib.values.types import Record


def lower_scenarios(program: Program) -> tuple[scenario.Scenario, ...]:
    """All tests of the project, in the order of files and lines."""
    keys = tool_keys(program)
    return tuple(_scenario(program, test, keys) for test in program.tests)


def _scenario(program: Program, test: CheckedTest, keys: dict[int, str]) -> scenario.Scenario:
    members = test.node.members
    lets = [m for m in members if isinstance(m, tree.Let)]
    call = next(m.call for m in members if isinstance(m, tree.TestCall))
    at = next((m.timestamp.plain for m in members if isinstance(m, tree.TestAt)), None)
    scope = Scope(program, test.module, frozenset(m.name.text for m in lets), keys)
    after = scope.bind("output", "fault")
    return scenario.Scenario(
        name=test.node.name.plain or "",
        at=at,
        lets=tuple(Let(name=m.name.text, value=lower_expression(scope, m.value), origin=scope.origin(m)) for m in lets),
        given=tuple(_given(scope, test, m) for m in members if isinstance(m, tree.Given)),
        chain=test.chain.id,
        arguments=arguments_for(scope, test.chain.parameters, call.arguments),
        expect=tuple(
            scenario.Expectation(
                condition=lower_expression(after, m.condition),
                text=scope.text(m.condition),
                origin=scope.origin(m),
            )
            for m in members
            if isinstance(m, tree.Expect)
        ),
        origin=scope.origin(test.node),
    )


def _given(scope: Scope, test: CheckedTest, node: tree.Given) -> scenario.Given:
    meant = test.targets[id(node)]
    parameters = meant.parameters if isinstance(meant, ToolSignature | ChainSignature) else Record(())
    arguments = None if node.arguments is None else arguments_for(scope, parameters, node.arguments)
    return scenario.Given(
        target=scenario.StepTarget(name=meant) if isinstance(meant, str) else target_of(scope, meant),
        arguments=arguments,
        reaction=_reaction(scope, node),
        origin=scope.origin(node),
    )


def _reaction(scope: Scope, node: tree.Given) -> scenario.Returns | scenario.Fails | scenario.Answers:
    if node.reaction == "fails":
        assert isinstance(node.value, tree.Text), "the parser lets only texts pass"
        return scenario.Fails(fault_class=node.value.plain or "")
    value = lower_expression(scope, node.value)
    return scenario.Answers(value=value) if node.reaction == "answers" else scenario.Returns(value=value)
