"""A wired graph as the text of a chain, one argument a line; remembers where each part was written."""

from __future__ import annotations

import re
from decimal import Decimal

from dsl.tokens import RESERVED
from tests.graphs.wiring import Call, Fields, Graph, Item, Literal, Mixed, Read, Reference, Several, Value

Place = tuple[int, int]
"""Offsets in the text: the first and the one behind the last."""

Part = Value | tuple[str, str, str]
"""A value, or ("step" | "path" | "name" | "after", label of a call, name of the argument or of the call waited for)."""

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "$": "\\$", "{": "\\{"}


class Text:
    """The text of a chain. `values` has the places of values by identity; `steps` by label, `paths` those of what
    they call; `names` of arguments and `after` of labels by the label of the step and the name."""

    def __init__(self, graph: Graph) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self.values: dict[int, Place] = {}
        self.steps: dict[str, Place] = {}
        self.paths: dict[str, Place] = {}
        self.names: dict[tuple[str, str], Place] = {}
        self.after: dict[tuple[str, str], Place] = {}
        self._graph(graph)

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def place(self, part: Part) -> Place:
        """Where a part of the graph was written."""
        match part:
            case ("step", label, _):
                return self.steps[label]
            case ("path", label, _):
                return self.paths[label]
            case ("name", label, name):
                return self.names[label, name]
            case ("after", label, name):
                return self.after[label, name]
            case _:
                return self.values[id(part)]

    def _put(self, text: str) -> Place:
        start = self._length
        self._pieces.append(text)
        self._length += len(text)
        return start, self._length

    def _graph(self, graph: Graph) -> None:
        for source in dict.fromkeys(call.tool.source for call in graph.calls):
            self._put(f'import {source} from mcp "{source}"')
            tools = dict.fromkeys(call.tool.name for call in graph.calls if call.tool.source == source)
            claimed = [name for name in tools if name in graph.claims]
            if claimed:
                self._put(" {\n")
                for name in claimed:
                    self._put(f"  tool {named(name)} returns {graph.claims[name]}\n")
                self._put("}")
            self._put("\n")
        self._put("\nchain graph {\n")
        for call in graph.calls:
            self._call(call)
        self._put("  output = ")
        self._value(graph.result)
        self._put("\n}\n")

    def _call(self, call: Call) -> None:
        start, _ = self._put(f"  step {call.label} = ")
        path, _ = self._put(f"{call.tool.source}.{named(call.tool.name)}")
        self.paths[call.label] = path, self._length
        self._put("(")
        for name, value in call.arguments:
            self._put("\n    ")
            self.names[call.label, name] = self._put(named(name))
            self._put(": ")
            self._value(value)
            self._put(",")
        self._put("\n  )" if call.arguments else ")")
        if call.after:
            self._put(" { after ")
            for i, label in enumerate(call.after):
                self._put(", " if i else "")
                self.after[call.label, label] = self._put(label)
            self._put(" }")
        self.steps[call.label] = start, self._length
        self._put("\n")

    def _value(self, value: Value) -> None:
        start = self._length
        match value:
            case Literal(literal):
                self._put(scalar(literal))
            case Reference():
                self._reference(value)
            case Mixed(parts):
                self._put('"')
                for part in parts:
                    if isinstance(part, str):
                        self._put(escaped(part))
                    else:
                        self._put("${")
                        self._value(part)
                        self._put("}")
                self._put('"')
            case Several(items):
                self._put("[")
                for i, item in enumerate(items):
                    self._put(", " if i else "")
                    self._value(item)
                self._put("]")
            case Fields(fields):
                self._put("{ " if fields else "{")
                for i, (name, inner) in enumerate(fields):
                    self._put(", " if i else "")
                    self._put(f"{named(name)}: ")
                    self._value(inner)
                self._put(" }" if fields else "}")
        self.values[id(value)] = start, self._length

    def _reference(self, reference: Reference) -> None:
        path = reference.call
        for part in reference.path:
            match part:
                case Read(name, sure):
                    path += f".{named(name)}" + ("" if sure else "!")
                case Item(index):
                    path += f"[{index}]!"
        if reference.reading == "text":
            self._put(f'"${{{path}}}"')
        else:
            self._put(f"{path} as {reference.reading}" if reference.reading else path)


def named(name: str) -> str:
    """A name of a tool, a parameter or a field, in quotes where it needs them."""
    return name if _IDENTIFIER.fullmatch(name) and name not in RESERVED else quoted(name)


def quoted(text: str) -> str:
    return f'"{escaped(text)}"'


def escaped(text: str) -> str:
    return "".join(_ESCAPES.get(c) or (c if c.isprintable() else f"\\u{{{ord(c):x}}}") for c in text)


def scalar(value: str | int | float | bool | None) -> str:
    """A JSON scalar as a literal."""
    if value is None:
        return "null"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    plain = format(Decimal(repr(value)), "f")
    return plain if "." in plain else plain + ".0"
