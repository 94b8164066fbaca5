"""Runs the tests that authors write beside their chains: over given answers, without a tool, a person or a clock."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from ..plan import expression as ex
from ..plan.model import Origin
from ..plan.plan import ChainTarget, Tool
from ..plan.scenario import Expectation, Scenario
from .arguments import build_arguments, check_inner
from .clean import excerpt
from .evaluate import Evaluate, EvaluationFault, Scope, compile_expression
from .events import (
    AskPerson,
    CallFailed,
    CallSucceeded,
    CancelCall,
    CancelTimer,
    Ending,
    Event,
    PersonAnswered,
    StartCall,
    StartTimer,
    TimerFired,
)
from .fault import Fault, RunFault, bounded
from .gates.side_effect import known_outcome
from .given import Unasked
from .load import loaded_arguments
from .loaded import REQUEST_KEY, LoadedChain, LoadedPlan, LoadedTool
from .machine import Machine
from .result import Reading, read_sized
from .stage import Stage, StandardAnswer

AT: Final = "2026-01-01T00:00:00Z"
"""The time of a test that says none."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What was expected, where that is written, and what was found."""

    text: str
    origin: Origin
    found: str


@dataclass(frozen=True, slots=True)
class Note:
    """What an author should know of a test that passed."""

    text: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """`fault`: how the run ended, where it did in a fault, expected or not."""

    passed: bool
    failures: tuple[Failure, ...]
    fault: Fault | None
    notes: tuple[Note, ...] = ()


def run_scenario(loaded: LoadedPlan, scenario: Scenario, standard: StandardAnswer | None = None) -> ScenarioResult:
    """Runs the chain of a test over its given answers. Waits pass at once; nothing is called but `standard`, where
    nothing is given for a tool of the standard library."""
    values: dict[str, Any] = {}
    scope = Scope(values)
    chain = loaded.chains[scenario.chain]
    ending: Ending
    stage = Stage(loaded, scenario, scope, standard)
    try:
        for let in scenario.lets:
            values[let.name] = evaluated(compile_expression(let.value), scope, let.origin)
        stage.prepare()
        built = partial(evaluated, origin=scenario.origin)
        arguments = build_arguments(loaded_arguments(scenario.arguments), scope, built)
        _check(chain, arguments)
        ending = _Play(_with_stand_ins(loaded, scenario), scenario, stage).run(arguments)
    except RunFault as found:
        ending = found.fault
    return _judged(scenario, stage, scope, ending)


def _judged(scenario: Scenario, stage: Stage, scope: Scope, ending: Ending) -> ScenarioResult:
    fault = ending if isinstance(ending, Fault) else None
    unasked = stage.given.unasked()
    if stage.unanswered:  # what follows from a missing answer is no news
        failures = [Failure("an answer for every call", scenario.origin, each) for each in stage.unanswered]
        failures += [_unasked(each) for each in unasked if each.unfit]
        return ScenarioResult(False, tuple(failures), fault)
    failures = []
    if fault is not None and not any(mentions(each.condition, "fault") for each in scenario.expect):
        failures.append(Failure(f"`{scenario.chain}` to succeed", scenario.origin, _told(fault)))
    outcome = {
        "output": None if isinstance(ending, Fault) else ending.value,
        "fault": None if fault is None else _seen(fault),
    }
    after = scope.inner(outcome)
    for expectation in scenario.expect:
        found_instead = _unmet(expectation, after, outcome)
        if found_instead is not None:
            failures.append(Failure(expectation.text, expectation.origin, found_instead))
    if failures:  # a run that went another way asks for less
        failures += [_unasked(each) for each in unasked if each.called]
        return ScenarioResult(False, tuple(failures), fault)
    failures = [_unasked(each) for each in unasked if each.called or each.given.arguments]
    notes = [_never(each) for each in unasked if not (each.called or each.given.arguments)]
    return ScenarioResult(not failures, tuple(failures), fault, tuple(notes))


def _unasked(found: Unasked) -> Failure:
    return Failure(found.expected, found.given.origin, found.found)


def _never(found: Unasked) -> Note:
    """No mistake: what is given for every call of a tool may be there so that tests look alike."""
    return Note(f"{found.label} needs no answer: {found.found}.", found.given.origin)


def _check(chain: LoadedChain, arguments: dict[str, Any]) -> None:
    """A test calls as a chain calls: a handle is given as the value behind it."""
    given = {name: value for name, value in arguments.items() if name != REQUEST_KEY or not chain.takes_request_key}
    check_inner(chain, given)


def _with_stand_ins(loaded: LoadedPlan, scenario: Scenario) -> LoadedPlan:
    """The plan with something in place of every chain that the test answers for."""
    answered = [each.target.id for each in scenario.given if isinstance(each.target, ChainTarget)]
    return replace(loaded, stand_ins={id: _stand_in(loaded.chains[id]) for id in answered})


def _stand_in(chain: LoadedChain) -> LoadedTool:
    id, schema = chain.plan.id, chain.plan.input_schema
    tool = Tool(name=id, input_schema=schema, result_schema=chain.output.schema, digest="")
    return LoadedTool("", id, f"`{id}`", tool, chain.inner_input, Reading(chain.output))


class _Play:
    """A machine and what stands around it. Calls are answered in the order in which they are made; a timer fires only
    where nothing else can happen, the earliest first."""

    def __init__(self, loaded: LoadedPlan, scenario: Scenario, stage: Stage) -> None:
        self._at = scenario.at or AT
        self._machine = Machine(loaded, scenario.chain, {"id": "run_test", "started_at": self._at})
        self._stage = stage
        self._result_bytes = loaded.plan.limits.result_bytes
        self._events: deque[tuple[str, Event]] = deque()
        self._timers: list[tuple[int, int, str]] = []
        self._live: set[str] = set()
        self._now = 0
        self._count = 0

    def run(self, arguments: Mapping[str, Any]) -> Ending:
        commands = self._machine.start(arguments)
        while True:
            for command in commands:
                self._carry_out(command)
            if self._machine.ending is not None:
                return self._machine.ending
            commands = self._machine.handle(self._next())

    def _next(self) -> Event:
        while self._events:
            name, event = self._events.popleft()
            if name in self._live:
                self._live.discard(name)
                return event
        while True:
            assert self._timers, "a run never waits for nothing"
            self._now, _, timer = heapq.heappop(self._timers)
            if timer in self._live:
                self._live.discard(timer)
                return TimerFired(timer)

    def _carry_out(self, command: object) -> None:
        match command:
            case StartCall(call=call):
                self._answer(call, self._called(command))
            case AskPerson(call=call, question=question):
                self._answer(call, PersonAnswered(call, self._stage.asked(question), self._at))
            case StartTimer(timer=timer, ms=ms):
                self._count += 1
                self._live.add(timer)
                heapq.heappush(self._timers, (self._now + ms, self._count, timer))
            case CancelCall(call=name) | CancelTimer(timer=name):
                self._live.discard(name)

    def _answer(self, name: str, event: Event) -> None:
        self._live.add(name)
        self._events.append((name, event))

    def _called(self, command: StartCall) -> Event:
        tool = command.tool
        try:
            answer = self._stage.called(command)
            value, size = read_sized(tool.label, tool.reading, answer, self._result_bytes)
        except RunFault as found:
            is_chain = tool.key in self._machine.loaded.stand_ins and not tool.source
            fault = known_outcome(found.fault, tool.label, command.repeatable or is_chain)
            return CallFailed(command.call, fault, command.key)
        return CallSucceeded(command.call, value, size)


# ------------------------------------------------------------------ expectations


def evaluated(expression: Evaluate, scope: Scope, origin: Origin) -> Any:
    try:
        return expression(scope)
    except EvaluationFault as found:
        raise RunFault(Fault(found.fault_class, bounded(found.message), None, found.origin or origin)) from None


def _unmet(expectation: Expectation, scope: Scope, outcome: Mapping[str, Any]) -> str | None:
    """None where it is met; else what was found instead."""
    condition = expectation.condition
    try:
        if evaluated(compile_expression(condition), scope, expectation.origin) is True:
            return None
        if isinstance(condition, ex.Compare):
            sides = (condition.left, condition.right)
            left, right = (evaluated(compile_expression(side), scope, expectation.origin) for side in sides)
            return f"{excerpt(left, 200)} {condition.op} {excerpt(right, 200)} is false"
    except RunFault as found:
        return f"it cannot be told: {found.fault.message}"
    seen = [name for name in ("output", "fault") if mentions(condition, name)] or ["output"]
    return ", ".join(f"{name} is {excerpt(outcome[name], 400)}" for name in seen)


def mentions(expression: ex.Expression, name: str) -> bool:
    """Whether an expression refers to a name."""

    def walk(node: object) -> bool:
        if isinstance(node, ex.Ref):
            return node.name == name
        if isinstance(node, list | tuple):
            return any(map(walk, node))
        if isinstance(node, dict):
            return any(map(walk, node.values()))
        return hasattr(node, "model_fields_set") and any(walk(value) for _, value in node)  # type: ignore[attr-defined]

    return walk(expression)


def _seen(fault: Fault) -> dict[str, Any]:
    """What an expectation sees of a fault."""
    return {
        "class": fault.fault_class,
        "message": fault.message,
        "done": list(fault.done),
        "undone": list(fault.undone),
        "not_undone": [each["step"] for each in fault.not_undone],
    }


def _told(fault: Fault) -> str:
    where = f" at `{fault.step}`" if fault.step else ""
    return f"the run ended{where} with {fault.fault_class}: {fault.message}"
