"""A call graph of the corpus as a wired graph: references resolved along the specified results.

What the translator does and what it refuses to do is written in README.md beside this file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tests.graphs.specifications import Schema, Tools
from tests.graphs.wiring import Call, Fields, Graph, Item, Literal, Mixed, Read, Reference, Several, Value, references
from tests.graphs.writing import named, quoted

_REFERENCE = re.compile(r"\$([A-Za-z]\w*)((?:\.[^$]+)?)\$")
_SEGMENT = re.compile(r"(.*?)(?:\[(\d+)\])?")
_NUMBERED = re.compile(r"(\w*?)(\d+)")
_STRING = frozenset({"string"})
_LIST = frozenset({"array"})
_TEXTS = frozenset({"string", "number", "integer", "boolean"})
_FORMATS = {"date": "date", "date-time": "timestamp", "uri": "url", "email": "email", "uuid": "uuid"}
_ANY: Schema = {}


def translate(raw: Mapping[str, Any], tools: Tools) -> Graph:
    """One line of `graphs.jsonl`, wired. KeyError where it calls a tool that is not among `tools`."""
    return _Translator(raw, tools).graph()


def _labels(raw: Mapping[str, Any]) -> list[str]:
    """The calls are numbered by their places, which is what references count; a few labels are not."""
    found = _NUMBERED.fullmatch(raw["calls"][0]["label"])
    assert found is not None, "labels end in a number"
    return [f"{found[1]}{int(found[2]) + place}" for place in range(len(raw["calls"]))]


class _Translator:
    def __init__(self, raw: Mapping[str, Any], tools: Tools) -> None:
        self._raw = raw
        self._tools = {label: tools[call["name"]] for label, call in zip(_labels(raw), raw["calls"], strict=True)}
        self._claimed: dict[str, dict[str, Any]] = {}
        self._means: set[str] = set()

    def graph(self) -> Graph:
        calls = tuple(self._call(label, call) for label, call in zip(self._tools, self._raw["calls"], strict=True))
        final = self._raw["final"]
        result: Value = Reference(calls[-1].label) if final is None else self._value(final, None)
        claims = {tool: _written(fields) for tool, fields in self._claimed.items()}
        if list(self._tools) != [call["label"] for call in self._raw["calls"]]:
            self._means.add("calls numbered by place")
        return Graph(self._raw["id"], self._raw["source"], calls, result, claims, frozenset(self._means))

    def _call(self, label: str, call: Mapping[str, Any]) -> Call:
        tool = self._tools[label]
        arguments = tuple(
            (name, self._value(value, tool.parameters.get(name, _ANY))) for name, value in call["arguments"].items()
        )
        carried = {each.call for _, value in arguments for each in references(value)}
        return Call(label, tool, arguments, tuple(each for each in call["deps"] if each not in carried))

    def _value(self, value: Any, wanted: Schema | None) -> Value:
        """`wanted`: what the parameter takes; None in the graph's own result, which takes anything as it is."""
        match value:
            case str():
                return self._text(value, wanted)
            case list():
                items = (wanted or _ANY).get("items", _ANY)
                return Several(tuple(self._value(item, items if isinstance(items, dict) else _ANY) for item in value))
            case dict():
                inner = (wanted or _ANY).get("properties", _ANY)
                return Fields(
                    tuple(
                        (name, self._value(each, None if wanted is None else inner.get(name, _ANY)))
                        for name, each in value.items()
                    )
                )
            case int() | float() if not isinstance(value, bool) and kinds(wanted or _ANY) == _STRING:
                self._means.add("number given as text")
                return Literal(str(value))
            case _:
                return Literal(value)

    def _text(self, text: str, wanted: Schema | None) -> Value:
        whole = _REFERENCE.fullmatch(text)
        if whole is not None:
            return self._reference(whole[1], whole[2], wanted)
        if _REFERENCE.search(text) is None:
            return Literal(text)
        parts: list[str | Reference] = []
        at = 0
        for found in _REFERENCE.finditer(text):
            parts += [text[at : found.start()], self._reference(found[1], found[2], {"type": "string"}, inside=True)]
            at = found.end()
        return Mixed(tuple(part for part in (*parts, text[at:]) if part != ""))

    def _reference(self, label: str, path: str, wanted: Schema | None, inside: bool = False) -> Reference:
        segments = [_SEGMENT.fullmatch(segment) for segment in path.split(".")[1:]]
        names = [(found[1], found[2]) for found in segments if found is not None]
        tool = self._tools.get(label)
        if tool is not None and tool.result is None and names and wanted is not None:
            self._claim(tool.name, [name for name, _ in names], wanted)
            return Reference(label, tuple(Read(name, True) for name, _ in names))
        parts, leaf = walk(tool.result if tool is not None else None, names)
        if wanted is None:
            # The result takes what may be missing; on the way there nothing may be.
            parts[-1:] = [Read(part.name, True) if isinstance(part, Read) else part for part in parts[-1:]]
            return Reference(label, tuple(parts))
        more, reading = adapted(leaf, wanted)
        if inside and reading == "text":
            reading = ""
        self._means |= {"number read as text"} if reading == "text" else {"cast (`as`)"} if reading else set()
        if any(isinstance(part, Item) for part in (*parts, *more)):
            self._means.add("item of a list (`[0]!`)")
        return Reference(label, (*parts, *more), reading)

    def _claim(self, tool: str, names: list[str], wanted: Schema) -> None:
        self._means.add("claim (`returns`)")
        fields = self._claimed.setdefault(tool, {})
        for name in names[:-1]:
            fields = fields.setdefault(name, {})
        fields[names[-1]] = type_text(wanted)


def walk(result: Schema | None, names: list[tuple[str, str | None]]) -> tuple[list[Read | Item], Schema]:
    """The parts of a path of (field, index) through a specified result, and the schema where it ends.

    A field of a list without an index is that of its first item.
    """
    parts: list[Read | Item] = []
    at = _ANY if result is None else result
    for name, index in names:
        while kinds(at) == _LIST:
            parts.append(Item(0))
            at = _items(at)
        known = name in at.get("properties", {})
        parts.append(Read(name, not known or name in at.get("required", ())))
        at = at["properties"][name] if known else _ANY
        if index is not None:
            parts.append(Item(int(index)))
            at = _items(at)
    return parts, at


def adapted(found: Schema, wanted: Schema) -> tuple[list[Item], str]:
    """How a value of one schema is read where another is wanted: first items to take, and a reading.

    Nothing is done where the values fit anyway, and nothing where they never can.
    """
    more: list[Item] = []
    have, want = kinds(found), kinds(wanted)
    if want is not None and "array" not in want:
        while have == _LIST:
            more.append(Item(0))
            found = _items(found)
            have = kinds(found)
    if want is None or fits(found, wanted):
        return more, ""
    plain = want == _STRING and "enum" not in wanted and "format" not in wanted
    if plain and have is not None and have <= _TEXTS:
        return more, "text"
    if have is None or _meet(have, want):
        return more, type_text(wanted)
    return more, ""


def kinds(schema: Schema) -> frozenset[str] | None:
    """The kinds of JSON that a schema admits; None where it does not say."""
    if "type" in schema:
        given = schema["type"]
        return frozenset([given] if isinstance(given, str) else given)
    if "enum" in schema:
        names = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
        return frozenset(names.get(type(value), "object") for value in schema["enum"])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            inner = [kinds(each) for each in schema[key]]
            return None if None in inner else frozenset().union(*(each for each in inner if each is not None))
    return None


def _meet(have: frozenset[str], want: frozenset[str]) -> bool:
    numbers = {"integer", "number"}
    return bool(have & want or (have & numbers and want & numbers))


def fits(found: Schema, wanted: Schema) -> bool:
    """Whether the values of one schema are values of the other by their kinds, choices and formats."""
    have, want = kinds(found), kinds(wanted)
    if have is None or want is None:
        return want is None
    if not have - {"integer"} <= want or ("integer" in have and not want & {"integer", "number"}):
        return False
    if "enum" in wanted:
        return "enum" in found and set(found["enum"]) <= set(wanted["enum"])
    return wanted.get("format") not in _FORMATS or found.get("format") == wanted["format"] or want != _STRING


def type_text(schema: Schema) -> str:
    """A schema's type as it is written in the language; only what parameters of the corpus need."""
    if "enum" in schema and all(isinstance(value, str) for value in schema["enum"]):
        return " | ".join(quoted(value) for value in schema["enum"])
    names = []
    for kind in sorted(kinds(schema) or ()):
        match kind:
            case "array":
                names.append(f"list<{type_text(_items(schema))}>")
            case "object":
                names.append("map<json>")
            case "string":
                names.append(_FORMATS.get(schema.get("format", ""), "string"))
            case _:
                names.append(kind)
    return " | ".join(names) or "json"


def _items(schema: Schema) -> Schema:
    items = schema.get("items", _ANY)
    return items if isinstance(items, dict) else _ANY


def _written(fields: Mapping[str, Any]) -> str:
    inner = (f"{named(name)}: {each if isinstance(each, str) else _written(each)}" for name, each in fields.items())
    return "{ " + ", ".join(inner) + " }"
