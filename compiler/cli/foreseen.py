"""What is said of a run before it begins, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from compiler.cli.guess import Guess
from stdlib.plan import plan as p
from stdlib.runtime.fault import Fault
from stdlib.runtime.loaded import LoadedTool

Will = Literal["runs", "may run", "is skipped", "is not reached"]


@dataclass(frozen=True, slots=True)
class Value:
    """A `let` or a `require` (then its guess is of the condition, or `Fails` where it does not hold)."""

    plan: p.Let | p.Require
    guess: Guess


@dataclass(frozen=True, slots=True)
class First:
    """A call, or a question, that comes before any answer. `arguments` is `Known` where they are exact; else `parts`
    has what is known of them. `key`: the parameter that gets the key of the request. `tool`: `chain ID` where that
    chain is not looked into."""

    path: str
    tool: str
    arguments: Guess
    parts: tuple[tuple[str, Guess], ...] = ()
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """`after`: the steps that it waits for; `wave`: how many stand one behind the other before it, and 1.

    `tool`: what it calls, `chain` where that is a chain. `text`: of a question. `inner`: the steps of its loop, or of
    the chain that it calls.
    """

    plan: p.CallStep | p.MapStep | p.ApproveStep | p.AskStep
    after: tuple[str, ...]
    wave: int
    will: Will
    when: Guess | None = None
    arguments: tuple[tuple[str, Guess], ...] = ()
    tool: LoadedTool | None = None
    chain: str | None = None
    items: Guess | None = None
    text: Guess | None = None
    inner: Block | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """`first`: the calls that are begun before anything has answered. `fault`: what ends it before that, certainly;
    then they are those that may have begun by then. `done`: it comes to its end without any call."""

    inputs: Mapping[str, Guess]
    values: tuple[Value, ...]
    steps: tuple[Step, ...]
    first: tuple[First, ...]
    result: Guess
    fault: Fault | None = None
    done: bool = False
