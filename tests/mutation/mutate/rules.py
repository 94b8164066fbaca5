"""All kinds of mutations, and how they are drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

from dsl import tree
from tests.mutation.mutate.calls import add_argument, change_access, drop_argument
from tests.mutation.mutate.edit import Mutation, Rule, Subject
from tests.mutation.mutate.guards import change_reaction, remove_guard
from tests.mutation.mutate.names import duplicate, rename_field, rename_name, swap_names
from tests.mutation.mutate.tokens import delete_token, replace_token
from tests.mutation.mutate.values import change_literal, change_operator, change_type, swap_types

RULES: Final[tuple[Rule, ...]] = (
    rename_field,
    drop_argument,
    swap_types,
    remove_guard,
    change_literal,
    delete_token,
    swap_names,
    change_operator,
    duplicate,
    rename_name,
    change_type,
    change_access,
    change_reaction,
    remove_guard,  # twice, because it is what types are for
    add_argument,
    replace_token,
)


def _elsewhere(subject: Subject, mutation: Mutation) -> bool:
    """Whether a mutation changes where an import looks, and how: to find nothing there is the loader's business."""
    places = [(i.kind.start, i.where.end) for i in subject.file.items if isinstance(i, tree.Import)]
    return any(edit.start < end and start < edit.end for edit in mutation.edits for start, end in places)


def mutants(subjects: Sequence[Subject], count: int, seed: int) -> Iterator[tuple[Subject, Mutation]]:
    """So many different mutants, the same ones for the same seed; fewer where the programs do not give that many."""
    seen = {subject.text for subject in subjects}
    for number in range(2 * count):
        if len(seen) == len(subjects) + count:
            return
        chance = Random(f"{seed}/{number}")
        subject = chance.choice(subjects)
        found = list(RULES[number % len(RULES)](subject, chance))
        chance.shuffle(found)
        for mutation in found:
            text = mutation.apply(subject.text)
            if text not in seen and not _elsewhere(subject, mutation):
                seen.add(text)
                yield subject, mutation
                break
