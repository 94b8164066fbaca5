"""The names at the top level of a file: imports, types, kinds, lets and chains share one space."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from compiler.project import Module
from compiler.types.report import Report
from dsl import tree
from stdlib.values.types import SCALARS

_WORDS: dict[type, str] = {
    tree.Import: "an import",
    tree.TypeDecl: "a type",
    tree.KindDecl: "a kind",
    tree.Let: "a `let`",
    tree.Chain: "a chain",
}

Declaration = tree.Import | tree.TypeDecl | tree.KindDecl | tree.Let | tree.Chain


@dataclass(frozen=True, slots=True)
class FileNames:
    """The first declaration of each name of one file."""

    module: Module
    report: Report = field(repr=False)
    declared: Mapping[str, Declaration]
    lets: Mapping[str, tree.Let]
    chains: Mapping[str, tree.Chain]
    imports: Mapping[str, tree.Import]

    def word(self, name: str) -> str:
        """What kind of thing a name of this file is, with its article."""
        return _WORDS[type(self.declared[name])]


def file_names(module: Module, report: Report) -> FileNames:
    """Collect the top level of a file; a name that is taken is reported and keeps its first meaning."""
    declared: dict[str, Declaration] = {}
    for item in module.file.items:
        if not isinstance(item, Declaration):
            continue
        name = item.name.text
        if name in declared:
            report(
                "E0301",
                item.name,
                f"`{name}` is declared twice in this file.",
                helps="Imports, types, kinds, lets and chains of a file need different names.",
                also=(report.place(declared[name].name, "first here"),),
            )
            continue
        if isinstance(item, tree.TypeDecl | tree.KindDecl) and name in SCALARS:
            report("E0306", item.name, f"`{name}` is already a type of the language.", helps="Pick another name.")
        declared[name] = item
    return FileNames(
        module=module,
        report=report,
        declared=declared,
        lets={n: d for n, d in declared.items() if isinstance(d, tree.Let)},
        chains={n: d for n, d in declared.items() if isinstance(d, tree.Chain)},
        imports={n: d for n, d in declared.items() if isinstance(d, tree.Import)},
    )
