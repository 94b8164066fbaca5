"""Fields, items and `!`."""

from __future__ import annotations

from compiler.check.join import as_list
from compiler.check.labels import field_label, null_label
from compiler.check.names import GROUPS
from compiler.check.narrowing import path_of
from compiler.check.origin import blamed, why_json
from compiler.check.scope import Scope
from compiler.types.report import did_you_mean, mended, near, shown
from dsl import tree
from stdlib.values.subtype import fits
from stdlib.values.types import (
    ERROR,
    INTEGER,
    JSON,
    STRING,
    UNTYPED_RESULT,
    ErrorType,
    Handle,
    ListType,
    LiteralType,
    MapType,
    Record,
    Type,
    is_null,
    is_text,
    may_be_null,
    members,
    optional,
    present,
    read,
    union,
)

UNTYPED = (
    "The server does not say what this tool gives, so it is a text. Claim the type where the tool is imported: "
    "`tool NAME returns { … }`; `chainc infer` proposes it. The claim is checked on every answer."
)
_COUNTED = ("length", "size", "count", "len")


def member(scope: Scope, node: tree.Member) -> Type:
    """`base.name`, `base?.name`."""
    special = _through_name(scope, node)
    if special is not None:
        return special
    base = scope.infer(node.base)
    if isinstance(base, ErrorType):
        return ERROR
    name = node.name.text
    nullable = may_be_null(base)
    if nullable and not node.optional:
        _may_fail(scope, node.base, node, f".{node.name.written}")
        if is_null(base):
            return ERROR
    found = _field(scope, node, present(base), name)
    if nullable and node.optional and not isinstance(found, ErrorType):
        return optional(found)
    path = path_of(node) if scope.facts else None
    return present(found) if path in scope.facts else found


def _through_name(scope: Scope, node: tree.Member) -> Type | None:
    """`common.LET` of an imported file, and `steps.x`; None for any other member."""
    base = node.base
    if not isinstance(base, tree.Ref) or base.name in scope.variables:
        return None
    if scope.chain is not None and base.name in scope.chain.names.symbols:
        return _of_section(scope, node, base)
    path = scope.file.module.chain_imports.get(base.name)
    other = scope.file.files.get(path) if path is not None else None
    if path is not None and other is not None:
        let = other.lets.get(node.name.text)
        if let is not None:
            return scope.file.file_let(path, let)
        if not other.module.file.complete:
            return ERROR  # it may stand in what could not be read
        name = node.name.text
        word = f" `{name}` is {other.word(name)}." if name in other.declared else ""
        scope.report(
            "E0300",
            node,
            f"`{base.name}` has no `let` called `{name}`.{word}",
            helps=did_you_mean(name, other.lets),
        )
        return ERROR
    if base.name in GROUPS and base.name not in scope.file.names.declared:
        hint = f"Steps, inputs and lets are named alone: `{node.name.written}`."
        if scope.chain is not None:
            scope.chain.used.add(node.name.text)
        scope.report("E0300", base, f"I cannot find `{base.name}`.", helps=hint)
        return ERROR
    return None


def _of_section(scope: Scope, node: tree.Member, base: tree.Ref) -> Type | None:
    """`section.step`: what stands in a section is named alone."""
    chain = scope.chain
    assert chain is not None, "only chains have sections"
    inner = chain.names.symbols.get(node.name.text)
    if inner is None or inner.section is None or inner.section.name.text != base.name:
        return None
    chain.used |= {base.name, node.name.text}
    name = node.name.written
    message = f"`{base.name}` is a section, and what stands in a section is named alone."
    scope.report("E0300", node, message, helps=f"Write `{name}`.", fixes=(scope.report.replace(node, name),))
    return ERROR


def _field(scope: Scope, node: tree.Member, base: Type, name: str) -> Type:
    written = scope.report.text(node.base)
    if base == JSON:
        scope.report(
            "E0411",
            node,
            f"`{written}` is json, so I do not know its fields.",
            helps=f"Say what it is: `({written} as {{ {node.name.written}: string }}).{node.name.written}`.",
            notes=why_json(scope, node.base),
        )
        return ERROR
    if isinstance(base, MapType):
        return optional(base.value)
    if isinstance(base, Record):
        found = base.field(name)
        if found is not None:
            return read(found)
        if scope.afterwards is not None and scope.afterwards[1] == "reconcile" and written == scope.afterwards[0]:
            _not_yet(scope, node, base, name)
            return ERROR
        hint = mended(name, (f.name for f in base.fields), "It has") or "It has no fields."
        notes = UNTYPED if base == UNTYPED_RESULT else ""
        also = field_label(scope, node.base, name, near(name, (f.name for f in base.fields)))
        message = f"`{written}` has no field `{name}`."
        scope.report("E0401", node.name, message, helps=hint, notes=notes, also=also)
        return ERROR
    parts = members(base)
    if len(parts) > 1 and all(isinstance(m, Record) for m in parts):
        return _of_union(scope, node, [m for m in parts if isinstance(m, Record)], name)
    if blamed(scope, node.base, base):
        return ERROR
    hint = f"Write `count({written})`." if name in _COUNTED and (isinstance(base, ListType) or is_text(base)) else ""
    if isinstance(base, ListType) and not hint:
        hint = _list_hint(written, name, base)
    if isinstance(base, Handle):
        hint = "An adapter passes a handle on as it is; what is stored behind it is not read here."
    if not hint and written == "output" and isinstance(node.base, tree.Ref):
        hint = "`output` is what the chain gives: write `output` alone."
    also = field_label(scope, node.base, name)
    message = f"`{written}` is {shown(base)}, so it has no field `{name}`."
    scope.report("E0401", node.name, message, helps=hint, also=also)
    return ERROR


def _not_yet(scope: Scope, node: tree.Member, base: Record, name: str) -> None:
    """`step.name` in the `reconcile` of that step, which has its key, if there is one, and no result."""
    step = scope.report.text(node.base)
    if name == "key":
        message = f"`{step}` has no key, because the step has no `key`."
        hint = "Write `key PARAM` on the step: the tool gets the key as that parameter, and it is here."
    else:
        message = f"`{step}` has no result for its `reconcile`, so it has no field `{name}`."
        hint = "`reconcile` is asked because nobody knows whether the call happened: use what the step was given"
        hint += f", or its `{step}.key`." if base.fields else "."
    scope.report("E0401", node.name, message, helps=hint)


def _list_hint(written: str, name: str, base: ListType) -> str:
    item = present(base.item)
    if isinstance(item, Record) and item.field(name) is not None:
        return f"Its items have: `first({written})?.{name}`, or `[x.{name} for x in {written}]` for all of them."
    return ""


def _of_union(scope: Scope, node: tree.Member, records: list[Record], name: str) -> Type:
    found = [r.field(name) for r in records]
    if all(f is not None for f in found):
        return union(*[read(f) for f in found if f is not None])
    if blamed(scope, node.base, union(*records)):
        return ERROR
    written = scope.report.text(node.base)
    shared = [f.name for f in records[0].fields if all(r.field(f.name) for r in records)]
    some = any(f is not None for f in found)
    hint = did_you_mean(name, shared)
    if some:
        hint = f"Say which one it is: `({written} as {{ {node.name.written}: … }}).{node.name.written}`."
    message = f"`{written}` has the field `{name}` only in some of its forms." if some else ""
    also = field_label(scope, node.base, name)
    scope.report("E0401", node.name, message or f"`{written}` has no field `{name}`.", helps=hint, also=also)
    return ERROR


def _may_fail(scope: Scope, base: tree.Expr, node: tree.Expr, access: str) -> None:
    written = scope.report.text(base)
    optional_access = f"?{access}"
    scope.report(
        "E0408",
        node,
        f"`{written}` may be null, so `{access}` may fail.",
        helps=f"Write `{written}{optional_access}` (then it may be null), `{written}!{access}`"
        " (fail the step if it is), or test it in `when`.",
        also=null_label(scope, base),
    )


def index(scope: Scope, node: tree.Index) -> Type:
    """`base[position]` of a list, `base[key]` of a map: null where there is none."""
    base, at = scope.infer(node.base), scope.infer(node.index)
    if isinstance(base, ErrorType):
        return ERROR
    written = scope.report.text(node.base)
    if may_be_null(base) and not node.optional:
        _may_fail(scope, node.base, node, f"[{scope.report.text(node.index)}]")
        if is_null(base):
            return ERROR
    inner = present(base)
    inner = as_list(inner) or inner
    if isinstance(inner, ListType):
        _position(scope, node.index, at, INTEGER, "The position in a list is an integer")
        return optional(inner.item)
    if isinstance(inner, MapType):
        _position(scope, node.index, at, STRING, "The key of a map is a text")
        return optional(inner.value)
    if isinstance(inner, Record) and isinstance(at, LiteralType) and isinstance(at.value, str):
        found = inner.field(at.value)
        if found is not None:
            return read(found)
        hint = mended(at.value, (f.name for f in inner.fields), "It has")
        scope.report("E0401", node.index, f"`{written}` has no field `{at.value}`.", helps=hint)
        return ERROR
    if inner == JSON:
        form = "map<string>" if is_text(at) else "list<string>"
        hint = f"Say what it is: `({written} as {form})[…]`."
        message = f"`{written}` is json, so I do not know what it holds."
        scope.report("E0411", node, message, helps=hint, notes=why_json(scope, node.base))
        return ERROR
    if isinstance(inner, Record):
        message = f"`{written}` is a record: its fields are read by name, not by a value."
        scope.report("E0401", node.index, message, helps=mended("", (f.name for f in inner.fields), "It has"))
        return ERROR
    if not blamed(scope, node.base, base):
        scope.report("E0401", node, f"`{written}` is {shown(base)}, so it has no items.")
    return ERROR


def _position(scope: Scope, node: tree.Expr, found: Type, wanted: Type, rule: str) -> None:
    """A position or key of null is allowed: there is nothing."""
    if fits(present(found), wanted) is not None:
        scope.report("E0404", node, f"{rule}, but this is {shown(found)}.")


def assert_present(scope: Scope, node: tree.Present) -> Type:
    """`base!`: the value without null; the step fails where it is null."""
    base = scope.infer(node.base)
    if isinstance(base, ErrorType) or base == JSON:
        return base
    if not may_be_null(base):
        written = scope.report.text(node.base)
        scope.report(
            "W0412",
            node,
            f"`!` does nothing here: `{written}` is never null.",
            helps="Remove the `!`.",
            fixes=(scope.report.replace(tree.Name(node.base.end, node.end, "!"), "", "Remove the `!`"),),
        )
    return ERROR if is_null(base) else present(base)
