"""Whether a wired graph contradicts the specifications of its tools: decided by values, without the compiler.

A reference stands for every value that the specified result admits there; samples of them, read as the graph reads
them, are held against the parameter's schema by `jsonschema`.
"""

from __future__ import annotations

import graphlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.graphs.specifications import Schema
from tests.graphs.wiring import Call, Fields, Graph, Item, Literal, Mixed, Read, Reference, Several, Value, references

_LIMITS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "pattern", "minLength", "maxLength")
_POOL: tuple[Any, ...] = ("text", 7, 1.5, True, [], {})
_UNTYPED: Schema = {
    "type": "object",
    "properties": {"text": {"type": "string"}, "content": {"type": "array"}},
    "required": ["text", "content"],
}
"""What every tool gives at least: the protocol's own content."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """`reasons`: what contradicts, each as (kind, where); `unknown`: what no specification decides."""

    reasons: tuple[tuple[str, str], ...]
    unknown: tuple[str, ...]


class _Unknown(Exception):
    """The specification does not say."""


class _Wrong(Exception):
    """The specification says that this cannot be."""


def judge(graph: Graph) -> Verdict:
    """Everything in a graph that its specifications refuse."""
    return _Judge(graph).verdict()


def refuses(schema: Schema, value: Value) -> bool:
    """Whether a schema refuses a value without references."""
    return not _accepts(schema, _instance(value, {}))


class _Judge:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._reasons: list[tuple[str, str]] = []
        self._unknown: list[str] = []

    def verdict(self) -> Verdict:
        for call in self._graph.calls:
            self._call(call)
        for reference in references(self._graph.result):
            self._samples(reference, "the result")
        self._order()
        return Verdict(tuple(dict.fromkeys(self._reasons)), tuple(self._unknown))

    def _call(self, call: Call) -> None:
        given = {name for name, _ in call.arguments}
        for name in call.tool.required:
            if name not in given:
                self._reasons.append(("missing argument", f"{call.label}: {call.tool.name} needs {name}"))
        for name, value in call.arguments:
            where = f"{call.label}: {call.tool.name} {name}"
            if name not in call.tool.parameters:
                self._reasons.append(("no such argument", where))
                for reference in references(value):
                    self._samples(reference, where)
            else:
                self._argument(call, name, value, where)

    def _argument(self, call: Call, name: str, value: Value, where: str) -> None:
        wanted = call.tool.parameters[name]
        inside = list(references(value))
        sampled = [self._samples(reference, where, isinstance(value, Mixed)) for reference in inside]
        if any(samples is None for samples in sampled):
            return  # told already, or nobody knows
        if isinstance(value, Reference) and value.path and name in call.tool.required:
            self._missing(value, where)
        elif not isinstance(value, Reference):
            for reference in inside:
                self._missing(reference, where)
        if not inside:
            if not _accepts(wanted, _instance(value, {})):
                self._reasons.append(("literal not accepted", where))
            return
        shape = _shape(wanted)
        first = {id(r): samples[0] for r, samples in zip(inside, sampled, strict=True) if samples}
        for reference, samples in zip(inside, sampled, strict=True):
            cast = reference.reading not in ("", "text")
            tried = [*(samples or ()), *(self._chosen(reference, wanted) if cast else ())]
            fine = [_accepts(shape, _instance(value, {**first, id(reference): s})) for s in tried]
            # A cast holds each value against its type when the chain runs: enough if some value passes.
            if fine and not (any(fine) if cast else all(fine)):
                self._reasons.append(("result not accepted", where))
                return

    def _chosen(self, reference: Reference, wanted: Schema) -> list[Any]:
        """Values that are wanted and that the result can have, among them those that few samples hit."""
        specified = self._schema(reference)
        return [value for value in _values(wanted) if _accepts(specified, value)]

    def _missing(self, reference: Reference, where: str) -> None:
        """The last field may be absent, and nothing was written for that case (a cast refuses null when it runs)."""
        if reference.reading not in ("", "text"):
            return
        try:
            last, part = self._end(reference)
        except (_Unknown, _Wrong):
            return
        if isinstance(part, Read) and part.sure and last is not None and part.name not in last.get("required", ()):
            self._reasons.append(("may be missing", where))

    def _samples(self, reference: Reference, where: str, inside: bool = False) -> list[Any] | None:
        """Values that a reference (`inside` of a text) can have, as they are read; None where there are none or nobody
        knows."""
        try:
            values = _values(self._schema(reference))
            if inside or reference.reading == "text":
                _must_be_texts(values)
            return [str(value) for value in values] if reference.reading == "text" else values
        except _Unknown as unknown:
            self._unknown.append(f"{where}: {unknown}")
        except _Wrong as wrong:
            self._reasons.append((str(wrong), where))
        return None

    def _schema(self, reference: Reference) -> Schema:
        around, part = self._end(reference)
        if part is None:
            return _result(self._source(reference))
        return _into(around or {}, part)

    def _end(self, reference: Reference) -> tuple[Schema | None, Read | Item | None]:
        """The schema around the last part, and that part."""
        at = _result(self._source(reference))
        for part in reference.path[:-1]:
            inner = _into(at, part)
            if isinstance(part, Read) and part.sure and part.name not in at.get("required", ()):
                raise _Wrong("may be missing")
            at = inner
        return (at, reference.path[-1]) if reference.path else (None, None)

    def _source(self, reference: Reference) -> Call:
        call = self._graph.call(reference.call)
        if call is None:
            raise _Wrong("no such call")
        return call

    def _order(self) -> None:
        """A call waits for what it refers to; one that may do more than read, for such a call before it, too."""
        waits: dict[str, set[str]] = {}
        write: str | None = None
        for call in self._graph.calls:
            wanted = {reference.call for _, value in call.arguments for reference in references(value)} | set(
                call.after
            )
            if not call.tool.reads:
                wanted |= {write} if write is not None else set()
                write = call.label
            waits[call.label] = wanted
        try:
            graphlib.TopologicalSorter(waits).prepare()
        except graphlib.CycleError as error:
            self._reasons.append(("order", " after ".join(reversed(error.args[1]))))


def _result(call: Call) -> Schema:
    return call.tool.result if call.tool.result is not None else _UNTYPED


def _into(at: Schema, part: Read | Item) -> Schema:
    kind = at.get("type")
    if isinstance(part, Item):
        if kind is None:
            raise _Unknown("a list that no specification describes")
        if kind != "array":
            raise _Wrong("no list")
        items = at.get("items", {})
        return items if isinstance(items, dict) else {}
    if "anyOf" in at or isinstance(kind, list) or kind is None:
        raise _Unknown("a value that no specification describes")
    if kind != "object":
        raise _Wrong("no such field")
    if at is _UNTYPED and part.name not in at["properties"]:
        raise _Unknown("a result that no specification describes")
    if not at.get("properties"):
        raise _Unknown("an object that no specification describes")
    if part.name not in at["properties"]:
        raise _Wrong("no such field")
    inner: Schema = at["properties"][part.name]
    return inner


def _values(schema: Schema) -> list[Any]:
    """Samples of the values of a schema, at least one of each kind that it admits."""
    if "enum" in schema:
        return list(schema["enum"])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return [value for each in schema[key] for value in _values(each)]
    kind = schema.get("type")
    if kind is None:
        raise _Unknown("a value that no specification describes")
    found: list[Any] = []
    for name in [kind] if isinstance(kind, str) else kind:
        found += _of_kind(name, schema)
    return found


def _of_kind(kind: str, schema: Schema) -> Sequence[Any]:
    match kind:
        case "string":
            return ["2026-01-31"] if schema.get("format") == "date" else ["", "some text"]
        case "integer":
            return [0, 7, -3]
        case "number":
            return [0, 1.5, -3]
        case "boolean":
            return [True, False]
        case "array":
            items = schema.get("items")
            try:
                return [[], [_values(items)[0]]] if isinstance(items, dict) else [[]]
            except _Unknown:
                return [[]]
        case "object":
            return [_object(schema)]
        case _:
            return [None]


def _object(schema: Schema) -> dict[str, Any]:
    """With what is required, no more."""
    found: dict[str, Any] = {}
    for name in schema.get("required", ()):
        try:
            found[name] = _values(schema.get("properties", {}).get(name, {}))[0]
        except _Unknown:
            found[name] = "text"
    return found


def _must_be_texts(values: list[Any]) -> None:
    """What stands inside of a text has one obvious text form."""
    if any(isinstance(value, list | dict) or value is None for value in values):
        raise _Wrong("no text")


def _instance(value: Value, samples: dict[int, Any]) -> Any:
    match value:
        case Literal(literal):
            return literal
        case Reference():
            return samples[id(value)]
        case Mixed(parts):
            return "".join(part if isinstance(part, str) else str(samples[id(part)]) for part in parts)
        case Several(items):
            return [_instance(item, samples) for item in items]
        case Fields(fields):
            return {name: _instance(inner, samples) for name, inner in fields}


def _shape(schema: Any) -> Any:
    """Without limits: those of a value that is not there yet are held against it when the chain runs."""
    if isinstance(schema, dict):
        return {key: _shape(each) for key, each in schema.items() if key not in _LIMITS}
    return [_shape(each) for each in schema] if isinstance(schema, list) else schema


def _accepts(schema: Schema, value: Any) -> bool:
    return bool(_validator(_Frozen(schema)).is_valid(value))


class _Frozen:
    """A schema as a key: by its text."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self._text = repr(schema)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Frozen) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)


@cache
def _validator(schema: _Frozen) -> Any:
    import jsonschema

    return jsonschema.Draft202012Validator(schema.schema, format_checker=jsonschema.FormatChecker())
