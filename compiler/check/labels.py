"""The second place of a mistake: where the value, or the type that its place wants, was written."""

from __future__ import annotations

from compiler.check.parts import Parts, part, parts
from compiler.check.scope import Scope
from compiler.check.trace import Trace
from compiler.check.written import Spot, Written, above, declared
from compiler.types.report import shown
from dsl import tree
from dsl.diagnostics import Label
from stdlib.values.subtype import Misfit, fits
from stdlib.values.types import ErrorType, Record, Type, may_be_null, members, present

Labels = tuple[Label, ...]

_LONG = 40
"""Types that are written longer are not repeated in a label."""


def null_label(scope: Scope, node: tree.Node, path: str = "") -> Labels:
    """Where the value of `node`, or a part of it, gets its null."""

    def bad(found: Type | None) -> bool:
        return found is None or may_be_null(found)

    spot = Trace(scope, bad, null=True).value(scope.file.names, node, parts(path))
    return _label(scope, node, spot, "null")


def type_label(scope: Scope, node: tree.Node, wanted: Type | None = None, path: str = "") -> Labels:
    """Where the value of `node`, or a part of it, gets the type that does not fit `wanted`; without that, its type."""
    whole = part(scope.file.types.get(id(node)), parts(path))

    def bad(found: Type | None) -> bool:
        return found == whole if wanted is None else found is not None and fits(found, wanted) is not None

    return _label(scope, node, Trace(scope, bad).value(scope.file.names, node, parts(path)), "type")


def field_label(scope: Scope, node: tree.Node, name: str, meant: str | None = None, path: str = "") -> Labels:
    """Where the record that `node` gives, or a part of it, was written without the field; with `meant`, where that
    field of it was."""

    def bad(found: Type | None) -> bool:
        return found is not None if meant else not (isinstance(found, ErrorType) or _has(found, name))

    inside = (*parts(path), *((meant,) if meant else ()))
    spot = Trace(scope, bad, through=True, field=meant is not None).value(scope.file.names, node, inside)
    return _label(scope, node, spot, "field", name)


def _has(found: Type | None, name: str) -> bool:
    """Whether it is a record with the field in all its forms."""
    forms = members(present(found)) if found is not None else (None,)
    return all(isinstance(m, Record) and m.field(name) is not None for m in forms)


def misfit_label(scope: Scope, node: tree.Node, misfit: Misfit, at: str) -> Labels:
    """For a value at `node` that does not fit: where it gets what does not, else where the wanted type is written.

    `at`: the path from the value of the whole slot to the misfit.
    """
    if misfit.reason == "null":
        return null_label(scope, node, misfit.path) or wanted_label(scope, node, at)
    if misfit.reason == "missing":
        owner, _, name = misfit.path.rpartition(".")
        return field_label(scope, node, name, None, owner) or wanted_label(scope, node, at)
    return wanted_label(scope, node, at) or type_label(scope, node, misfit.wanted, misfit.path)


def wanted_label(scope: Scope, node: tree.Node, at: str) -> Labels:
    """Where the author wrote the type that a place wants: of an output, a `let`, an input, a claim."""
    names, path = scope.file.names, parts(at)
    written = Written(scope.file.files, scope.file.types)
    inner: tree.Node = node
    spot: Spot | None = None
    for around in above(names.module.file, node):
        match around:
            case tree.Let(type=type) | tree.Output(type=type) if type is not None and inner is around.value:
                spot = written.type(names, type, path, None)
                break
            case tree.Argument(name=name) if name is not None:
                spot = _parameter(scope, around, name.text, path)
                break
            case tree.Argument() | tree.Function() | tree.Index() | tree.Text() | tree.Use():
                break
            case tree.Let() | tree.Step() | tree.Input() | tree.Adapter() | tree.Chain() | tree.Test():
                break
        inner = around
    return _label(scope, node, spot, "wanted")


def parameter_label(scope: Scope, at: tree.Node, name: str | None) -> Labels:
    """Where the author wrote a parameter of the call that `at` is or stands in."""
    spot = _parameter(scope, at, name, ()) if name is not None else None
    return _label(scope, at, spot, "wanted") if spot is not None and not spot.lacks else ()


def _parameter(scope: Scope, at: tree.Node, name: str, path: Parts) -> Spot | None:
    """Where a parameter of the call, or of the adapter's chain, that `at` is or stands in, is written."""
    names, written = scope.file.names, Written(scope.file.files, scope.file.types)
    around = above(names.module.file, at)
    call = next((n for n in (at, *around) if not isinstance(n, tree.Argument)), None)
    if isinstance(call, tree.Call):
        return written.parameter(names, call, name, path)
    chain = next((n for n in around if isinstance(n, tree.Chain)), None)
    if isinstance(call, tree.Adapter) and chain is not None:
        return written.chain_input(names, chain, name, path)
    return None


def name_label(scope: Scope, node: tree.Ref, name: str) -> Labels:
    """Where a name is declared that can be seen from `node`."""
    found = declared(scope.file.names, node, name)
    return _label(scope, node, Spot(scope.file.names, found), "name") if found is not None else ()


def _label(scope: Scope, node: tree.Node, spot: Spot | None, kind: str, field: str = "") -> Labels:
    if spot is None or not spot.names.module.file.source.text:
        return ()
    file, mine = spot.names.module.file, scope.file.names.module.file
    source = file.source
    if file is mine and source.position(spot.node.start)[0] == source.position(node.start)[0]:
        return ()
    return (Label(file.span(_head(file, spot.node)), _text(scope, spot, kind, field)),)


def _head(file: tree.File, node: tree.Node) -> tree.Node:
    """The first line of a node: a label says where, not how much."""
    line, *more = file.source.text[node.start : node.end].split("\n", 1)
    return tree.Node(node.start, node.start + len(line.rstrip())) if more else node


def _text(scope: Scope, spot: Spot, kind: str, field: str) -> str:
    node, report = spot.node, spot.names.report
    if isinstance(node, tree.Name):
        return f"`{spot.name}` is given here" if spot.name else "declared here"
    subject = f"`{spot.name}`" if spot.name else "this"
    if isinstance(node, tree.When | tree.On):
        return f"{subject} may be null because of this"
    if spot.lacks:
        return f"{subject} has no field `{field or spot.lacks}`"
    written = node.type if isinstance(node, tree.FieldType) else node
    if isinstance(written, tree.Type):
        text = report.text(written)
        if len(text) > _LONG:
            return f"{subject} is declared here" if spot.name else "declared here"
        return f"{subject} is declared as {text}" if spot.name else f"declared as {text}"
    found = scope.file.types.get(id(node))
    if kind == "null":
        return f"{subject} may be null because of this" if spot.name else "this may be null"
    if found is None:
        return "it comes from here"
    if kind == "field" and isinstance(present(found), Record):
        return f"{subject} has no field `{field}`"
    text = shown(found)
    return f"{subject} is {text} here" if len(text) <= _LONG else f"{subject} comes from here"
