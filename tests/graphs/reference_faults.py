"""Faults in what is passed on: a reference that leads to another place than the one that is meant."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from tests.graphs.seeding import Seeded, misspelt, paths, shuffled
from tests.graphs.specifications import Tools
from tests.graphs.translation import fits
from tests.graphs.wiring import Call, Graph, Read, Reference, Value, references


def wrong_field(graph: Graph, tools: Tools, chance: random.Random) -> Iterator[Seeded]:
    """A field of a reference is misspelt. Graphs without references get one to a field that the call above lacks."""
    sites = [(call, each) for call, each in graph.references() if _fields(each)]
    for call, reference in shuffled(sites, chance):
        at = chance.choice(_fields(reference))
        part = _read(reference, at)
        new = _with_field(reference, at, replace(part, name=misspelt(part.name, chance)))
        yield graph.with_value(call, reference, new), (new,)
    if sites:
        return
    for call, name, value in shuffled(graph.arguments(), chance):
        for above in shuffled(graph.above(call), chance):
            new = Reference(above.label, (Read(misspelt(name, chance), True),))
            yield graph.with_value(call, value, new), (new,)
    for each in graph.calls:
        new = Reference(each.label, (Read(misspelt("status", chance), True),))
        yield replace(graph, result=new), (new,)


def later_call(graph: Graph, tools: Tools, chance: random.Random) -> Iterator[Seeded]:
    """An argument takes a value that fits from a call below; where that gives none, `after` names the call."""
    pairs = [(call, later) for i, call in enumerate(graph.calls) for later in graph.calls[i + 1 :]]
    for call, later in shuffled(pairs, chance):
        step = ("step", call.label, "")
        for name, value in shuffled(call.arguments, chance):
            wanted = call.tool.parameters.get(name, {})
            fitting = [path for path, leaf in paths(later.tool, chance) if fits(leaf, wanted)]
            for path in fitting[:1]:
                new = Reference(later.label, path)
                yield graph.with_value(call, value, new), (new, step)
        waiting = replace(call, after=(*call.after, later.label))
        yield graph.with_call(call, waiting), (("after", call.label, later.label), step)


def wrong_type(graph: Graph, tools: Tools, chance: random.Random) -> Iterator[Seeded]:
    """A reference leads to another field of the result, of a type that does not fit as it is. Graphs without
    references get one to such a field of a call above."""
    sites: list[tuple[Call, str, Value, Call | None]] = [
        (call, name, reference, graph.call(reference.call))
        for call, name, value in graph.arguments()
        for reference in references(value)
    ]
    if not sites:
        sites = [(call, name, value, each) for call, name, value in graph.arguments() for each in graph.above(call)]
    for call, name, old, source in shuffled(sites, chance):
        wanted = call.tool.parameters.get(name, {})
        unfit = [path for path, leaf in paths(source.tool, chance) if not fits(leaf, wanted)] if source else []
        for path in unfit[:4]:
            assert source is not None, "only a call has paths"
            new = Reference(source.label, path)
            yield graph.with_value(call, old, new), (new,)


def different_call(graph: Graph, tools: Tools, chance: random.Random) -> Iterator[Seeded]:
    """A reference names another call; its path and what is made of the value stay."""
    for call, reference in shuffled(graph.references(), chance):
        for other in shuffled(graph.calls if call is None else graph.above(call), chance):
            if other.label != reference.call:
                new = replace(reference, call=other.label)
                yield graph.with_value(call, reference, new), (new,)


def unguarded_field(graph: Graph, tools: Tools, chance: random.Random) -> Iterator[Seeded]:
    """A field that may be missing is read without `!`."""
    for call, reference in shuffled(graph.references(), chance):
        guarded = [i for i in _fields(reference) if not _read(reference, i).sure]
        if guarded:
            at = chance.choice(guarded)
            new = _with_field(reference, at, replace(_read(reference, at), sure=True))
            yield graph.with_value(call, reference, new), (new,)


def _fields(reference: Reference) -> list[int]:
    return [i for i, part in enumerate(reference.path) if isinstance(part, Read)]


def _read(reference: Reference, at: int) -> Read:
    part = reference.path[at]
    assert isinstance(part, Read), "a place of a field"
    return part


def _with_field(reference: Reference, at: int, part: Read) -> Reference:
    return replace(reference, path=(*reference.path[:at], part, *reference.path[at + 1 :]))
