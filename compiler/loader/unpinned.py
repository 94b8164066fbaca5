"""Programs of the manifest whose version nothing fixes: the lock holds what they offered, and another one starts."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Final

from compiler.loader.fetched import Fetched, fetched
from compiler.loader.files import Folder
from compiler.loader.lock import Lock, read_lock
from compiler.loader.lock_shape import visible
from compiler.loader.manifest import Manifest
from compiler.project import StdioServer
from dsl.diagnostics import Diagnostic, Sink

_NEWEST: Final = {"npm": "npm view {} version", "python": "pip index versions {}"}
_PLACES: Final = {"npm": "VERSION", "python": "VERSION", "git": "COMMIT", "image": "TAG"}


def tell_unpinned(folder: Folder, manifest: Manifest, sink: Sink) -> None:
    """W0236 at every argument that names what is fetched without its exact version."""
    for name, entry in manifest.sources.items():
        server = entry.transport
        if isinstance(server, StdioServer) and (found := unpinned(folder.root, server)) is not None:
            span = entry.args[found.at] if found.at < len(entry.args) else entry.span
            helps = (_help(folder, name, found),)
            message = f"{what(found)} is fetched in whatever version there is when `{name}` starts."
            sink.add(Diagnostic(code="W0236", message=message, span=span, helps=helps))


def unpinned(root: Path, server: StdioServer) -> Fetched | None:
    """What a program fetches without an exact version, the first of it; None where it fetches nothing, or what is
    installed in its folder or one above it."""
    for each in fetched(server.command, server.args):
        if each.version is None and not (each.local and _is_here(root / (server.cwd or "."), each.name)):
            return each
    return None


def what(found: Fetched) -> str:
    """The subject of a sentence."""
    kind = {"git": "repository", "image": "image"}.get(found.kind, "package")
    return f"The {kind} `{visible(found.name)}`"


def sample(found: Fetched, version: str = "") -> str:
    """The argument with a version, or with the word for one, as it is written in the manifest."""
    return visible(json.dumps(found.pinned(version or _PLACES[found.kind]), ensure_ascii=False), 300)


def _help(folder: Folder, name: str, found: Fetched) -> str:
    lock = read_lock(folder, name)
    known = lock.value if isinstance(lock, Lock) else {}
    package = known.get("package") or {}
    if package.get("name") == found.name:
        return f"Write `{sample(found, package['version'])}`: that version was locked."
    newest = _NEWEST.get(found.kind, "").format(visible(found.name))
    return f"Name the one that was looked at: `{sample(found)}`." + (f" `{newest}` tells the newest." if newest else "")


def _is_here(folder: Path, package: str) -> bool:
    """Whether npx takes the package that is installed in the folder, or in one above it."""
    around = Path(os.path.abspath(folder))
    return any((each / "node_modules" / package / "package.json").is_file() for each in (around, *around.parents))
