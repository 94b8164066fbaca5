"""Faults in the calls themselves: their tools, the names of their arguments, literals."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from tests.graphs.oracle import refuses
from tests.graphs.seeding import Seeded, misspelt, shuffled
from tests.graphs.specifications import Schema, Tools
from tests.graphs.wiring import Fields, Graph, Literal, Several, Value

_OTHERS: tuple[Value, ...] = (
    Literal("nine"),
    Literal(9),
    Literal(9.5),
    Literal(True),
    Several((Literal("nine"),)),
    Several((Literal(9),)),
    Fields((("name", Literal("nine")),)),
)


def missing_argument(graph: Graph, tools: Tools, chance: random.Random) -> Iterator[Seeded]:
    """A required argument is not given."""
    for call, name, _ in shuffled(graph.arguments(), chance):
        if name in call.tool.required:
            new = replace(call, arguments=tuple(each for each in call.arguments if each[0] != name))
            yield graph.with_call(call, new), (("path", call.label, ""), ("step", call.label, ""))


def misspelt_argument(graph: Graph, tools: Tools, chance: random.Random) -> Iterator[Seeded]:
    """An argument has a name that the tool does not know."""
    for call, name, value in shuffled(graph.arguments(), chance):
        wrong = misspelt(name, chance)
        new = replace(call, arguments=tuple((wrong if given is value else key, given) for key, given in call.arguments))
        yield graph.with_call(call, new), (("name", call.label, wrong), ("step", call.label, ""))


def wrong_literal(graph: Graph, tools: Tools, chance: random.Random) -> Iterator[Seeded]:
    """An argument, or a part of one, is a literal that is not taken there."""
    sites = [
        (call, part, wanted)
        for call, name, value in graph.arguments()
        for part, wanted in _parts(value, call.tool.parameters.get(name, {}))
    ]
    for call, value, wanted in shuffled(sites, chance):
        refused = [each for each in _OTHERS if refuses(wanted, each)]
        if refused:
            new = replace(chance.choice(refused))
            yield graph.with_value(call, value, new), (new,)


def different_tool(graph: Graph, tools: Tools, chance: random.Random) -> Iterator[Seeded]:
    """A step calls another tool of the same source, with the arguments and the uses of the one that is meant."""
    for call in shuffled(graph.calls, chance):
        offered = [tool for tool in tools.values() if tool.source == call.tool.source and tool.name != call.tool.name]
        for tool in shuffled(offered, chance)[:4]:
            used = tuple(reference for _, reference in graph.references() if reference.call == call.label)
            yield graph.with_call(call, replace(call, tool=tool)), (("step", call.label, ""), *used)


def _parts(value: Value, wanted: Schema) -> Iterator[tuple[Value, Schema]]:
    """A value and what is inside of it, with what is taken there."""
    yield value, wanted
    match value:
        case Several(items):
            inner = wanted.get("items", {})
            for item in items:
                yield from _parts(item, inner if isinstance(inner, dict) else {})
        case Fields(fields):
            for name, each in fields:
                yield from _parts(each, wanted.get("properties", {}).get(name, {}))
        case _:
            pass
