"""Small plans for tests, and a driver by hand: commands are looked at, events are given."""

from __future__ import annotations

from typing import Any

from stdlib.plan import expression as ex
from stdlib.plan import plan as p
from stdlib.plan.model import Origin
from stdlib.runtime.events import CallFailed, CallSucceeded, CancelCall, Command, StartCall, StartTimer, TimerFired
from stdlib.runtime.fault import Fault
from stdlib.runtime.load import LoadedPlan, load_plan
from stdlib.runtime.machine import Machine

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


def step(name: str, *needs: str, tool: str = "read", when: Any = None, chain: str | None = None, **more: Any):
    """A call of `test.TOOL` with the arguments `more["arguments"]`; the further ones are the policy's fields."""
    arguments = tuple(p.Argument(name=key, value=value) for key, value in more.pop("arguments", {}).items())
    target = p.ChainTarget(id=chain) if chain else p.ToolTarget(source="test", name=tool)
    return p.CallStep(
        name=name,
        call=p.CallPlan(target=target, arguments=arguments),
        when=when,
        needs=needs,
        policy=p.Policy(**more),
        read_only=tool == "read",
        origin=AT,
    )


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
    """A machine driven by hand. `log` has what it wanted, in order: `call NAME`, `cancel NAME`, `wait NAME MS`."""

    def __init__(self, *chains: p.Chain, loaded: LoadedPlan | None = None) -> None:
        self.loaded = loaded or load_plan(plan(*chains))
        self.machine = Machine(self.loaded, next(iter(self.loaded.chains)), RUN)
        self.log: list[str] = []
        self.starts: dict[str, StartCall] = {}
        self.commands: list[Command] = []

    def start(self, **arguments: Any) -> Hand:
        return self._note(self.machine.start(arguments))

    def ok(self, call: str, value: Any = None) -> Hand:
        return self._note(self.machine.handle(CallSucceeded(self._full(call), value)))

    def fail(self, call: str, fault_class: str = "tool_error", message: str = "no") -> Hand:
        return self._note(self.machine.handle(CallFailed(self._full(call), Fault(fault_class, message))))

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
                case StartTimer(timer=timer, ms=ms):
                    self.log.append(f"timer {timer} {ms}")
        return self
