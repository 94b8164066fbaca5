"""Type → JSON Schema 2020-12: everything inline, no references, the order of fields kept."""

from __future__ import annotations

from typing import Any, Final

from compiler.project import JsonSchema
from stdlib.values.subtype import base
from stdlib.values.types import (
    FORMATS,
    NULL,
    ErrorType,
    Field,
    Handle,
    ListType,
    LiteralType,
    MapType,
    Never,
    Record,
    Scalar,
    Type,
    Union,
    Variable,
    is_null,
    read,
)

_NULL: Final[JsonSchema] = {"type": "null"}


def to_schema(t: Type, *, output: bool = False) -> JsonSchema:
    """The schema of the values of `t`.

    As an input a field may be left out where it is not required, and is null only where its type has null. As an
    `output` every field is there, and null stands for what is absent; defaults are left out, nobody fills them in.
    Closed records refuse further fields. A handle is the text of its id.
    """
    match t:
        case Scalar(name="json") | ErrorType() | Variable():
            return {}
        case Scalar(name=name, constraints=constraints):
            kind = {"type": "string", "format": FORMATS[name]} if name in FORMATS else {"type": name}
            return kind | dict(constraints)
        case LiteralType():
            return _choices([t])
        case ListType(item=Never(), constraints=constraints):
            return {"type": "array", "items": {}} | dict(constraints) | {"maxItems": 0}
        case ListType(item=item, constraints=constraints):
            return {"type": "array", "items": to_schema(item, output=output)} | dict(constraints)
        case MapType(value=value):
            return {"type": "object", "additionalProperties": to_schema(value, output=output) or True}
        case Record():
            return _record(t, output)
        case Union():
            return _union(t, output)
        case Handle(kind=kind):
            return {"type": "string", "description": f"Id of a handle of the kind {kind}."}
        case Never():
            return {"not": {}}


def _record(record: Record, output: bool) -> JsonSchema:
    schema: dict[str, Any] = {"type": "object", "properties": {f.name: _field(f, output) for f in record.fields}}
    required = [f.name for f in record.fields if f.required or output]
    if required:
        schema["required"] = required
    if not record.open:
        schema["additionalProperties"] = False
    return schema


def _field(f: Field, output: bool) -> JsonSchema:
    schema = to_schema(read(f) if output else f.type, output=output)
    if f.doc:
        hint = schema.pop("description", None)
        schema = {**schema, "description": f"{f.doc} {hint}" if hint else f.doc}
    if f.default is not None and not output:
        schema["default"] = f.default[0]
    return schema


def _union(union: Union, output: bool) -> JsonSchema:
    """`anyOf`; literals of one scalar type are one `enum`, at the place of the first, and null comes last."""
    literals: dict[Scalar, list[LiteralType]] = {}
    branches: list[JsonSchema | list[LiteralType]] = []
    for m in union.members:
        if isinstance(m, LiteralType):
            group = literals.setdefault(base(m), [])
            if not group:
                branches.append(group)
            group.append(m)
        elif not is_null(m):
            branches.append(to_schema(m, output=output))
    schemas = [_choices(b) if isinstance(b, list) else b for b in branches]
    if NULL in union.members:
        schemas.append(dict(_NULL))
    return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}


def _choices(literals: list[LiteralType]) -> JsonSchema:
    values = [literal.value for literal in literals]
    if len(values) == 2 and all(isinstance(value, bool) for value in values):
        return {"type": "boolean"}
    return {"type": base(literals[0]).name, "enum": values}
