"""Small plans for tests, and a driver by hand: commands are looked at, events are given."""

from __future__ import annotations

from typing import Any

from stdlib.plan import expression as ex
from stdlib.plan import plan as p
from stdlib.plan.model import Origin
from stdlib.runtime.events import (
    AskPerson,
    CallFailed,
    CallSucceeded,
    CancelCall,
    Command,
    PersonAnswered,
    StartCall,
    StartTimer,
    TimerFired,
)
from stdlib.runtime.fault import Fault
from stdlib.runtime.load import LoadedPlan, load_plan
from stdlib.runtime.machine import Machine
from stdlib.runtime.question import Answer, Question

AT = Origin(file="test.chain", line=1, column=1)
RUN = {"id": "run_1", "started_at": "2026-06-01T08:00:00Z"}


def const(value: Any) -> ex.Const:
    return ex.Const(value=value)


def ref(name: str) -> ex.Ref:
    return ex.Ref(name=name)


def record(**fields: Any) -> ex.RecordOf:
    return ex.RecordOf(fields=tuple(ex.FieldOf(name=name, value=value) for name, value in fields.items()))


def let(name: str, value: Any, *needs: str) -> p.Let:
    return p.Let(name=name, value=value, needs=needs, origin=AT)


def require(name: str, condition: Any, message: str, *needs: str) -> p.Require:
    return p.Require(name=name, condition=condition, message=const(message), needs=needs, origin=AT)


def call(tool: str = "write", chain: str | None = None, **arguments: Any) -> p.CallPlan:
    """A call of `test.TOOL`, or of a chain."""
    target = p.ChainTarget(id=chain) if chain else p.ToolTarget(source="test", name=tool)
    return p.CallPlan(target=target, arguments=tuple(p.Argument(name=k, value=v) for k, v in arguments.items()))


_AROUND = ("key", "receipt", "reconcile", "verify", "undo")


def step(name: str, *needs: str, tool: str = "read", when: Any = None, chain: str | None = None, **more: Any):
    """A call of `test.TOOL` with the arguments `more["arguments"]`; the further ones are the policy's fields, or what
    stands around the call: `key`, `receipt`, `reconcile`, `verify`, `undo`."""
    around = {clause: more.pop(clause) for clause in _AROUND if clause in more}
    return p.CallStep(
        name=name,
        call=call(tool, chain, **more.pop("arguments", {})),
        when=when,
        needs=needs,
        policy=p.Policy(**more),
        read_only=tool == "read" and not chain,
        origin=AT,
        **around,
    )


def write(name: str, *needs: str, **more: Any):
    """A write that can be taken back: `undo NAME(of: its result)`."""
    return step(name, *needs, tool="write", undo=call("write", of=ref(name)), **more)


def verify(condition: Any, **arguments: Any) -> p.Verify:
    return p.Verify(call=call("read", **arguments), condition=condition, text="result is right")


def approve(name: str, *needs: str, **more: Any):
    return p.ApproveStep(name=name, question=const(f"May {name}?"), needs=needs, origin=AT, **more)


def ask(name: str, *needs: str, form: Any = None, **more: Any):
    fields = {"type": "object", "properties": {"size": {"enum": ["s", "m"]}}, "required": ["size"]}
    return p.AskStep(name=name, question=const("Which?"), form=form or fields, needs=needs, origin=AT, **more)


def loop(name: str, items: Any, *body: Any, result: Any = None, needs: tuple[str, ...] = (), when=None, **policy: Any):
    return p.MapStep(
        name=name,
        variable="item",
        items=items,
        bindings=body,
        result=result if result is not None else ref(body[-1].name),
        needs=needs,
        when=when,
        policy=p.Policy(**policy),
        read_only=True,
        origin=AT,
    )


def chain(id: str, *bindings: Any, output: Any, inputs: Any = (), schema: Any = None, **more: Any) -> p.Chain:
    properties: dict[str, Any] = {each.name: {} for each in inputs}
    required = [each.name for each in inputs if each.required]
    return p.Chain(
        id=id,
        inputs=inputs,
        input_schema={"type": "object", "properties": properties, "required": required},
        bindings=bindings,
        output=p.Output(mode=more.pop("mode", "scalar"), value=output, json_schema=schema or {}, **more.pop("out", {})),
        origin=AT,
        **more,
    )


def given(name: str, *, required: bool = True, **more: Any) -> p.Input:
    return p.Input(name=name, required=required, **more)


def tool(name: str, *, read_only: bool = False, idempotent: bool = False, **more: Any) -> p.Tool:
    effects = p.Effects(read_only=read_only, idempotent=idempotent)
    return p.Tool(name=name, input_schema={"type": "object"}, result_schema={}, effects=effects, digest="-", **more)


def plan(*chains: p.Chain, **more: Any) -> p.Plan:
    tools = {"read": tool("read", read_only=True), "write": tool("write"), "put": tool("put", idempotent=True)}
    source = p.Source(transport=p.Stdio(command="nothing"), tools=tools)
    return p.Plan(name="test", version="1.0.0", sources={"test": source}, chains={c.id: c for c in chains}, **more)


class Hand:
    """A machine driven by hand. `log` has what it wanted, in order: `call NAME`, `cancel NAME`, `timer NAME MS`, `ask
    NAME`; timers of undoing are left out."""

    def __init__(self, *chains: p.Chain, loaded: LoadedPlan | None = None, request_key: str | None = None) -> None:
        self.loaded = loaded or load_plan(plan(*chains))
        self.machine = Machine(self.loaded, next(iter(self.loaded.chains)), RUN, request_key)
        self.log: list[str] = []
        self.starts: dict[str, StartCall] = {}
        self.questions: dict[str, Question] = {}
        self.commands: list[Command] = []

    def start(self, **arguments: Any) -> Hand:
        return self._note(self.machine.start(arguments))

    def ok(self, call: str, value: Any = None) -> Hand:
        return self._note(self.machine.handle(CallSucceeded(self._full(call), value)))

    def fail(self, call: str, fault_class: str = "tool_error", message: str = "no", **more: Any) -> Hand:
        return self._note(self.machine.handle(CallFailed(self._full(call), Fault(fault_class, message, **more))))

    def answer(self, step: str, answer: Answer | Fault, at: str = "2026-06-01T09:00:00Z") -> Hand:
        return self._note(self.machine.handle(PersonAnswered(self._full(step), answer, at)))

    def fire(self, timer: str) -> Hand:
        return self._note(self.machine.handle(TimerFired(timer)))

    def event(self, event: Any) -> Hand:
        return self._note(self.machine.handle(event))

    def news(self) -> list[str]:
        """What was wanted since the last look."""
        log, self.log = self.log, []
        return log

    @property
    def fault(self) -> Fault:
        assert isinstance(self.machine.ending, Fault), self.machine.ending
        return self.machine.ending

    @property
    def value(self) -> Any:
        assert self.machine.ending is not None, "the run has not ended"
        assert not isinstance(self.machine.ending, Fault), self.machine.ending
        return self.machine.ending.value

    def _full(self, call: str) -> str:
        return call if "#" in call else f"{call}#1"

    def _note(self, commands: list[Command]) -> Hand:
        for command in commands:
            self.commands.append(command)
            match command:
                case StartCall(call=call):
                    self.log.append(f"call {call.removesuffix('#1')}")
                    self.starts[call] = command
                case CancelCall(call=call):
                    self.log.append(f"cancel {call.removesuffix('#1')}")
                case AskPerson(call=call, question=question):
                    self.log.append(f"ask {call.removesuffix('#1')}")
                    self.questions[question.step] = question
                case StartTimer(timer=timer, ms=ms) if not timer.startswith("undo:"):
                    self.log.append(f"timer {timer} {ms}")
        return self
