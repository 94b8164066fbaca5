"""What makes sure that something is there: taken away."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from dsl import tree
from tests.mutation.mutate.edit import Edit, Mutation, Subject


def remove_guard(subject: Subject, chance: Random) -> Iterator[Mutation]:
    """No `when`, `require`, `on …`, `?.`, `??`, `!`, `if`, `and …`, `as`, `compact` any more."""
    text = subject.text
    for node in subject.nodes:
        written = subject.written(node)
        match node:
            case tree.When() | tree.On() | tree.Require() | tree.After():
                yield _removed(written, Edit(node.start, node.end, ""))
            case tree.Member(base=base, optional=True) | tree.Index(base=base, optional=True):
                at = text.index("?", base.end)
                yield _removed(f"? in {written}", Edit(at, at + 1, ""))
            case tree.Present(base=base):
                yield _removed(f"! in {written}", Edit(base.end, node.end, ""))
            case tree.Binary(op="??" | "and" | "or", left=left, right=right):
                yield _removed(text[left.end : right.end], Edit(left.end, right.end, ""))
                yield _removed(text[left.start : right.start], Edit(left.start, right.start, ""))
            case tree.If(then=then, otherwise=otherwise):
                for branch in (then, otherwise):
                    yield _removed(written, Edit(node.start, node.end, subject.written(branch)))
            case tree.ListComprehension(items=items, condition=tree.Node() as condition):
                yield _removed(f"if {subject.written(condition)}", Edit(items.end, condition.end, ""))
            case tree.Cast(value=value):
                yield _removed(text[value.end : node.end], Edit(value.end, node.end, ""))
            case tree.Unary(operand=operand):
                yield _removed(written, Edit(node.start, operand.start, ""))
            case tree.Function(name=name, arguments=(first, *_)) if name.text in ("compact", "first", "unique"):
                yield _removed(name.text, Edit(node.start, node.end, subject.written(first.value)))


def _removed(what: str, edit: Edit) -> Mutation:
    return Mutation("remove_guard", what[:50], (edit,))


def change_reaction(subject: Subject, chance: Random) -> Iterator[Mutation]:
    """A reaction becomes another one, or one comes in."""
    for node in subject.nodes:
        if isinstance(node, tree.On):
            text = chance.choice(("skip", "use null", "use 1", 'use "x"', "use {}", "use []"))
            yield Mutation("change_reaction", text, (Edit(node.reaction.start, node.reaction.end, text),))
        elif isinstance(node, tree.Step) and not any(isinstance(each, tree.On) for each in node.clauses):
            each = isinstance(node.action, tree.EachCall | tree.EachBlock)
            clause = chance.choice(("on error skip", "on error use null", "on error use { a: 1 }", "when 1 > 2"))
            if each and chance.random() < 0.5:
                clause = chance.choice(("on item_error use null", "on item_error use 0"))
            if node.clauses:
                at = node.clauses[0].start
                yield Mutation("change_reaction", clause, (Edit(at, at, f"{clause} "),))
            elif not isinstance(node.action, tree.EachBlock):
                yield Mutation("change_reaction", clause, (Edit(node.end, node.end, f" {{ {clause} }}"),))
