"""bundle.json: what the bundle is and which files belong to it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache

from compiler.emit.artefact import Artefact, Bundle
from stdlib.plan.document import json_text

FORMAT = "chainc.bundle/1"
NAME = "bundle.json"


def list_files(bundle: Bundle, artefacts: Iterable[Artefact]) -> Artefact:
    """The list of all other files with the SHA-256 of each. `digest` covers the list: equal bundles have equal ones."""
    files = {each.path: each.digest for each in sorted(artefacts, key=lambda each: each.path)}
    whole = hashlib.sha256("".join(f"{digest}  {path}\n" for path, digest in files.items()).encode()).hexdigest()
    listing = {
        "format": FORMAT,
        "name": bundle.plan.name,
        "version": bundle.plan.version,
        "chainc": compiler_version(),
        "digest": whole,
        "files": files,
    }
    return Artefact(NAME, json_text(listing))


@cache
def compiler_version() -> str:
    """The version of chainc as installed; `unknown` where it runs from a folder that is not."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("chainc")
    except PackageNotFoundError:
        return "unknown"
