"""Arguments and fields: left out, too many, read too little or too much."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from dsl import tree
from tests.mutation.mutate.edit import Edit, Mutation, Subject, without


def drop_argument(subject: Subject, chance: Random) -> Iterator[Mutation]:
    """An argument or a field is left out."""
    for node in subject.nodes:
        items: tuple[tree.Node, ...] = ()
        if isinstance(node, tree.Call | tree.Function):
            items = node.arguments
        elif isinstance(node, tree.RecordLiteral | tree.RecordType):
            items = node.fields
        for item in items:
            yield Mutation("drop_argument", subject.written(item)[:40], (without(subject, item),))


def add_argument(subject: Subject, chance: Random) -> Iterator[Mutation]:
    """An argument or a field more than there should be."""
    for node in subject.nodes:
        if isinstance(node, tree.Call | tree.Function) and node.arguments:
            at, text = node.arguments[0].start, chance.choice(("extra: 1, ", "limit: 3, ", "7, ", "...{ extra: 1 }, "))
        elif isinstance(node, tree.RecordLiteral) and node.fields:
            at, text = node.fields[0].start, "extra: 1, "
        else:
            continue
        yield Mutation("add_argument", text, (Edit(at, at, text),))


def change_access(subject: Subject, chance: Random) -> Iterator[Mutation]:
    """The whole instead of a field, a list instead of an item, a field or an item of something that has none."""
    for node in subject.nodes:
        match node:
            case tree.Member(base=base) | tree.Index(base=base):
                yield Mutation("change_access", f"only {subject.written(base)[:40]}", (Edit(base.end, node.end, ""),))
            case tree.Ref(name=name) if name != "run":
                text = chance.choice((".id", ".name", "[0]", "?.title", '["a"]', "!", ".items"))
                yield Mutation("change_access", f"{name}{text}", (Edit(node.end, node.end, text),))
            case tree.Function(arguments=(first, *_)):
                # The argument instead of what the function makes of it.
                text = subject.written(first.value)
                yield Mutation("change_access", f"without {node.name.text}", (Edit(node.start, node.end, text),))
            case tree.Argument(value=value) | tree.Field(value=value):
                text = f"[{subject.written(value)}]"
                yield Mutation("change_access", text[:40], (Edit(value.start, value.end, text),))
