"""What all rules share: the source, the `///` texts that wait for a declaration, the diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from dsl.build.description import description
from dsl.diagnostics import Diagnostic, Edit, Fix, Label
from dsl.source import Source, Span
from dsl.tokens import Token
from dsl.tree import Name, Node

AMBIENT = frozenset(("run", "result"))


class Group(NamedTuple):
    """What stands between brackets, with the place of the brackets."""

    items: tuple[Any, ...]
    start: int
    end: int


NOTHING: tuple[Any, ...] = ()


class State:
    """Lists and names, and ways to report."""

    def __init__(self, source: Source, docs: dict[int, list[Token]]) -> None:
        self.source = source
        self.docs = docs
        self.diagnostics: list[Diagnostic] = []

    # -- lists: they grow in place, a finished one is frozen by whoever takes it

    def none(self) -> list[Any]:
        return []

    def one(self, item: Any) -> list[Any]:
        return [item]

    def two(self, first: Any, _sign: Token, second: Any) -> list[Any]:
        return [first, second]

    def more(self, items: list[Any], item: Any) -> list[Any]:
        items.append(item)
        return items

    def one_more(self, items: list[Any], _sign: Token, item: Any) -> list[Any]:
        items.append(item)
        return items

    # -- names

    def name(self, word: Token) -> Name:
        return Name(word.start, word.end, word.text)

    def path(self, name: Name) -> tuple[Name, ...]:
        return (name,)

    def word_path(self, word: Token) -> tuple[Name, ...]:
        return (self.name(word),)

    def longer_path(self, path: tuple[Name, ...], _dot: Token, name: Name) -> tuple[Name, ...]:
        return (*path, name)

    def declare(self, name: Name) -> Name:
        """A name that is bound here; `run` and `result` are the language's own."""
        if name.text in AMBIENT:
            meaning = "the run that is going on" if name.text == "run" else "the result of a call"
            self.report("E0120", f"`{name.text}` always means {meaning}, so nothing else can have this name.", name)
        return name

    def doc(self, start: int) -> str | None:
        """The `///` text above the declaration that starts here."""
        if not self.docs:
            return None
        lines = self.docs.pop(start, None)
        if lines is None:
            return None
        return description(line.text[3:].removeprefix(" ").rstrip() for line in lines)

    # -- reports

    def span(self, node: Node | Token) -> Span:
        return Span(self.source, node.start, node.end)

    def report(self, code: str, message: str, node: Node | Token, *helps: str, fix: str | None = None) -> None:
        """One mistake at a node; `fix` is what to write in its place."""
        span = self.span(node)
        fixes = () if fix is None else (Fix(f"Write `{fix}`", (Edit(span, fix),)),)
        self.diagnostics.append(Diagnostic(code=code, message=message, span=span, helps=helps, fixes=fixes))

    def once(self, items: Iterable[Node], key: Callable[[Any], tuple[str, Node] | None], whose: str) -> None:
        """Report every item that says again what an earlier one said. `key` gives its words and its place."""
        seen: dict[str, Node] = {}
        for item in items:
            found = key(item)
            if found is None:
                continue
            words, place = found
            first = seen.setdefault(words, place)
            if first is place:
                continue
            line = self.source.position(first.start)[0]
            self.diagnostics.append(
                Diagnostic(
                    code="E0115",
                    message=f"`{words}` is given twice{whose}.",
                    span=self.span(place),
                    secondary=(Label(self.span(first), "the first one"),),
                    helps=(f"Keep one; the first is on line {line}.",),
                )
            )


def named(item: Any) -> tuple[str, Node] | None:
    """For `once`: the name of a field, setting or argument that has one."""
    name = getattr(item, "name", None)
    return (name.text, name) if isinstance(name, Name) else None
