"""Lists and records as written."""

from __future__ import annotations

from compiler.check.join import joined
from compiler.check.loops import items_of, key
from compiler.check.origin import why_json
from compiler.check.scope import Scope
from compiler.types.report import shown
from dsl import tree
from stdlib.values.types import (
    ERROR,
    JSON,
    NEVER,
    ErrorType,
    Field,
    ListType,
    MapType,
    Record,
    Type,
    may_be_null,
    present,
    read,
)


def list_literal(scope: Scope, node: tree.ListLiteral) -> Type:
    """`[a, ...b]`: a list of what the items have in common."""
    if not node.items:
        return ListType(NEVER)
    found: list[Type] = []
    for item in node.items:
        found.append(items_of(scope, item.value, "`...`") if isinstance(item, tree.Spread) else scope.infer(item))
    return ListType(joined(*found))


def record_literal(scope: Scope, node: tree.RecordLiteral) -> Type:
    """`{ a: x, [k]: y, ...r }`: a closed record; a map where names are computed or a map is spread."""
    fields: dict[str, Field] = {}
    rest: list[Type] = []
    computed = False
    for f in node.fields:
        if isinstance(f, tree.Field):
            fields[f.name.text] = Field(f.name.text, scope.infer(f.value))
        elif isinstance(f, tree.ComputedField):
            key(scope, f.key)
            rest.append(scope.infer(f.value))
            computed = True
        else:
            spread = _spread(scope, f)
            if isinstance(spread, ErrorType):
                return ERROR
            if isinstance(spread, MapType):
                rest.append(spread.value)
                computed = True
            elif isinstance(spread, Record):
                for name, added in ((s.name, s) for s in spread.fields):
                    fields[name] = _over(fields.get(name), added)
    if computed:
        return MapType(joined(*[read(f) for f in fields.values()], *rest))
    return Record(tuple(fields.values()), open=False)


def _over(old: Field | None, added: Field) -> Field:
    """A spread field over an earlier one: where it may be absent, the earlier one shows through."""
    if added.required or old is None:
        return Field(added.name, added.type, added.required)
    return Field(added.name, joined(old.type, added.type), old.required)


def _spread(scope: Scope, node: tree.Spread) -> Type:
    """The record or map whose fields are put in; of null there are none."""
    found = scope.infer(node.value)
    if isinstance(found, ErrorType):
        return ERROR
    inner = present(found)
    if isinstance(inner, Record):
        if not may_be_null(found):
            return inner
        return Record(tuple(Field(f.name, f.type, False) for f in inner.fields), inner.open)
    if isinstance(inner, MapType):
        return inner
    written = scope.report.text(node.value)
    if inner == JSON:
        hint = f"Say what it is: `...({written} as {{ … }})`."
        message = f"`{written}` is json, so I do not know its fields."
        scope.report("E0411", node.value, message, helps=hint, notes=why_json(scope, node.value))
    else:
        scope.report("E0404", node.value, f"`...` puts in the fields of a record, but this is {shown(found)}.")
    return ERROR
