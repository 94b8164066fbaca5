"""The names of one chain: inputs, lets, steps and sections share one flat space, loop variables stay apart from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from compiler.names.file import FileNames
from compiler.types.report import Report
from dsl import tree


@dataclass(frozen=True, slots=True)
class Symbol:
    """A declared name. `section` is the section around it, `loops` the `for each` steps in whose blocks it lives."""

    kind: Literal["input", "let", "step", "section"]
    name: tree.Name
    node: tree.Input | tree.Let | tree.Step | tree.Section
    section: tree.Section | None = None
    loops: tuple[str, ...] = ()

    @property
    def word(self) -> str:
        """What it is, with its article."""
        return {"input": "an input", "let": "a `let`", "step": "a step", "section": "a section"}[self.kind]


@dataclass(frozen=True, slots=True)
class ChainNames:
    """Every name of a chain in the order of the text, those inside `for each` blocks included."""

    file: FileNames
    chain: tree.Chain
    symbols: Mapping[str, Symbol]

    def taken(self, name: str) -> str | None:
        """What a name already is where this chain stands, with its article; None where it is free."""
        if name in self.symbols:
            return f"{self.symbols[name].word} of this chain"
        if name in self.file.declared:
            return f"{self.file.word(name)} of this file"
        return None


_Loop = tuple[tree.Name, tuple[str, ...]]
"""The variable of a loop and those of the loops around it."""


def chain_names(file: FileNames, chain: tree.Chain) -> ChainNames:
    """Collect the names of a chain; duplicates, shadowing and loop variables that are taken are reported."""
    symbols: dict[str, Symbol] = {}
    names = ChainNames(file, chain, symbols)
    loops: list[_Loop] = []
    for member in chain.members:
        if isinstance(member, tree.Input):
            _declare(names, symbols, Symbol("input", member.name, member))
        elif isinstance(member, tree.Let | tree.Step):
            _members(names, symbols, loops, (member,), None, ())
        elif isinstance(member, tree.Section):
            _declare(names, symbols, Symbol("section", member.name, member))
            _members(names, symbols, loops, member.members, member, ())
    for variable, around in loops:
        check_variable(names, variable, around)
    return names


def _members(
    names: ChainNames,
    symbols: dict[str, Symbol],
    loops: list[_Loop],
    members: Iterable[tree.Let | tree.Step],
    section: tree.Section | None,
    inside: tuple[str, ...],
    around: tuple[str, ...] = (),
) -> None:
    for member in members:
        kind: Literal["let", "step"] = "let" if isinstance(member, tree.Let) else "step"
        _declare(names, symbols, Symbol(kind, member.name, member, section, inside))
        if isinstance(member, tree.Step) and isinstance(member.action, tree.EachCall | tree.EachBlock):
            variable = member.action.variable
            loops.append((variable, around))
            if isinstance(member.action, tree.EachBlock):
                steps = (*inside, member.name.text)
                _members(names, symbols, loops, member.action.members, section, steps, (*around, variable.text))


def _declare(names: ChainNames, symbols: dict[str, Symbol], symbol: Symbol) -> None:
    report, name = names.file.report, symbol.name.text
    if name in symbols:
        first = symbols[name]
        report(
            "E0301",
            symbol.name,
            f"`{name}` is declared twice in `{names.chain.name.text}`.",
            label=f"a second {symbol.kind}" if symbol.kind == first.kind else "",
            helps="Every input, let, step and section of a chain needs its own name.",
            also=(report.place(first.name, "first here"),),
        )
        return
    if name == names.chain.name.text:
        report(
            "E0306",
            symbol.name,
            f"`{name}` is the name of this chain.",
            helps=f"A name means one thing in a file: pick another one for the {symbol.kind}, as what it holds.",
            also=(report.place(names.chain.name, "the chain"),),
        )
    elif name in names.file.declared:
        report(
            "E0306",
            symbol.name,
            f"`{name}` is already {names.file.word(name)} of this file.",
            helps="A name means one thing in a file: pick another one here.",
            also=(report.place(names.file.declared[name].name, "declared here"),),
        )
    symbols[name] = symbol


def check_variable(names: ChainNames, variable: tree.Name, outer: Iterable[str] = ()) -> bool:
    """A loop variable must not hide a name; True where it does not. `outer` are the loop variables around it."""
    name = variable.text
    taken = "a loop variable around it" if name in outer else names.taken(name)
    if taken:
        first = names.symbols[name].name if name in names.symbols else None
        _hides(names.file.report, variable, taken, first)
    return taken is None


def check_outside(file: FileNames, variable: tree.Name, outer: Iterable[str] = ()) -> bool:
    """The same where there is no chain around; `outer` are the names of the adapter or test."""
    name = variable.text
    taken = "a name around it" if name in outer else None
    if name in file.declared:
        taken = f"{file.word(name)} of this file"
    if taken:
        _hides(file.report, variable, taken, file.declared[name].name if name in file.declared else None)
    return taken is None


def _hides(report: Report, variable: tree.Name, taken: str, first: tree.Name | None) -> None:
    report(
        "E0306",
        variable,
        f"`{variable.text}` is already {taken}.",
        helps="Pick another loop variable: a name is never hidden by another one.",
        also=(report.place(first, "declared here"),) if first else (),
    )
