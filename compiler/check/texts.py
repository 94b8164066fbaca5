"""Texts and other literals."""

from __future__ import annotations

import re

from compiler.check.labels import null_label, type_label
from compiler.check.scope import Scope
from compiler.types.report import shown
from dsl import tree
from stdlib.values.types import (
    BOOLEAN,
    DURATION,
    INTEGER,
    NULL,
    NUMBER,
    STRING,
    ErrorType,
    ListType,
    LiteralType,
    Scalar,
    Type,
    may_be_null,
    members,
)

_PLACEHOLDER = re.compile(r"(?<![\\${])\{([A-Za-z_]\w*)(?:\.\w+)*\}(?!\})")


def text(scope: Scope, node: tree.Text) -> Type:
    """A text with its interpolated parts."""
    plain = True
    for part in node.parts:
        if not isinstance(part, str):
            plain = False
            interpolated(scope, part)
    _placeholders(scope, node)
    return LiteralType(node.plain or "") if plain else STRING


def interpolated(scope: Scope, part: tree.Expr) -> None:
    """`${…}` takes what has one obvious text form."""
    found = scope.infer(part)
    if isinstance(found, ErrorType):
        return
    written = scope.report.text(part)
    if may_be_null(found):
        scope.report(
            "E0409",
            part,
            f"This part of the text may be null ({shown(found)}).",
            helps=f'Say what stands there then: `${{{written} ?? "none"}}`.',
            also=null_label(scope, part),
        )
    elif not all(has_text(m) for m in members(found)):
        hint = "Name a field, or write `to_json(…)`."
        if isinstance(found, ListType):
            hint = 'Write `join(…, ", ")`, `count(…)`, or name one item.'
        elif isinstance(found, Scalar):
            hint = f"Say what it is, `${{{written} as string}}`, or write `${{to_json({written})}}`."
        message = f"I cannot put {shown(found)} into a text."
        scope.report("E0409", part, message, helps=hint, also=type_label(scope, part))


def has_text(t: Type) -> bool:
    """Whether values of this type (null aside) have one obvious text form: texts, numbers, truth values, times."""
    return isinstance(t, LiteralType | ErrorType) or (isinstance(t, Scalar) and t.name != "json")


def _placeholders(scope: Scope, node: tree.Text) -> None:
    """`{name}` with a name that means something here was probably meant to be `${name}`."""
    if not any(isinstance(part, str) and "{" in part for part in node.parts):
        return
    source = scope.report.file.source.text
    known = scope.chain.names.symbols if scope.chain is not None else {}
    for found in _PLACEHOLDER.finditer(source, node.start, node.end):
        name = found[1]
        if name in scope.variables or name in known or name == "run" or name in scope.file.names.lets:
            at = tree.Name(found.start(), found.end(), name)
            scope.report(
                "W0008",
                at,
                f"`{found[0]}` looks like a placeholder, but it stays as it is.",
                helps=f"Write `${found[0]}` to put the value there, or `\\{found[0]}` if it is meant so.",
            )


def integer(scope: Scope, node: tree.Integer) -> Type:
    return INTEGER


def number(scope: Scope, node: tree.Number) -> Type:
    return NUMBER


def duration(scope: Scope, node: tree.Duration) -> Type:
    return DURATION


def size(scope: Scope, node: tree.Size) -> Type:
    return INTEGER


def constant(scope: Scope, node: tree.Constant) -> Type:
    return NULL if node.value is None else BOOLEAN
