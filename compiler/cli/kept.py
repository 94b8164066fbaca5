"""Where a project keeps what outlives a run: the store that its manifest names, else a file of its own."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Awaitable, Callable
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final, TypeVar

from compiler.cli.arguments import Parser
from compiler.cli.exits import Usage
from dsl.diagnostics import Sink

if TYPE_CHECKING:
    from stdlib.runtime.store import Store

_T = TypeVar("_T")

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
        raise _usage(reason) from None


def _usage(reason: Exception) -> Usage:
    sentence = str(reason)
    return Usage(f"{sentence[:1].lower()}{sentence[1:]}")


def store_options(parser: Parser) -> None:
    """Which store a command looks into that runs nothing."""
    parser.option("--store", metavar="WHERE", help="the store of a server or project: sqlite:PATH")
    parser.option("--server", metavar="NAME", help="the store of the generated server of this name, at its usual place")


def look(options: Namespace, work: Callable[[Store], Awaitable[_T]]) -> _T:
    """What `work` gives for the store that the options name, else for that of the project. Raises Usage where there is
    none."""
    import anyio

    from stdlib.runtime.store.unusable import StoreUnusable

    where = _existing(options)

    async def looking() -> _T:
        store = kept(where)
        try:
            return await work(store)
        except StoreUnusable as reason:
            raise _usage(reason) from None
        finally:
            await store.close()

    return anyio.run(looking)


def same_store(options: Namespace) -> str:
    """The options that name this store again, for a command that is shown to somebody."""
    given = ((name, getattr(options, name)) for name in ("project", "store", "server"))
    return "".join(f" --{name} {quote(value)}" for name, value in given if value is not None)


def _existing(options: Namespace) -> str:
    if options.store is not None and options.server is not None:
        raise Usage("--store and --server name one store each.", "Give one of them.")
    if options.server is not None:
        from stdlib.serve.keep import state_file

        where = f"sqlite:{state_file(options.server)}"
    elif options.store is not None:
        where = _absolute(Path.cwd(), options.store)
    else:
        from compiler.loader.manifest import find_root

        root = find_root(Path.cwd())
        if root is None:
            raise Usage("there is no project here.", "Go to one, or name a store with --store or --server.")
        where = where_kept(root, None)
    kind, _, path = where.partition(":")
    if where == "memory":
        raise Usage("what is kept in memory is seen by its own process alone.", "Name a file: --store sqlite:PATH.")
    if kind == "sqlite" and not Path(path).exists():
        raise Usage(f"there is no store {path}: nothing was kept there yet.", "The first run or server makes it.")
    return where


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
