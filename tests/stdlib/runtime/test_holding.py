"""Which values stay in the store: what steps pass on, and what is looked into."""

from __future__ import annotations

from typing import Any

import pytest

from stdlib.plan import expression as ex
from stdlib.plan import plan as p
from stdlib.runtime.load import load_plan

from .plans import call, chain, const, given, let, loop, plan, record, ref, require, step, verify

TEXT = {"type": "string"}
UPLOAD = p.Invocation(stdin=ref("body"), arguments=(p.CommandArgument(value=ref("name")),))
OUT: dict[str, Any] = {"mode": "handle", "out": {"handle": "page"}}


def made(*chains: p.Chain) -> p.Plan:
    """`test.get` gives a handle; `cmd.send` takes `body` from the store, and `name` as an argument."""
    whole = plan(*chains, kinds={"page": p.Kind(json_schema=TEXT)})
    got = whole.sources["test"].tools["read"].model_copy(update={"name": "get", "handle": "page"})
    tools = {**whole.sources["test"].tools, "get": got}
    takes = {"type": "object", "properties": {"body": TEXT, "name": TEXT, "short": {**TEXT, "maxLength": 5}}}
    sender = p.Tool(name="send", input_schema=takes, digest="-")
    command = p.Command(program="cat", invocations={"send": UPLOAD})
    sources = {
        "test": whole.sources["test"].model_copy(update={"tools": tools}),
        "cmd": p.Source(kind="command", transport=command, tools={"send": sender}),
    }
    return whole.model_copy(update={"sources": sources})


def get(name: str = "got", **more: Any) -> Any:
    return step(name, tool="get", **more)


def send(**arguments: Any) -> Any:
    target = p.ToolTarget(source="cmd", name="send")
    return step("sent").model_copy(
        update={
            "call": p.CallPlan(
                target=target, arguments=tuple(p.Argument(name=k, value=v) for k, v in arguments.items())
            )
        }
    )


def not_null(name: str) -> ex.Compare:
    return ex.Compare(op="!=", left=ref(name), right=const(None), on="json")


def condition(value: Any) -> ex.If:
    return ex.If(condition=const(True), then=value, otherwise=const("x"))


def held(*chains: p.Chain) -> bool:
    """Whether the step `got` of the first chain stays in the store."""
    bindings = load_plan(made(*chains)).chains[chains[0].id].block.bindings
    return next(each.held for each in bindings if getattr(each.plan, "name", "") == "got")  # type: ignore[union-attr]


PASSED_ON: dict[str, Any] = {
    "the output": [chain("c", get(), output=ref("got"), **OUT)],
    "nothing": [chain("c", get(), output=const(1))],
    "a let": [chain("c", get(), let("x", ref("got"), "got"), output=ref("x"), **OUT)],
    "if": [chain("c", get(), output=condition(ref("got")), **OUT)],
    "or else": [chain("c", get(), output=ex.Logic(op="else", left=ref("got"), right=const("")), **OUT)],
    "a test for null": [chain("c", get(), step("s", when=not_null("got")), output=const(1))],
    "an upload": [chain("c", get(), send(body=ref("got"), name=const("n")), output=const(1))],
    "a chain that passes it on": [
        chain("c", get(), step("s", chain="d", arguments={"page": ref("got")}), output=ref("s"), **OUT),
        chain("d", inputs=(given("page", handle="page"),), output=ref("page"), **OUT),
    ],
    "what it is instead": [chain("c", get(on_error=p.Use(value=const(""))), output=ref("got"), **OUT)],
    "what takes it back": [chain("c", get(undo=call("write", of=const(1))), output=const(1))],
}

LOOKED_INTO: dict[str, Any] = {
    "an output that is no handle": [chain("c", get(), output=ref("got"))],
    "a part of a value": [chain("c", get(), output=record(a=ref("got")), **OUT)],
    "a condition": [chain("c", get(), step("s", when=ref("got")), output=const(1))],
    "a comparison": [
        chain("c", get(), output=ex.Compare(op="==", left=ref("got"), right=const("x"), on="text"), **OUT)
    ],
    "the summary": [chain("c", get(), output=const(1), mode="handle", out={"handle": "page", "summary": ref("got")})],
    "a let": [chain("c", get(), let("x", ref("got"), "got"), output=ref("x"))],
    "a tool": [chain("c", get(), step("s", arguments={"body": ref("got")}), output=const(1))],
    "an argument of a program": [chain("c", get(), send(name=ref("got")), output=const(1))],
    "a text that is checked": [chain("c", get(), send(short=ref("got")), output=const(1))],
    "a chain that reads it": [
        chain("c", get(), step("s", chain="d", arguments={"page": ref("got")}), output=const(1)),
        chain("d", inputs=(given("page", handle="page"),), output=ref("page")),
    ],
    "what a chain gives": [
        chain("c", get(), step("s", chain="d", arguments={"page": ref("got")}), output=ref("s")),
        chain("d", inputs=(given("page", handle="page"),), output=ref("page"), **OUT),
    ],
    "a chain that takes a value": [
        chain("c", get(), step("s", chain="d", arguments={"page": ref("got")}), output=const(1)),
        chain("d", inputs=(given("page"),), output=const(1)),
    ],
    "what takes it back": [chain("c", get(undo=call("write", of=ref("result"))), output=const(1))],
    "what makes sure": [chain("c", get(verify=verify(const(True), of=ref("result"))), output=const(1))],
    "its receipt": [chain("c", get(receipt=ref("result")), output=const(1))],
    "a key": [chain("c", get(key="k"), output=const(1))],
    "a requirement": [chain("c", get(), require("r", ref("got"), "no", "got"), output=const(1))],
    "a loop": [chain("c", get(), loop("l", ref("got"), step("s")), output=const(1))],
}


@pytest.mark.parametrize("how", PASSED_ON)
def test_what_is_passed_on_stays_in_the_store(how: str):
    assert held(*PASSED_ON[how])


@pytest.mark.parametrize("how", LOOKED_INTO)
def test_what_is_looked_into_does_not(how: str):
    assert not held(*LOOKED_INTO[how])


def test_inputs_and_bodies_of_loops():
    inner = loop("l", const([1]), get(), step("s", chain="d", arguments={"page": ref("got")}), result=const(1))
    one = load_plan(
        made(
            chain("c", inner, output=const(1)),
            chain("d", inputs=(given("page", handle="page"), given("other", handle="page")), output=ref("other")),
        )
    )
    body = one.chains["c"].block.bindings[0].block  # type: ignore[union-attr]
    assert body.bindings[0].held  # type: ignore[union-attr]
    assert one.chains["d"].held_inputs == {"page"}
