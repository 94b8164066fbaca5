"""Calls of tools and chains: arguments as they go out, results as they come back."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from dsl import tree
from stdlib.values.formats import valid_format
from tests.mutation.reference.expressions import evaluate
from tests.mutation.reference.faults import DesignFault, ShapeFault
from tests.mutation.reference.generate import TEXTS
from tests.mutation.reference.program import Module, Tool
from tests.mutation.reference.scope import Frame
from tests.mutation.reference.shapes import FORMATS, Misfit, nullable, options, resolved, view
from tests.mutation.reference.types import schema_of
from tests.mutation.reference.values import Record, Text, plain

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

UNTYPED: Final = {
    "type": "object",
    "properties": {"text": {"type": "string"}, "content": {"type": "array", "items": {}}},
    "required": ["text", "content"],
}
"""What a tool gives that declares nothing."""
_REFINED: Final = frozenset(
    [
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "pattern",
        "minItems",
        "maxItems",
        "uniqueItems",
        "minProperties",
        "maxProperties",
    ]
)


def perform(call: tree.Call, frame: Frame, filled: frozenset[str] = frozenset()) -> Any:
    """Calls a tool or a chain. `filled` are parameters that the runtime fills in."""
    target = frame.module.target(call)
    given = arguments_of(call, frame)
    if isinstance(target, Tool):
        check_arguments(call, target, given | dict.fromkeys(filled, Text("key")))
        return result(call, target, frame)
    from tests.mutation.reference.chains import run_chain

    module, chain = target
    return run_chain(module, chain, accept(call, module, chain, given), frame.run, call)


def arguments_of(call: tree.Call, frame: Frame) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for argument in call.arguments:
        value = evaluate(argument.value, frame)
        if argument.spread:
            if value is not None and not isinstance(value, dict):
                raise ShapeFault(argument, "only records can be spread into arguments")
            given.update(value or {})
        elif argument.name is None:
            raise ShapeFault(argument, "an argument has no name")
        else:
            given[argument.name.text] = value
    return given


def check_arguments(call: tree.Call, tool: Tool, given: dict[str, Any]) -> None:
    """A fault of shape where the tool would refuse the arguments."""
    for schema in _taken(tool):
        unknown = sorted(given.keys() - schema.get("properties", {}).keys())
        if unknown:
            raise ShapeFault(_place(call, unknown[0]), f"{tool.offered.name} has no parameter {unknown[0]}")
        sent = plain(_written(Record(given, None), schema, schema))
        error = next(iter(_validator(_Schema(schema)).iter_errors(sent)), None)
        if error is not None:
            path = list(error.absolute_path)
            at = _place(call, str(path[0])) if path else call
            raise ShapeFault(at, f"{tool.offered.name}: {'.'.join(map(str, path))} {error.message[:200]}")


def _place(call: tree.Call, name: str) -> tree.Node:
    return next((each for each in call.arguments if each.name and each.name.text == name), call)


def _taken(tool: Tool) -> list[dict[str, Any]]:
    """The schemas that arguments must fit: the server's, and the one that the import claims."""
    schemas = [tool.offered.input_schema]
    if tool.claim is not None and tool.claim.takes is not None:
        schemas.append(schema_of(tool.claim.takes, tool.module))
    return schemas


class _Schema:
    """A schema as a key of a cache, by identity."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self.schema = schema

    def __hash__(self) -> int:
        return hash(repr(self.schema))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Schema) and self.schema == other.schema


@cache
def _validator(key: _Schema) -> Validator:
    from jsonschema import Draft202012Validator, FormatChecker

    checker = FormatChecker(())
    for name, written in FORMATS.items():
        checker.checks(name)(lambda value, written=written: not isinstance(value, str) or valid_format(written, value))
    return Draft202012Validator(_unrefined(key.schema), format_checker=checker)


def _unrefined(schema: Any) -> Any:
    """The schema without what is checked at run time only. Fields that are called like a keyword stay."""
    if isinstance(schema, list):
        return [_unrefined(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: _unrefined(each) for name, each in value.items()}
        if key in ("properties", "$defs", "definitions")
        else value
        if key in ("enum", "const", "default", "required")
        else _unrefined(value)
        for key, value in schema.items()
        if key not in _REFINED
    }


def _written(value: Any, schema: Any, root: Any) -> Any:
    """The value as it is sent: null is left out of a record where no null fits, and stands where a field must be."""
    schema = resolved(schema, root)
    for option in options(schema) or ():
        if isinstance(value, dict | list) and resolved(option, root).get("type") in ("object", "array", None):
            value = _written(value, option, root)
    if isinstance(value, list):
        return [_written(each, schema.get("items", {}), root) for each in value]
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        needed = [
            name for name in schema.get("required", ()) if name in properties and nullable(properties[name], root)
        ]
        return Record(
            dict.fromkeys(needed)
            | {
                name: _written(each, properties.get(name, {}), root)
                for name, each in value.items()
                if each is not None or name not in properties or nullable(properties[name], root)
            },
            None,
        )
    return value


def result(call: tree.Call, tool: Tool, frame: Frame) -> Any:
    """What the tool gives this time."""
    offered, claim = tool.offered.output_schema, tool.claim
    make = frame.run.generator
    if claim is None or claim.returns is None:
        return make.value(offered if offered is not None else UNTYPED)
    wanted = schema_of(claim.returns, tool.module)
    found = make.value(wanted)
    if offered is not None:
        found = _claimed(found, claim, offered, frame)
    elif tool.parse is not None:
        found = _parsed(tool.parse, wanted, frame)
    try:
        return view(found, wanted)
    except Misfit as misfit:
        raise ShapeFault(claim.returns, f"the claim never holds: {misfit}") from None


def _claimed(found: Any, claim: tree.ToolDecl, offered: dict[str, Any], frame: Frame) -> Any:
    """A result that fits both the claim and the schema; a fault where what is claimed does not fit the schema."""
    assert claim.returns is not None
    if isinstance(found, dict) and isinstance(offered.get("properties"), dict):
        # A claim may tell of more fields than the schema, where that is open.
        found = Record({**frame.run.generator.value(offered), **found}, None)
    errors = _validator(_Schema(offered)).iter_errors(plain(_written(found, offered, offered)))
    error = next((each for each in errors if not _reads_as_null(each, offered)), None)
    if error is not None:
        raise ShapeFault(claim.returns, f"the claim is wider than the schema: {error.message[:200]}")
    return found


def _reads_as_null(error: Any, root: Any) -> bool:
    """Whether only fields are missing that may be null: the claim says the same in other words."""
    if error.validator != "required":
        return False
    missing = [name for name in error.validator_value if name not in error.instance]
    return all(nullable(error.schema["properties"].get(name, {}), root) for name in missing)


def _parsed(parse: tree.Parse, wanted: dict[str, Any], frame: Frame) -> Any:
    """What reading a text gives: records or lines, of texts only."""
    make = frame.run.generator
    mode = parse.mode.text
    wanted = next((each for each in options(wanted) or () if "items" in each), wanted)
    if mode in ("json", "jsonl"):
        return make.value(wanted)
    texts = [Text(make.chance.choice(TEXTS)) for _ in range(make.length({}, 0))]
    if mode == "lines":
        return texts
    fields = wanted.get("items", {}).get("properties", {})
    names = list(fields)
    if mode == "match":
        try:
            names = list(re.compile(parse.pattern.plain or "" if parse.pattern else "").groupindex)
        except re.error as error:
            raise ShapeFault(parse, f"the pattern is none: {error}") from None
    elif mode != "csv":
        raise ShapeFault(parse, f"there is no way to parse {mode}")
    optional = {name for name in names if nullable(fields.get(name, {"type": "string"}), wanted)}
    return [
        Record({name: None if name in optional and make.happens(0.3) else text for name in names}, frozenset(names))
        for text in texts
    ]


def accept(call: tree.Call, module: Module, chain: tree.Chain, given: dict[str, Any]) -> dict[str, Any]:
    """The inputs of a chain that another one calls."""
    inputs = {each.name.text: each for each in reversed(chain.members) if isinstance(each, tree.Input)}
    unknown = sorted(given.keys() - inputs.keys())
    if unknown:
        raise ShapeFault(_place(call, unknown[0]), f"{chain.name.text} has no input {unknown[0]}")
    made: dict[str, Any] = {}
    for name, declared in inputs.items():
        schema = schema_of(declared.type, module)
        value = given.get(name)
        if value is None:
            if declared.default is None and not nullable(schema, schema):
                why = "null" if name in given else "no argument"
                raise ShapeFault(_place(call, name), f"{chain.name.text} gets {why} for {name}")
            continue
        try:
            made[name] = view(value, schema)
        except Misfit as misfit:
            raise ShapeFault(_place(call, name), f"{chain.name.text}: {name} {misfit}") from None
    return made


def fail_by_chance(call: tree.Call, frame: Frame) -> None:
    """Tools fail now and then; mostly where the program has an answer to it, so that runs get far."""
    if frame.run.generator.happens(0.25 if frame.run.caught else 0.01):
        raise DesignFault(call, "the call fails")
