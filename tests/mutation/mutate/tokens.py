"""Single tokens: gone, doubled, in place of others."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.mutation.mutate.edit import Edit, Mutation, Subject


def delete_token(subject: Subject, chance: Random) -> Iterator[Mutation]:
    """A token is gone."""
    for token in subject.tokens:
        if token.text:
            yield Mutation("delete_token", token.text[:30], (Edit(token.start, token.end, ""),))


def replace_token(subject: Subject, chance: Random) -> Iterator[Mutation]:
    """A token of the program in the place of another one."""
    for token in subject.tokens:
        other = chance.choice(subject.tokens)
        if token.text and other.text and other.text != token.text:
            what = f"{token.text[:20]} → {other.text[:20]}"
            yield Mutation("replace_token", what, (Edit(token.start, token.end, other.text),))
