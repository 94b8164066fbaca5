"""What the table says about a stack of states, without touching values: the questions that recovery asks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dsl.table import Table
from dsl.tokens import END, SOFT_KINDS, Token

LOOK_AHEAD: Final = 6
"""How many tokens are tried to see whether a repair is a good one."""


def advance(grammar: Table, states: list[int], kind: str, *, as_name: bool = True) -> bool:
    """Take one token: change the states and say True, or say False (the states are then of no use).

    A soft word counts as a name where the word itself does not fit, unless `as_name` forbids it.
    """
    rows, rules = grammar.rows, grammar.rules
    while True:
        row = rows[states[-1]]
        action = row.get(kind)
        if action is None and as_name and kind in SOFT_KINDS:
            action = row.get("NAME")
        if action is None:
            return False
        if action >= 0:
            states.append(action)
            return True
        origin, length, _, _ = rules[-1 - action]
        if length:
            del states[-length:]
        states.append(rows[states[-1]][origin])
        if states[-1] == grammar.end and kind == END:
            return True


def fits(grammar: Table, states: Sequence[int], *kinds: str, as_name: bool = True) -> bool:
    """Whether these kinds can come next, one after the other."""
    trial = list(states)
    return all(advance(grammar, trial, kind, as_name=as_name) for kind in kinds)


def acceptable(grammar: Table, states: Sequence[int]) -> frozenset[str]:
    """Every kind that can come next."""
    row = grammar.rows[states[-1]]
    return frozenset(kind for kind in row if (kind[0].isupper() or kind == END) and fits(grammar, states, kind))


def run_ahead(grammar: Table, states: Sequence[int], first: Sequence[str], tokens: Sequence[Token], at: int) -> int:
    """How many tokens from `at` on fit after the kinds in `first`; -1 where those do not fit themselves.

    The end of the file, reached in good order, counts as the full look-ahead.
    """
    trial = list(states)
    for kind in first:
        if not advance(grammar, trial, kind):
            return -1
    for count in range(LOOK_AHEAD):
        kind = tokens[at + count].kind
        if not advance(grammar, trial, kind):
            return count
        if kind == END:
            break
    return LOOK_AHEAD


def closed(grammar: Table, states: Sequence[int], kinds: Sequence[str]) -> list[int] | None:
    """The states after one of `kinds`, all that can be finished before it being finished; None if none fits."""
    for kind in kinds:
        trial = list(states)
        if advance(grammar, trial, kind, as_name=False):
            return trial
    return None
