"""What answers in the place of tools, chains and people while a test runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from ..plan.plan import ChainTarget, Std, ToolTarget
from ..plan.scenario import Answers, Fails, Given, Returns, Scenario, StepTarget
from ..values.equal import equal
from .clean import excerpt
from .evaluate import EvaluationFault, Scope, compile_expression
from .events import StartCall
from .fault import BY_NAME, Fault, RunFault, bounded
from .load import loaded_arguments
from .loaded import LoadedPlan, LoadedTool
from .question import Answer, Answered, Approved, Expired, Question, Refused
from .result import ToolAnswer
from .written import written

PERSON: Final = "test"
"""Who approves in a test."""

_INDEX: Final = re.compile(r"\[\d+\]|~\d+")


StandardAnswer = Callable[[str, str, str, dict[str, Any]], ToolAnswer | None]
"""Module, tool, how messages call it, arguments → what a tool of the standard library answers; None: it is not pure."""


@dataclass(frozen=True, slots=True)
class _Ready:
    """A `given` with the values that its arguments and its answer have. `arguments`: None fits every call."""

    given: Given
    arguments: dict[str, Any] | None
    value: Any


class Stage:
    """Answers with the last `given` that fits, else as the standard library does, where the tool is one of its own.
    `unanswered`: a sentence for each other call."""

    def __init__(
        self, loaded: LoadedPlan, scenario: Scenario, scope: Scope, standard: StandardAnswer | None = None
    ) -> None:
        self.unanswered: list[str] = []
        self._standard = standard
        self._modules = {
            name: source.transport.name
            for name, source in loaded.plan.sources.items()
            if isinstance(source.transport, Std)
        }
        self._tools = loaded.tools
        self._scenario = scenario
        self._scope = scope
        self._ready: list[_Ready] = []

    def prepare(self) -> None:
        """Evaluates what is given, when the names of the test have their values. Raises `RunFault`."""
        for given in reversed(self._scenario.given):
            try:
                arguments = None if given.arguments is None else self._arguments(given)
                value = None
                if not isinstance(given.reaction, Fails):
                    value = compile_expression(given.reaction.value)(self._scope)
            except EvaluationFault as found:
                raise RunFault(Fault(found.fault_class, bounded(found.message), None, given.origin)) from None
            self._ready.append(_Ready(given, arguments, value))

    def _arguments(self, given: Given) -> dict[str, Any]:
        """Null stands for an argument that is left out, too."""
        values: dict[str, Any] = {}
        for argument in loaded_arguments(given.arguments or ()):
            value = argument.value(self._scope)
            if argument.plan.name is not None:
                values[argument.plan.name] = value
            elif value is not None:
                values |= value
        return values

    def called(self, command: StartCall) -> ToolAnswer:
        """The answer to a call of a tool, or of a chain that something stands in for. Raises `RunFault`."""
        tool, sent = command.tool, command.arguments
        for ready in self._ready:
            if self._is_meant(ready.given, tool) and _fits(ready.arguments, sent):
                if isinstance(ready.given.reaction, Fails):
                    raise RunFault(_fault(ready.given, ready.given.reaction.fault_class))
                shape = tool.reading.shape
                value = ready.value if shape is None else written(ready.value, shape.schema)
                return ToolAnswer(structured=value, plain=True)
        if self._standard is not None and tool.source in self._modules:
            answer = self._standard(self._modules[tool.source], tool.plan.name, tool.label, sent)
            if answer is not None:
                return answer
        what = {"step": "", "undo": " to undo", "verify": " to verify", "reconcile": " to reconcile"}[command.purpose]
        step = f" by `{command.step}`" if command.step else ""
        self.unanswered.append(f"{tool.label} was called{what}{step} with {excerpt(sent, 400)}; no `given` fits")
        raise RunFault(Fault("tool_error", f"Nothing is given for this call of {tool.label}."))

    def _is_meant(self, given: Given, tool: LoadedTool) -> bool:
        """Whether an answer is for this tool, whatever the files claim of it; for a chain, whether it is that one."""
        target = given.target
        if isinstance(target, ToolTarget):
            named = self._tools[target.source, target.name]
            return (named.source, named.plan.name) == (tool.source, tool.plan.name)
        return isinstance(target, ChainTarget) and ("", target.id) == (tool.source, tool.key)

    def asked(self, question: Question) -> Answer | Fault:
        """The answer to a question; a `given` for a step counts for all its items."""
        name = _INDEX.sub("", question.step)
        for ready in self._ready:
            target = ready.given.target
            if isinstance(target, StepTarget) and name.rsplit(".", 1)[-1] == target.name:
                return _answer(ready, question)
        self.unanswered.append(f'`{question.step}` asks "{bounded(question.text, 200)}"; no `given` answers it')
        return Fault("input_required", f"Nothing is given for `{question.step}`.")


def _answer(ready: _Ready, question: Question) -> Answer | Fault:
    reaction = ready.given.reaction
    match reaction:
        case Fails(fault_class="timeout"):
            return Expired()
        case Fails(fault_class=name):
            return _fault(ready.given, name)
        case Answers() | Returns():
            if ready.value is None or ready.value is False:
                return Refused(PERSON)
            return Approved(PERSON) if question.kind == "approve" else Answered(ready.value)


def _fits(wanted: dict[str, Any] | None, sent: dict[str, Any]) -> bool:
    return wanted is None or all(equal(sent.get(name), value) for name, value in wanted.items())


def _fault(given: Given, name: str) -> Fault:
    if name not in BY_NAME:
        return Fault("internal", f"There is no class of faults `{name[:80]}`.", None, given.origin)
    return Fault(name, "The test says so.")
