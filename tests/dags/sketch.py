"""Random programs as data: chains of reads, writes, lets, requires, sections and loops, whose edges are drawn.

Everything that can be referred to is a record `{ value, few }` or, for loops, a list of such records.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from random import Random
from typing import Literal

OnError = Literal["fail", "skip", "use"]
Asks = Literal["even", "succeeded", "skipped", "failed"]
Mode = Literal["unavailable", "tool_error", "lost"]
"""What every fault of a program is: one that passes, one that stays, or an answer that never comes."""


@dataclass(frozen=True)
class Condition:
    """`even`: the number of a name; the others ask how a step ended."""

    kind: Asks
    name: str


@dataclass(frozen=True)
class Loop:
    """`over`: a name whose `few` is looped over, or how many literal items. No body: the step's call for each item.
    `result`: the step of the body that is returned."""

    over: str | int
    parallel: int | None
    on_item: OnError
    body: tuple[Step, ...] = ()
    result: str = ""


@dataclass(frozen=True)
class Step:
    """`does`: a tool, or the id of a chain. `uses`: the names that its arguments speak of."""

    name: str
    does: str
    uses: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    when: Condition | None = None
    retry: int = 0
    on_error: OnError = "fail"
    undo: bool = False
    loop: Loop | None = None


@dataclass(frozen=True)
class Let:
    name: str
    uses: tuple[str, ...]


@dataclass(frozen=True)
class Require:
    """About the numbers of `uses`; of the input where there are none."""

    name: str
    uses: tuple[str, ...]
    holds: bool


@dataclass(frozen=True)
class Section:
    name: str
    members: tuple[Step | Let, ...]
    when: Condition | None = None
    after: tuple[str, ...] = ()
    any_order: bool = False


Member = Step | Let | Require | Section


@dataclass(frozen=True)
class Chain:
    """`result`: the step that a called chain returns. `parallel`: most calls at once, from its budget."""

    id: str
    members: tuple[Member, ...]
    result: str = ""
    parallel: int | None = None

    def named(self) -> Iterator[Step | Let]:
        """What can be referred to, in the order of the text."""
        for member in self.members:
            if isinstance(member, Section):
                yield from member.members
            elif not isinstance(member, Require):
                yield member


@dataclass(frozen=True)
class Program:
    """Chains, the called ones before those that call them. `salt` and `rarity` decide which calls fail."""

    chains: tuple[Chain, ...]
    mode: Mode
    salt: int
    rarity: int

    @property
    def root(self) -> Chain:
        return self.chains[-1]

    def chain(self, id: str) -> Chain:
        return next(each for each in self.chains if each.id == id)

    @cached_property
    def undoable(self) -> frozenset[str]:
        """The names of steps that can be taken back; no two steps have one name."""
        steps = [each for chain in self.chains for each in chain.named() if isinstance(each, Step)]
        bodies = [inner for each in steps if each.loop is not None for inner in each.loop.body]
        return frozenset(each.name for each in (*steps, *bodies) if each.undo)

    def writes(self, step: Step) -> bool:
        """Whether a step does more than read."""
        if step.loop is not None and step.loop.body:
            return any(self.writes(each) for each in step.loop.body)
        if step.does in TOOLS:
            return step.does != "read"
        return any(self.writes(each) for each in self.chain(step.does).named() if isinstance(each, Step))


TOOLS = ("read", "write", "put")


def draw(chance: Random) -> Program:
    """A program; equal numbers give equal programs."""
    mode: Mode = chance.choice(("unavailable", "unavailable", "tool_error", "lost"))
    program = Program((), mode, chance.randrange(1 << 30), chance.choice((0, 3, 6, 12)))
    for number in range(chance.randrange(3)):
        program = replace(program, chains=(*program.chains, _Draft(chance, program, f"c{number}").chain()))
    return replace(program, chains=(*program.chains, _Draft(chance, program, "root").chain()))


@dataclass
class _Draft:
    """One chain being drawn; `known` has the names so far, `steps` those of them that have an outcome, `targets` what
    can be waited for."""

    chance: Random
    program: Program
    id: str
    known: list[str] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    count: int = 0

    def chain(self) -> Chain:
        root = self.id == "root"
        members: list[Member] = [self._step(plain=True)]
        while len(members) < self.chance.randint(2, 9 if root else 3):
            members.append(self._member())
        result = members[0]
        assert isinstance(result, Step)
        parallel = self.chance.choice((None, None, 1, 2, 3))
        return Chain(self.id, tuple(self._moved(members)), result.name, parallel)

    def _moved(self, members: list[Member]) -> list[Member]:
        """Reads stand anywhere in the text, also above what they refer to."""
        for member in list(members):
            if isinstance(member, Step) and not self.program.writes(member) and self._happens(0.3):
                members.remove(member)
                members.insert(self.chance.randint(0, len(members)), member)
        return members

    def _member(self) -> Member:
        match self.chance.randrange(10):
            case 0 | 1:
                return self._let()
            case 2:
                fails = self.id == "root" and self._happens(0.15)
                return Require(self._new("r"), self._some(self.known, 2), not fails)
            case 3 | 4 if self.id == "root":
                return self._section()
            case _:
                return self._step()

    def _section(self) -> Section:
        name = self._new("x")
        when, after = self._condition(0.6), self._some(self.targets, 1)
        members = tuple(self._let() if self._happens(0.2) else self._step() for _ in range(self.chance.randint(1, 3)))
        self.targets.append(name)
        return Section(name, members, when, after, self._happens(0.5))

    def _let(self) -> Let:
        uses = self._some(self.known, 2)
        return Let(self._add(self._new("l"), outcome=False), uses)

    def _step(self, *, plain: bool = False) -> Step:
        """`plain`: one that has a value whenever the chain goes on."""
        name, kind = self._new("s"), self.chance.randrange(6)
        step = self._call(name)
        if not plain:
            on_error: OnError = self.chance.choice(("fail", "fail", "skip", "use"))
            step = replace(step, when=self._condition(0.2), after=self._some(self.targets, 1, 0.2), on_error=on_error)
            if kind == 0:
                step = replace(step, loop=self._loop(name))
            elif kind == 1:
                step = self._block(step)
        self._add(name)
        return step

    def _call(self, name: str) -> Step:
        called = [each.id for each in self.program.chains]
        does = self.chance.choice([*TOOLS, *TOOLS, *called])
        retry = self.chance.choice((0, 0, 1, 2))
        if does in called and self.program.mode == "lost":
            retry = 0  # which of several faults of the chain comes first decides whether it may be repeated
        undo = does in ("write", "put") and self._happens(0.6)
        return Step(name, does, self._some(self.known, 2), retry=retry, undo=undo)

    def _loop(self, name: str) -> Loop:
        over: list[str | int] = [self.chance.randint(0, 4), *self._some(self.known, 1)]
        on_item: OnError = self.chance.choice(("fail", "skip", "use"))
        return Loop(self.chance.choice(over), self.chance.choice((None, 1, 2, 3)), on_item)

    def _block(self, step: Step) -> Step:
        loop, before = self._loop(step.name), [list(names) for names in (self.known, self.steps, self.targets)]
        body: list[Step] = []
        for number in range(self.chance.randint(1, 3)):
            name = f"{step.name}_{number}"
            inner = self._call(name)
            if number:
                own = [each.name for each in body]
                inner = replace(inner, after=self._some(own, 1, 0.3), when=self._condition(0.15, own))
                inner = replace(inner, on_error=self.chance.choice(("fail", "skip")))
            body.append(inner)
            self._add(name)
        self.known, self.steps, self.targets = before
        loop = replace(loop, body=tuple(body), result=self.chance.choice(body).name)
        return Step(step.name, "", (), step.after, step.when, 0, step.on_error, False, loop)

    def _condition(self, share: float, names: Sequence[str] = ()) -> Condition | None:
        if not self.steps or not self._happens(share):
            return None
        kind: Asks = self.chance.choice(("even", "even", "even", "succeeded", "skipped", "failed"))
        return Condition(kind, self.chance.choice(list(names) or self.steps))

    def _some(self, names: Sequence[str], most: int, share: float = 0.7) -> tuple[str, ...]:
        """Some of the names, in the order given."""
        if not names or not self._happens(share):
            return ()
        chosen = set(self.chance.sample(list(names), min(len(names), self.chance.randint(1, most))))
        return tuple(name for name in names if name in chosen)

    def _add(self, name: str, *, outcome: bool = True) -> str:
        self.known.append(name)
        if outcome:
            self.steps.append(name)
            self.targets.append(name)
        return name

    def _new(self, kind: str) -> str:
        """A name that no other chain has."""
        self.count += 1
        return f"{'' if self.id == 'root' else self.id}{kind}{self.count}"

    def _happens(self, share: float) -> bool:
        return self.chance.random() < share
