"""A call graph, wired: every argument says where its value comes from and how it is read. What faults are seeded in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from tests.graphs.specifications import Tool


@dataclass(frozen=True, slots=True)
class Read:
    """A field. `sure`: it is always there, so no `!` is written behind it."""

    name: str
    sure: bool


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a list, which may be too short: a `!` is written behind it."""

    index: int


@dataclass(frozen=True, slots=True, eq=False)
class Literal:
    value: str | int | float | bool | None


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """A part of what a call gave. `reading`: "" as it is, "text" inside a text, else the type after `as`."""

    call: str
    path: tuple[Read | Item, ...] = ()
    reading: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Mixed:
    """A text with references inside."""

    parts: tuple[str | Reference, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Several:
    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Fields:
    fields: tuple[tuple[str, Value], ...]


Value = Literal | Reference | Mixed | Several | Fields


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """`after`: calls that come first although nothing of theirs is passed on."""

    label: str
    tool: Tool
    arguments: tuple[tuple[str, Value], ...]
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """`claims`: the type, as it is written, of the results of tools that specify none, by their names. `means`: what
    the translator had to write beyond the graph's own words."""

    id: str
    origin: str
    calls: tuple[Call, ...]
    result: Value
    claims: Mapping[str, str]
    means: frozenset[str] = frozenset()

    def call(self, label: str) -> Call | None:
        return next((call for call in self.calls if call.label == label), None)

    def above(self, call: Call) -> tuple[Call, ...]:
        return self.calls[: self.calls.index(call)]

    def arguments(self) -> list[tuple[Call, str, Value]]:
        return [(call, name, value) for call in self.calls for name, value in call.arguments]

    def references(self) -> list[tuple[Call | None, Reference]]:
        """All of them, with the calls whose arguments they are in; None for those of the result."""
        passed = [(call, each) for call, _, value in self.arguments() for each in references(value)]
        return [*passed, *((None, each) for each in references(self.result))]

    def with_call(self, old: Call, new: Call) -> Graph:
        return replace(self, calls=tuple(new if call is old else call for call in self.calls))

    def with_value(self, call: Call | None, old: Value, new: Value) -> Graph:
        """With a part of an argument (or, without a call, of the result) exchanged."""
        if call is None:
            return replace(self, result=exchanged(self.result, old, new))
        arguments = tuple((name, exchanged(value, old, new)) for name, value in call.arguments)
        return self.with_call(call, replace(call, arguments=arguments))


def references(value: Value) -> Iterator[Reference]:
    """All references inside of a value."""
    match value:
        case Reference():
            yield value
        case Mixed(parts):
            yield from (part for part in parts if isinstance(part, Reference))
        case Several(items):
            for item in items:
                yield from references(item)
        case Fields(fields):
            for _, inner in fields:
                yield from references(inner)
        case Literal():
            pass


def exchanged(value: Value, old: Value, new: Value) -> Value:
    """The value with one part of it exchanged."""
    if value is old:
        return new
    match value:
        case Mixed(parts) if isinstance(new, Reference):
            return Mixed(tuple(new if part is old else part for part in parts))
        case Several(items):
            return Several(tuple(exchanged(item, old, new) for item in items))
        case Fields(fields):
            return Fields(tuple((name, exchanged(inner, old, new)) for name, inner in fields))
        case _:
            return value
