"""Names: misspelled, swapped, declared twice."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from dsl import tree
from tests.mutation.mutate.edit import Edit, Mutation, Subject, typo


def rename_field(subject: Subject, chance: Random) -> Iterator[Mutation]:
    """A field that is read, given or declared gets another name."""
    names = [n.name for n in subject.nodes if isinstance(n, tree.Member | tree.Field | tree.FieldType)]
    known = sorted({name.text for name in names if not name.quoted})
    for name in names:
        if name.quoted:
            continue
        other = typo(name.text, chance) if chance.random() < 0.6 else chance.choice(known)
        if other != name.text:
            yield Mutation("rename_field", f"{name.text} → {other}", (Edit(name.start, name.end, other),))


def rename_name(subject: Subject, chance: Random) -> Iterator[Mutation]:
    """A typing error in the name of an input, step, parameter, tool, function or type, where it is declared or used."""
    for node in subject.nodes:
        names: tuple[tree.Node, ...]
        match node:
            case tree.Ref():
                names = (node,)
            case tree.Argument(name=tree.Name() as name) | tree.Function(name=name) | tree.Step(name=name):
                names = (name,)
            case tree.Let(name=name) | tree.Input(name=name) | tree.TypeDecl(name=name) | tree.KindDecl(name=name):
                names = (name,)
            case tree.Call(path=path) | tree.NamedType(path=path):
                names = path
            case tree.After(names=path):
                names = path
            case tree.ListComprehension(variable=name) | tree.EachBlock(variable=name) | tree.EachCall(variable=name):
                names = (name,)
            case _:
                continue
        for each in names:
            written = subject.written(each)
            if written.isidentifier():
                other = typo(written, chance)
                yield Mutation("rename_name", f"{written} → {other}", (Edit(each.start, each.end, other),))


def swap_names(subject: Subject, chance: Random) -> Iterator[Mutation]:
    """A name is used in place of another one; or two values change places."""
    refs = [node for node in subject.nodes if isinstance(node, tree.Ref)]
    for ref in refs:
        chain = subject.chain_at(ref.start)
        around = sorted({each.name for each in refs if subject.chain_at(each.start) is chain} - {ref.name})
        if around:
            other = chance.choice(around)
            yield Mutation("swap_names", f"{ref.name} → {other}", (Edit(ref.start, ref.end, other),))
    for node in subject.nodes:
        values: list[tree.Node] = []
        if isinstance(node, tree.Call | tree.Function):
            values = [each.value for each in node.arguments]
        elif isinstance(node, tree.RecordLiteral):
            values = [each.value for each in node.fields]
        elif isinstance(node, tree.Binary):
            values = [node.left, node.right]
        if len(values) < 2:
            continue
        a, b = sorted(chance.sample(values, 2), key=lambda each: each.start)
        one, two = subject.written(a), subject.written(b)
        if one != two:
            edits = (Edit(a.start, a.end, two), Edit(b.start, b.end, one))
            yield Mutation("swap_names", f"{one[:30]} ↔ {two[:30]}", edits)


def duplicate(subject: Subject, chance: Random) -> Iterator[Mutation]:
    """A declaration, an argument or a field stands there twice."""
    for node in subject.nodes:
        if isinstance(
            node, tree.Step | tree.Let | tree.Input | tree.TypeDecl | tree.Chain | tree.Section | tree.Import
        ):
            text = f"\n{subject.written(node)}"
        elif isinstance(node, tree.Argument | tree.Field | tree.FieldType):
            text = f", {subject.written(node)}"
        else:
            continue
        yield Mutation("duplicate", subject.written(node)[:40], (Edit(node.end, node.end, text),))
