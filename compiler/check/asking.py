"""`approve` and `ask`: what comes back from people."""

from __future__ import annotations

from compiler.check.scope import Scope
from compiler.check.texts import has_text
from compiler.types.report import shown
from dsl import tree
from stdlib.values.types import (
    BOOLEAN,
    STRING,
    TIMESTAMP,
    ErrorType,
    Field,
    LiteralType,
    Record,
    Scalar,
    Type,
    Union,
    optional,
    present,
)

APPROVAL = Record(
    (
        Field("approved", BOOLEAN),
        Field("by", optional(STRING)),
        Field("comment", optional(STRING)),
        Field("at", TIMESTAMP),
    ),
    open=False,
)


def _is_field(t: Type) -> bool:
    """Whether a form can ask for it: a text, a number, yes or no, or one of several texts."""
    if isinstance(t, Union):
        return all(isinstance(m, LiteralType) and isinstance(m.value, str) for m in t.members)
    return has_text(t) and not (isinstance(t, Scalar) and t.name in ("bytes", "duration"))


def form(scope: Scope, action: tree.AskAction) -> Type:
    """The type of an answer: a record of flat fields, because clients show it as a form."""
    asked = scope.file.declared.read(scope.file.module, action.form)
    if isinstance(asked, ErrorType):
        return asked
    hint = "Forms have text, number, yes/no and choice fields."
    if not isinstance(asked, Record):
        message = f"`ask` fills in a record, but this is {shown(asked)}."
        scope.report("E0505", action.form, message, helps="For example `{ focus: string }`. " + hint)
        return asked
    places = {f.name.text: f.type for f in action.form.fields} if isinstance(action.form, tree.RecordType) else {}
    for f in asked.fields:
        if not _is_field(present(f.type)):
            at = places.get(f.name, action.form)
            message = f"`ask` can only ask for flat fields, but `{f.name}` is {shown(f.type)}."
            scope.report("E0505", at, message, helps=hint)
    return asked
