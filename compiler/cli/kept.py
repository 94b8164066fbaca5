"""Where a project keeps what outlives a run: the store that its manifest names, else a file of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from compiler.cli.exits import Usage
from dsl.diagnostics import Sink

if TYPE_CHECKING:
    from stdlib.runtime.store import Store

FOLDER: Final = ".chainc"
"""For what the project's own commands keep; nobody checks it in."""

USUAL: Final = f"sqlite:{FOLDER}/state.db"


def where_kept(root: Path, given: str | None) -> str:
    """`memory`, or `sqlite:` and an absolute path: what was given on the command line, else what the manifest says,
    else the usual file, whose folder is made."""
    if given is not None:
        return _absolute(Path.cwd(), given)
    from compiler.loader.files import Folder
    from compiler.loader.manifest import read_manifest

    manifest = read_manifest(Folder(root), Sink())
    named = None if manifest is None else manifest.settings.store
    if named is None:
        _make_folder(root / FOLDER)
    return _absolute(root, named or USUAL)


def kept(where: str) -> Store:
    """Raises Usage where it cannot be used."""
    from stdlib.runtime.store.open import open_store
    from stdlib.runtime.store.unusable import StoreUnusable

    try:
        return open_store(where)
    except StoreUnusable as reason:
        raise Usage(f"{str(reason)[:1].lower()}{str(reason)[1:]}") from None


def _absolute(base: Path, where: str) -> str:
    kind, _, path = where.partition(":")
    return f"sqlite:{base / path}" if kind == "sqlite" and path else where


def _make_folder(folder: Path) -> None:
    """Where it cannot be made, the store says so."""
    ignored = folder / ".gitignore"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        if not ignored.exists():
            ignored.write_text("*\n", encoding="utf-8")
    except OSError:
        return
