"""Values for tests of strict schemas: strategies for what a strict schema admits, and slight changes of a value."""

import json
from typing import Any

from hypothesis import strategies as st

from stdlib.values.ecma import as_python

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab1", max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("xy", max_size=2), inner, max_size=2),
    max_leaves=4,
)
_FORMATS = {
    "date": st.dates().map(lambda day: day.isoformat()),
    "date-time": st.datetimes().map(lambda moment: moment.isoformat() + "Z"),
    "uuid": st.uuids().map(str),
    "email": st.just("a@example.org"),
    "duration": st.just("PT4H"),
    "ipv4": st.just("127.0.0.1"),
}


def admitted(schema: dict[str, Any], decoder: dict[str, Any]) -> st.SearchStrategy[Any]:
    """What the strict schema admits; texts that the decoder reads as JSON hold JSON."""
    definitions = decoder.get("definitions", {})
    return _node(schema, decoder["root"], schema.get("$defs", {}), definitions, 0)


def _node(schema: Any, decoder: Any, schemas: Any, decoders: Any, depth: int) -> st.SearchStrategy[Any]:
    def inner(part: Any, of: Any) -> st.SearchStrategy[Any]:
        return st.deferred(lambda: _node(part, of, schemas, decoders, depth + 1))

    keep = {"kind": "keep"}
    if decoder["kind"] == "ref":
        decoder = decoders[decoder["name"]]
    if "$ref" in schema:
        return inner(schemas[schema["$ref"].rsplit("/", 1)[-1]], decoder)
    if "anyOf" in schema:
        return _any_of(schema["anyOf"], decoder, inner, depth)
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kind = schema["type"]
    if isinstance(kind, list):
        rest = [each for each in kind if each != "null"]
        own = decoder
        if decoder["kind"] == "choose":
            own = next((each for each in decoder["branches"] if each.get("schema") != {"type": "null"}), keep)
        forms = [_node({**schema, "type": each}, own, schemas, decoders, depth) for each in rest]
        return st.none() if depth > 8 else st.one_of(st.none(), *forms)
    if kind == "object":
        return st.fixed_dictionaries(
            {name: inner(part, _of(decoder, name)) for name, part in schema["properties"].items()}
        )
    if kind == "array":
        items = {"list": "items", "pairs": None}.get(decoder["kind"], "")
        of = keep if items == "" else decoder["items"] if items else {"kind": "pair", "value": decoder["value"]}
        least = schema.get("minItems", 0)
        most = least if depth > 6 else max(least, min(schema.get("maxItems", 2), least + 2))
        return st.lists(inner(schema["items"], of), min_size=least, max_size=most)
    return _scalar(schema, kind, decoder)


def _of(decoder: Any, name: str) -> Any:
    """The decoder of a field."""
    kind = decoder["kind"]
    if kind == "pair":
        return decoder["value"] if name == "value" else {"kind": "keep"}
    if kind == "unwrap":
        return decoder["value"]
    if kind == "tuple":
        return dict(decoder["fields"])[name]
    if kind != "record":
        return {"kind": "keep"}
    if "rest" in decoder and name == decoder["rest"]["name"]:
        return {"kind": "pairs", "value": decoder["rest"]["value"]}
    return decoder["fields"][name]["value"]


def _any_of(branches: Any, decoder: Any, inner: Any, depth: int) -> st.SearchStrategy[Any]:
    """The branches of a choice stand in one order on both sides, null apart."""
    null = {"type": "null"}
    schemas = [each for each in branches if each != null]
    decoders = [decoder] * len(schemas)
    if decoder["kind"] == "choose":
        decoders = [each for each in decoder["branches"] if each.get("schema") != null]
    if len(decoders) != len(schemas):
        decoders = [decoder] * len(schemas)
    forms = [inner(part, of) for part, of in zip(schemas, decoders, strict=True)]
    if null in branches and depth > 6:
        return st.none()
    return st.one_of(*forms, *([st.none()] if null in branches else []))


def _scalar(schema: Any, kind: str, decoder: Any) -> st.SearchStrategy[Any]:
    if kind == "null":
        return st.none()
    if kind == "boolean":
        return st.booleans()
    if decoder["kind"] == "json":
        return JSON.map(json.dumps)
    if kind == "string":
        if "pattern" in schema:
            least, most = schema.get("minLength", 0), schema.get("maxLength", 10_000)
            return st.from_regex(as_python(schema["pattern"])).filter(lambda text: least <= len(text) <= most)
        if "format" in schema:
            return _FORMATS[schema["format"]]
        return st.text(
            "abé", min_size=schema.get("minLength", 0), max_size=schema.get("maxLength", schema.get("minLength", 0) + 3)
        )
    least = schema.get("minimum", schema.get("exclusiveMinimum", -5))
    most = schema.get("maximum", schema.get("exclusiveMaximum", least + 9))
    least, most = min(least, most - 1) if "minimum" not in schema else least, most
    step = schema.get("multipleOf", 1)
    numbers = st.integers(int(least) - 1, int(most) + 1).map(lambda n: n * step)
    return numbers.filter(lambda n: _within(schema, n))


def _within(schema: Any, number: Any) -> bool:
    return bool(
        number >= schema.get("minimum", number)
        and number <= schema.get("maximum", number)
        and number > schema.get("exclusiveMinimum", number - 1)
        and number < schema.get("exclusiveMaximum", number + 1)
    )


def changed(value: Any) -> list[Any]:
    """The value with one thing left out, made null or replaced, anywhere in it."""
    if isinstance(value, dict):
        without: list[Any] = [{name: item for name, item in value.items() if name != left_out} for left_out in value]
        return without + [{**value, name: other} for name, item in value.items() for other in changed(item)]
    if isinstance(value, list):
        found = [value[:place] + value[place + 1 :] for place in range(len(value))]
        return found + [
            [*value[:place], other, *value[place + 1 :]] for place, item in enumerate(value) for other in changed(item)
        ]
    return [None, "other", 3, True, [], {}]
