"""The package that brings a server's program, with its version: of Python or of npm, as far as that can be seen
without starting anything."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Final

from compiler.loader.fetched import fetched, is_runner
from compiler.project import StdioServer, Transport

_MOST_BYTES: Final = 1_000_000


def package_of(transport: Transport) -> dict[str, str] | None:
    """Name and version; None where the program is of no package, or of one that is not pinned."""
    if not isinstance(transport, StdioServer):
        return None
    found = next((each for each in fetched(transport.command, transport.args) if not each.beside), None)
    if found is not None and found.version is not None and found.kind in ("npm", "python"):
        return {"name": found.name, "version": found.version}
    if found is not None or is_runner(transport.command):
        return None
    return _of_python(transport.command) or _of_npm(transport.command)


def _of_python(command: str) -> dict[str, str] | None:
    from importlib.metadata import entry_points

    found = entry_points(group="console_scripts", name=command)
    package = next((each.dist for each in found if each.dist is not None), None)
    return {"name": package.name, "version": package.version} if package else None


def _of_npm(command: str) -> dict[str, str] | None:
    """Programs of npm are links into the folder of their package, below `node_modules`."""
    found = shutil.which(command)
    real = Path(os.path.realpath(found)) if found else None
    if real is None or "node_modules" not in real.parts:
        return None
    for folder in real.parents:
        if folder.name == "node_modules":
            return None
        file = folder / "package.json"
        try:
            about = json.loads(file.read_bytes()) if file.stat().st_size <= _MOST_BYTES else None
        except (OSError, ValueError, RecursionError):
            continue
        name, version = (about.get("name"), about.get("version")) if isinstance(about, dict) else (None, None)
        if isinstance(name, str) and isinstance(version, str):
            return {"name": name, "version": version}
    return None
