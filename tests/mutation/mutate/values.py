"""Literals, operators and types: changed into others."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from dsl import tree
from tests.mutation.mutate.edit import Edit, Mutation, Subject

OPERATORS: Final = (
    ("==", "!=", "<", "<=", ">", ">="),
    ("+", "-", "*", "/", "%"),
    ("and", "or", "??"),
    ("in", "=="),
)
TYPES: Final = (
    "string",
    "integer",
    "number",
    "boolean",
    "json",
    "timestamp",
    "date",
    "duration",
    "list<string>",
    "map<integer>",
)


def change_literal(subject: Subject, chance: Random) -> Iterator[Mutation]:
    """Another choice, a text for a number, a number for a text, null."""
    for node in subject.nodes:
        written = subject.written(node)
        match node:
            case tree.Text() if node.plain is not None:
                text = chance.choice((f'{written[:-1]}x"', '"opened"', "7", "true", "null", '""', f"[{written}]"))
            case tree.Text():
                text = chance.choice(("7", "null", "{}", "[]"))
            case tree.LiteralType():
                text = chance.choice((f'{written[:-1]}x"', "string", "integer"))
            case tree.Integer() | tree.Number():
                text = chance.choice((f'"{written}"', "2.5", "null", "true", "7d", "[]"))
            case tree.Constant():
                text = chance.choice((f'"{written}"', "0", "null", "true", "{}"))
            case tree.Duration():
                text = chance.choice((written[:-1], f'"{written}"', "2.5"))
            case tree.ListLiteral() | tree.RecordLiteral():
                text = chance.choice(("null", "[]", "{}", '"x"', "[1]", "{ a: 1 }"))
            case _:
                continue
        if text != written:
            yield Mutation("change_literal", f"{written[:30]} → {text}", (Edit(node.start, node.end, text),))


def change_operator(subject: Subject, chance: Random) -> Iterator[Mutation]:
    """Another operator, of the same family or not."""
    for node in subject.nodes:
        if isinstance(node, tree.Binary):
            family = next((each for each in OPERATORS if node.op in each), OPERATORS[0])
            if chance.random() < 0.4:
                family = chance.choice(OPERATORS)
            other = chance.choice([each for each in family if each != node.op])
            start, end = node.op_start, node.op_start + len(node.op)
            if subject.text[start:end] == node.op:
                yield Mutation("change_operator", f"{node.op} → {other}", (Edit(start, end, other),))
        elif isinstance(node, tree.If):
            # A condition turned around, and one that is none.
            condition = subject.written(node.condition)
            text = chance.choice((f"not ({condition})", f"count([{condition}])"))
            yield Mutation("change_operator", text[:40], (Edit(node.condition.start, node.condition.end, text),))


def _is_type(node: tree.Node) -> bool:
    return isinstance(
        node,
        tree.NamedType | tree.GenericType | tree.OptionalType | tree.UnionType | tree.RecordType | tree.LiteralType,
    )


def swap_types(subject: Subject, chance: Random) -> Iterator[Mutation]:
    """Two types change places."""
    types = [node for node in subject.nodes if _is_type(node)]
    for _ in range(len(types)):
        a, b = sorted(chance.sample(types, 2), key=lambda each: each.start) if len(types) > 1 else (None, None)
        if a is None or b is None or b.start < a.end or subject.written(a) == subject.written(b):
            continue
        edits = (Edit(a.start, a.end, subject.written(b)), Edit(b.start, b.end, subject.written(a)))
        yield Mutation("swap_types", f"{subject.written(a)[:30]} ↔ {subject.written(b)[:30]}", edits)


def change_type(subject: Subject, chance: Random) -> Iterator[Mutation]:
    """Another type, with or without `?`, a list of it."""
    for node in subject.nodes:
        if not _is_type(node):
            continue
        written = subject.written(node)
        if isinstance(node, tree.OptionalType) and chance.random() < 0.6:
            text = subject.written(node.inner)
        else:
            text = chance.choice((*TYPES, f"({written})?", f"list<{written}>"))
        yield Mutation("change_type", f"{written[:30]} → {text[:30]}", (Edit(node.start, node.end, text),))
