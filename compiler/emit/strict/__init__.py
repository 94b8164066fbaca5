"""JSON Schema to the subset that OpenAI accepts with `strict: true`, with a decoder that leads back.

Sources: OpenAI's guides "Structured outputs" (section "Supported schemas") and "Function calling" (section "Strict
mode"); JSON Schema 2020-12, and what draft 4 and draft 7 wrote differently.

Fields that an object schema does not name count as not allowed where the schema is silent about them: authors who
name fields mean those, and servers ignore others.
"""

from __future__ import annotations

from typing import Any

from compiler.emit.strict.decoder import finished
from compiler.emit.strict.encode import Unencodable, encode
from compiler.emit.strict.limits import check_limits
from compiler.emit.strict.model import JsonSchema, Loss, Policy, Refused, State, Strict, Unsayable
from compiler.emit.strict.root import lower_root

__all__ = ["Loss", "Policy", "Refused", "Strict", "Unencodable", "encode", "lower"]


def lower(schema: JsonSchema, policy: Policy = "encode", *, absent_is_null: bool = False) -> Strict | Refused:
    """The schema of a tool's arguments in the strict subset, or why it cannot be said under the policy.

    For every value `v` of the strict schema `decode(decoder, v)` fits the original, but for what the losses of kind
    `prose` and `encoded` name; every value of the original can be written so, but for what `narrowed` names.
    `absent_is_null`: leaving a field out means the same as null, unless it has another default.
    """
    problem = _invalid(schema)
    if problem is not None:
        return Refused("", problem)
    state = State(root=schema, policy=policy, absent_is_null=absent_is_null)
    try:
        lowered = lower_root(state)
        strict = _with_definitions(lowered.schema, {name: each.schema for name, each in state.definitions.items()})
        check_limits(strict)
    except Unsayable as why:
        return Refused(why.path, why.reason)
    except RecursionError:
        return Refused("", "the schema is nested too deeply")
    program = finished(lowered.decoder, {name: each.decoder for name, each in state.definitions.items()})
    return Strict(strict, program, tuple(state.losses))


def _invalid(schema: Any) -> str | None:
    """Why this is no JSON Schema of any draft that servers send; None: it is one."""
    from jsonschema import Draft4Validator, Draft7Validator, Draft202012Validator

    if not isinstance(schema, dict):
        return "the schema is no object"
    try:
        drafts = (Draft202012Validator, Draft7Validator, Draft4Validator)
        valid = any(draft(draft.META_SCHEMA).is_valid(schema) for draft in drafts)
    except RecursionError:
        return "the schema is nested too deeply"
    return None if valid else "the schema is no valid JSON Schema"


def _with_definitions(schema: JsonSchema, definitions: dict[str, JsonSchema]) -> JsonSchema:
    """The schema with those definitions that it needs, in the order in which they were met."""
    needed: set[str] = set()
    pending: list[Any] = [schema]
    while pending:
        node = pending.pop()
        if isinstance(node, list):
            pending += node
        elif isinstance(node, dict):
            reference = node.get("$ref")
            if isinstance(reference, str):
                name = reference.rsplit("/", 1)[-1]
                if name not in needed:
                    needed.add(name)
                    pending.append(definitions[name])
            pending += [value for key, value in node.items() if key not in ("enum", "const")]
    if not needed:
        return schema
    return {**schema, "$defs": {name: definitions[name] for name in definitions if name in needed}}
