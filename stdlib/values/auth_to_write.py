"""What the author of a manifest writes so that a service gets its credentials."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Final

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
"""A key of TOML that needs no quotation marks, and a name of a source that is no path."""


def auth_to_write(name: str, schemes: Iterable[str]) -> str:
    """A sentence. `name`: of the source; one that an import names by its file (a path) has no entry in the manifest
    yet, and only there can `auth` stand."""
    keys = (each if _BARE.fullmatch(each) else json.dumps(each, ensure_ascii=False) for each in schemes)
    auth = "auth = { " + ", ".join(f'{key} = "env:VARIABLE"' for key in keys) + " }"
    if _BARE.fullmatch(name):
        return f"Name the variable that holds it, under `[sources.{name}]` in `chainc.toml`: `{auth}`."
    short = short_name(name)
    entry = f"openapi = {{ file = {json.dumps(name, ensure_ascii=False)}, {auth} }}"
    declared = f"Declare the source in `chainc.toml`, `[sources.{short}]` with `{entry}`"
    return f'{declared}, and import it by its name: `from openapi "{short}"`.'


def short_name(path: str) -> str:
    """What a source may be called whose document lies at `path`."""
    return re.sub(r"[^A-Za-z0-9_]", "_", path.rpartition("/")[2].partition(".")[0]) or "service"
