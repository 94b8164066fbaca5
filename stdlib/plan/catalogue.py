"""The catalogue of a project: what each tool promises, in five parts. Reviewers read it, servers publish it.

Format `chainc.catalogue/1`. The parts of an entry: identity (id, version, owner), `selection`, `input`, `output`,
`behaviour`. There is no clock in it: equal programs give equal catalogues.
"""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import Field

from ..values.faults import FaultClass
from .model import JsonSchema, Model

FORMAT = "chainc.catalogue/1"


class Example(Model):
    """A request in a person's words and the arguments that serve it."""

    request: str
    arguments: dict[str, Any] = {}


class Selection(Model):
    """What a model chooses by, and the tags that decide which clients see the tool (no stages: every stage)."""

    title: str
    description: str = ""
    use_when: tuple[str, ...] = ()
    not_when: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
    groups: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()


class EntryInput(Model):
    """`schema`: what arguments are validated against. `constraints`: the messages of `require` on inputs."""

    json_schema: JsonSchema = Field(alias="schema")
    constraints: tuple[str, ...] = ()


class DeclaredFault(Model):
    fault_class: FaultClass = Field(alias="class")
    when: str


class AdaptedOutput(Model):
    """What a call gets that an adapter takes: `version` as the adapter says it (`1.x`), `schema` of the value."""

    version: str
    json_schema: JsonSchema = Field(alias="schema")


class EntryOutput(Model):
    """`schema` is that of the value that calls of this version get, `adapted` that of older ones, where it is another.
    `wire_schema` is that of the result as clients of this version get it; None: derived from `schema` (see
    `wire_output_schema`). `bound`: most bytes a result can have. `kind`: of the handle."""

    mode: Literal["scalar", "handle"]
    kind: str | None = None
    json_schema: JsonSchema = Field(alias="schema")
    adapted: tuple[AdaptedOutput, ...] = ()
    wire_schema: JsonSchema | None = None
    bound: int | Literal["unbounded"] = "unbounded"
    empty: str | None = None
    faults: tuple[DeclaredFault, ...] = ()


class Budget(Model):
    """Most that one call may use; None: no limit of its own."""

    calls: int | None = None
    bytes: int | None = None
    seconds: float | None = None
    tokens: int | None = None
    cost: float | None = None
    parallel: int | None = None


class Behaviour(Model):
    """Effects after the protocol's defaults. `retries`: may a client repeat the call? `safe`: yes; `keyed`: yes, with
    the same request key; `none`: no."""

    read_only: bool = False
    idempotent: bool = False
    destructive: bool = True
    open_world: bool = True
    scopes: tuple[str, ...] = ()
    approvals: tuple[str, ...] = ()
    budget: Budget = Budget()
    retries: Literal["safe", "keyed", "none"] = "none"


class Use(Model):
    """A primitive tool that the chain may call. `schema`: digest of the tool as locked. `proof`: what the type of its
    result rests on."""

    source: str
    tool: str
    digest: str = Field(alias="schema")
    proof: Literal["declared", "claimed", "untyped"]


class Deprecation(Model):
    reason: str
    since: str | None = None
    remove_in: str | None = None
    use: str | None = None


class Digests(Model):
    """Fingerprints of parts of the contract, hexadecimal."""

    validation: str | None = None
    json_schema: str | None = Field(default=None, alias="schema")
    contract: str | None = None
    prompt: str | None = None


class SourcePlace(Model):
    """Project-relative path and line from 1."""

    file: str
    line: int


class Entry(Model):
    """The contract of one tool."""

    id: str
    version: str
    owner: str | None = None
    selection: Selection
    input: EntryInput
    output: EntryOutput
    behaviour: Behaviour = Behaviour()
    uses: tuple[Use, ...] = ()
    deprecated: Deprecation | None = None
    digests: Digests | None = None
    source: SourcePlace

    @property
    def prompt_text(self) -> str:
        """Everything a model is told in words, the same for every protocol and provider."""
        return "\n".join(_paragraphs(self))


class Catalogue(Model):
    """Entries of the tools that clients can see, ordered by id."""

    format: Literal["chainc.catalogue/1"] = "chainc.catalogue/1"
    name: str
    version: str
    entries: tuple[Entry, ...] = ()

    def entry(self, entry_id: str) -> Entry | None:
        return next((each for each in self.entries if each.id == entry_id), None)


def _paragraphs(entry: Entry) -> list[str]:
    selection = entry.selection
    lines = [selection.description or selection.title]
    if entry.deprecated is not None:
        use = f" Use {entry.deprecated.use}." if entry.deprecated.use else ""
        lines.append(f"Deprecated: {_sentence(entry.deprecated.reason)}{use}")
    lines += [f"Use when: {_sentence(each)}" for each in selection.use_when]
    lines += [f"Do not use when: {_sentence(each)}" for each in selection.not_when]
    for example in selection.examples:
        lines.append(f"Example: {example.request} -> {json.dumps(example.arguments, ensure_ascii=False)}")
    for each in entry.input.constraints:
        lines.append(f'Refuses wrong input: "{" ".join(each.split())}"')
    if entry.output.mode == "handle":
        lines.append(f"Returns a handle of kind {entry.output.kind} with a summary, not the value itself.")
    if entry.output.empty:
        lines.append(f"An empty result means: {_sentence(entry.output.empty)}")
    return lines


def _sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?")) else f"{text}."


# ------------------------------------------------------------------ results as clients get them

HANDLE_SCHEMA: JsonSchema = {
    "type": "object",
    "properties": {
        "handle": {
            "type": "object",
            "properties": {
                "id": {"type": "string"},
                "kind": {"type": "string"},
                "summary": {"type": "string"},
                "bytes": {"type": "integer", "minimum": 0},
                "items": {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}]},
                "expires": {"type": "string", "format": "date-time"},
            },
            "required": ["id", "kind", "summary", "bytes", "items", "expires"],
            "additionalProperties": False,
        }
    },
    "required": ["handle"],
    "additionalProperties": False,
}
"""A handle on the wire, before its kind is fixed; `items` is null where the value is no list."""


def is_record(schema: JsonSchema) -> bool:
    """Whether values of this schema go over the wire as they are: an object that names its fields."""
    return schema.get("type") == "object" and "properties" in schema


def wire_output_schema(entry: Entry) -> JsonSchema:
    """The output schema to publish; its root is always an object.

    A record is itself, every other type is { "result": T }, a handle is { "handle": { … } }. Where adapters give calls
    of older versions another form, it is any of them, that of this version first.
    """
    output = entry.output
    forms = [_present(output)]
    titles = [f"The result of version {entry.version}"]
    for old in output.adapted:
        form = _of_value(old.json_schema)
        if form not in forms:
            forms.append(form)
            titles.append(f"The result of calls of version {old.version}")
    if len(forms) == 1:
        return forms[0]
    pairs = enumerate(zip(titles, forms, strict=True))
    either = [{"title": title, **_moved(form, f"#/anyOf/{n}")} for n, (title, form) in pairs]
    return {"type": "object", "anyOf": either}


def _present(output: EntryOutput) -> JsonSchema:
    if output.wire_schema is not None:
        return output.wire_schema
    return _handle_schema(output.kind or "") if output.mode == "handle" else _of_value(output.json_schema)


def _of_value(schema: JsonSchema) -> JsonSchema:
    return schema if is_record(schema) else _wrapped(schema)


def _handle_schema(kind: str) -> JsonSchema:
    handle = HANDLE_SCHEMA["properties"]["handle"]
    fields = {**handle["properties"], "kind": {"type": "string", "const": kind}}
    return {**HANDLE_SCHEMA, "properties": {"handle": {**handle, "properties": fields}}}


_DATA = frozenset({"const", "enum", "default", "examples"})
_DEFINITIONS = ("#/$defs/", "#/definitions/")


def _wrapped(schema: JsonSchema) -> JsonSchema:
    """The schema below `result`; definitions move to the new root, so that references to them stay right."""
    outer, root = ("$schema", "$defs", "definitions"), "#/properties/result"
    inner = {key: value for key, value in _moved(schema, root, _DEFINITIONS).items() if key not in outer}
    wrapped: JsonSchema = {key: schema[key] for key in outer[:1] if key in schema}
    wrapped |= {"type": "object", "properties": {"result": inner}, "required": ["result"]}
    wrapped |= {"additionalProperties": False}
    return wrapped | {key: _moved(schema[key], root, _DEFINITIONS) for key in outer[1:] if key in schema}


def _moved(node: Any, root: str, staying: tuple[str, ...] = ()) -> Any:
    """References to the old root point to `root` now; those that begin with `staying` stay."""
    if isinstance(node, list):
        return [_moved(each, root, staying) for each in node]
    if not isinstance(node, dict):
        return node
    moved = {key: value if key in _DATA else _moved(value, root, staying) for key, value in node.items()}
    target = moved.get("$ref")
    if isinstance(target, str) and target.startswith("#") and not (staying and target.startswith(staying)):
        moved["$ref"] = root + target[1:]
    return moved
