"""The JSON Schemas of the manifest and of lock files, for editors and other programs.

The files beside this are made from the tables that chainc itself reads by; `python -m compiler.loader.schemas` writes
them anew.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from compiler.loader.lock_shape import LOCK
from compiler.loader.manifest_shape import MANIFEST
from compiler.loader.shape import Shape, json_schema

TABLES: dict[str, tuple[str, Shape]] = {
    "chainc.toml.schema.json": ("chainc.toml", MANIFEST),
    "chainc.lock.schema.json": ("chainc.lock/1", LOCK),
}


def published() -> dict[str, str]:
    """The text of every file, by name."""
    return {name: _text(title, shape) for name, (title, shape) in TABLES.items()}


def _text(title: str, shape: Shape) -> str:
    dialect = "https://json-schema.org/draft/2020-12/schema"
    schema: dict[str, Any] = {"$schema": dialect, "title": title, **json_schema(shape)}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def write() -> None:
    """Write the files into this folder."""
    for name, text in published().items():
        (Path(__file__).parent / name).write_text(text, "utf-8", newline="\n")
