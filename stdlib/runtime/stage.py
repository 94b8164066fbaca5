"""What answers in the place of tools, chains and people while a test runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from ..plan.plan import ChainTarget, Std, ToolTarget
from ..plan.scenario import Answers, Fails, Given, Returns, Scenario, StepTarget
from .clean import excerpt
from .evaluate import EvaluationFault, Scope, compile_expression
from .events import StartCall
from .fault import BY_NAME, Fault, RunFault, bounded
from .given import Givens, Ready, Target
from .load import loaded_arguments
from .loaded import LoadedPlan
from .question import Answer, Answered, Approved, Expired, Question, Refused
from .result import ToolAnswer
from .written import written

PERSON: Final = "test"
"""Who approves in a test."""

_INDEX: Final = re.compile(r"\[\d+\]|~\d+")


StandardAnswer = Callable[[str, str, str, dict[str, Any]], ToolAnswer | None]
"""Module, tool, how messages call it, arguments → what a tool of the standard library answers; None: it is not pure."""


class Stage:
    """Answers with what is given, else as the standard library does, where the tool is one of its own.
    `unanswered`: a sentence for each other call. `given`: also what nothing asked for."""

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
        self.given = Givens()

    def prepare(self) -> None:
        """Evaluates what is given, when the names of the test have their values. Raises `RunFault`."""
        for given in self._scenario.given:
            try:
                arguments = self._arguments(given)
                value = None
                if not isinstance(given.reaction, Fails):
                    value = compile_expression(given.reaction.value)(self._scope)
            except EvaluationFault as found:
                raise RunFault(Fault(found.fault_class, bounded(found.message), None, given.origin)) from None
            self.given.add(*self._target(given), Ready(given, arguments, value))

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
        target = ("tool", tool.source, tool.plan.name) if tool.source else ("chain", tool.key)
        ready = self.given.ask(target, command.step, sent)
        if ready is not None:
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

    def _target(self, given: Given) -> tuple[Target, str]:
        """What is answered for, and how messages call it. A tool is the same whatever the files claim of it."""
        match given.target:
            case ToolTarget(source=source, name=name):
                named = self._tools[source, name]
                return ("tool", named.source, named.plan.name), named.label
            case ChainTarget(id=id):
                return ("chain", id), f"`{id}`"
            case StepTarget(name=name):
                return ("step", name), f"`{name}`"

    def asked(self, question: Question) -> Answer | Fault:
        """The answer to a question; a `given` for a step counts for all its items."""
        name = _INDEX.sub("", question.step).rsplit(".", 1)[-1]
        ready = self.given.ask(("step", name), question.step, {})
        if ready is not None:
            return _answer(ready, question)
        self.unanswered.append(f'`{question.step}` asks "{bounded(question.text, 200)}"; no `given` answers it')
        return Fault("input_required", f"Nothing is given for `{question.step}`.")


def _answer(ready: Ready, question: Question) -> Answer | Fault:
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


def _fault(given: Given, name: str) -> Fault:
    if name not in BY_NAME:
        return Fault("internal", f"There is no class of faults `{name[:80]}`.", None, given.origin)
    return Fault(name, "The test says so.")
