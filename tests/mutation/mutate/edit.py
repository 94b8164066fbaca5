"""A mutation: a few edits of a program's text, and where they are to be seen afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from random import Random

from dsl import tree
from dsl.diagnostics import Sink
from dsl.lexer import lex
from dsl.parser import parse
from dsl.source import Source
from dsl.tokens import END, Token
from dsl.tree.walk import children


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace what stands from `start` to `end` by `text`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Mutation:
    """`kind` is the name of its rule; `what` says in short what was done."""

    kind: str
    what: str
    edits: tuple[Edit, ...]

    def apply(self, text: str) -> str:
        for edit in sorted(self.edits, key=lambda each: -each.start):
            text = text[: edit.start] + edit.text + text[edit.end :]
        return text

    def places(self, text: str) -> list[tuple[int, int]]:
        """Start and end of what was changed, in the text that `apply` makes of `text`."""
        found, shift = [], 0
        for edit in sorted(self.edits, key=lambda each: each.start):
            start = edit.start + shift
            found.append((start, start + len(edit.text)))
            shift += len(edit.text) - (edit.end - edit.start)
        return found

    def lines(self, text: str) -> set[int]:
        """The lines of the mutated text that were changed; where something is gone, those of its neighbours."""
        mutated = self.apply(text)
        found: set[int] = set()
        for start, end in self.places(text):
            if start == end:
                start = len(mutated[:start].rstrip()) - 1
                end += len(mutated[end:]) - len(mutated[end:].lstrip()) + 1
            first, last = (mutated.count("\n", 0, max(at, 0)) + 1 for at in (start, max(start, end - 1)))
            found.update(range(first, last + 1))
        return found


@dataclass(frozen=True)
class Subject:
    """A good program that is mutated; `others` are the files that it imports."""

    name: str
    text: str
    others: tuple[tuple[str, str], ...] = ()

    @cached_property
    def file(self) -> tree.File:
        sink = Sink()
        file = parse(Source(self.name, self.text), sink)
        assert not sink.has_errors, self.name
        return file

    @cached_property
    def nodes(self) -> list[tree.Node]:
        """All nodes, outer ones first."""
        found: list[tree.Node] = []
        waiting: list[tree.Node] = [self.file]
        while waiting:
            node = waiting.pop()
            found.append(node)
            waiting.extend(reversed(list(children(node))))
        return found

    @cached_property
    def tokens(self) -> list[Token]:
        return [token for token in lex(Source(self.name, self.text)).tokens if token.kind != END]

    def written(self, node: tree.Node) -> str:
        return self.text[node.start : node.end]

    def chain_at(self, offset: int) -> tree.Chain | None:
        return next((i for i in self.file.items if isinstance(i, tree.Chain) and i.start <= offset < i.end), None)


Rule = Callable[[Subject, Random], Iterator[Mutation]]
"""All mutations of one kind; chance decides about their details."""


def without(subject: Subject, node: tree.Node) -> Edit:
    """Takes an item of a list out, with the comma behind or before it."""
    text = subject.text
    after = node.end + len(text[node.end :]) - len(text[node.end :].lstrip())
    if text[after : after + 1] == ",":
        return Edit(node.start, after + 1, "")
    before = len(text[: node.start].rstrip())
    return Edit(before - 1 if text[before - 1] == "," else node.start, node.end, "")


def typo(name: str, chance: Random) -> str:
    """The name with one letter too few, too many, or two of them swapped."""
    at = chance.randrange(len(name))
    match chance.randrange(3):
        case 0 if len(name) > 2:
            made = name[:at] + name[at + 1 :]
        case 1:
            made = name[:at] + name[at] + name[at:]
        case _:
            at = min(at, len(name) - 2)
            made = name[:at] + name[at + 1] + name[at] + name[at + 2 :] if len(name) > 1 else name * 2
    return made if made != name and made[:1].isalpha() else f"{name}x"
