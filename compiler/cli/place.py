"""Where a command works, and how it tells the mistakes that it finds there."""

from __future__ import annotations

import argparse
import os
import posixpath
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from compiler.cli import terminal
from compiler.cli.arguments import nearest
from compiler.cli.exits import FINDINGS, OK, USAGE, Usage
from dsl.diagnostics import Diagnostic, Edit, Fix, Label
from dsl.source import Source, Span

_MISUSE: Final = frozenset(("E0210",))
"""Findings that are no mistake of a workflow: there is no project."""


@dataclass(frozen=True, slots=True)
class Place:
    """A path that a command works on. `root` is the folder of the manifest that counts for it; `base` leads there from
    the folder in which the person sits."""

    path: Path
    root: Path | None
    base: str

    @property
    def home(self) -> Path:
        """The root; raises Usage where there is none."""
        if self.root is None:
            raise Usage("there is no chainc.toml here or above.", "-C names the folder of a project.")
        return self.root

    def seen(self, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
        """The diagnostics with paths as the person sees them; stages name files from the root of the project."""
        if self.base == ".":
            return list(diagnostics)
        sources: dict[str, Source] = {}

        def moved(span: Span) -> Span:
            old = span.source
            if old.path not in sources:
                sources[old.path] = Source(posixpath.normpath(posixpath.join(self.base, old.path)), old.text)
            return replace(span, source=sources[old.path])

        return [_moved(each, moved) for each in diagnostics]

    def tell(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Show mistakes on stderr, for a command whose result is something else."""
        terminal.show(self.seen(diagnostics), sys.stderr)


def place(path: str, options: argparse.Namespace) -> Place:
    """A path from the command line; raises Usage where nothing is there."""
    from compiler.loader.manifest import find_root

    if not Path(path).exists():
        raise Usage(f"there is no file or folder `{path}`.")
    root = find_root(Path(path))
    return Place(Path(path), root, relative(root, options.started) if root else ".")


def outcome(diagnostics: Iterable[Diagnostic], *, strict: bool = False) -> int:
    """The exit code that findings ask for; `strict` counts warnings, too."""
    found = list(diagnostics)
    if any(each.code in _MISUSE for each in found):
        return USAGE
    return FINDINGS if any(strict or each.severity == "error" for each in found) else OK


def no_source(name: str, known: Sequence[str]) -> Usage:
    """A source on the command line that the project does not have."""
    meant = nearest(name, list(known))
    listed = f"Its sources are: {', '.join(known)}." if known else "It names none that has a lock."
    return Usage(f"the manifest has no source `{name}`.", f"Did you mean `{meant}`?" if meant else listed)


def relative(path: Path, start: str) -> str:
    """The way to a path from a folder."""
    try:
        return Path(os.path.relpath(path, start)).as_posix()
    except ValueError:  # another drive
        return path.as_posix()


def _moved(diagnostic: Diagnostic, moved: Callable[[Span], Span]) -> Diagnostic:
    return replace(
        diagnostic,
        span=moved(diagnostic.span) if diagnostic.span else None,
        secondary=tuple(Label(moved(label.span), label.text) for label in diagnostic.secondary),
        fixes=tuple(
            Fix(fix.title, tuple(Edit(moved(edit.span), edit.text) for edit in fix.edits)) for fix in diagnostic.fixes
        ),
    )
