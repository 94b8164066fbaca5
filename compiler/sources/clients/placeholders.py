"""What clients put into their settings when they start a server: `${env:NAME}`, `${input:ID}`, `${workspaceFolder}`."""

from __future__ import annotations

import re
from typing import Final

PLACEHOLDER: Final = re.compile(r"\$\{(?:(?P<kind>env|input):)?(?P<name>[^}]*)\}")
VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FOLDER: Final = re.compile(r"\$\{workspaceFolder\}")


def in_project(text: str) -> str:
    """The text with the folder of the workspace as the project's, where programs start."""
    return _FOLDER.sub(".", text)


def text_of(value: object) -> str | None:
    """The text that a variable or header gets: of numbers and truth values as JSON writes them; None: of no other."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else None


def variable_in(text: str, bare: bool = False) -> tuple[str, str] | None:
    """What stands before the one placeholder of a variable that the text ends with, and that variable. `bare`:
    `${NAME}` is one, too."""
    found = PLACEHOLDER.search(text)
    if found is None or found.end() != len(text) or not VARIABLE.fullmatch(found["name"]):
        return None
    if found["kind"] == "env" or (bare and found["kind"] is None):
        return text[: found.start()], found["name"]
    return None
