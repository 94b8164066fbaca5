"""Sources put into the text of a manifest: what is there stays, comments included."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Any, Final

from compiler.loader.manifest_shape import NAME
from compiler.loader.toml_text import BadToml, read_toml

NEW: Final = '[project]\nname = "{name}"\nversion = "0.1.0"\nlanguage = "1"\nchains = ["chains/*.chain"]\n'
_HIDDEN: Final = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


class CannotAdd(Exception):
    """The sources cannot be put behind the text: a sentence."""


def new_manifest(folder: str) -> str:
    """The least manifest for a project in a folder of this name."""
    name = re.sub(r"[^a-z0-9_-]+", "-", folder.lower())[:64].strip("-_")
    return NEW.format(name=name or "my-chains")


def sources_of(text: str) -> dict[str, Any]:
    """The sources that a manifest names. Raises CannotAdd where it is no TOML."""
    try:
        sources = read_toml(text.removeprefix("\ufeff")).get("sources", {})
    except BadToml as error:
        line = f"Line {error.place[0]}: " if error.place else ""
        raise CannotAdd(f"{line}{error.why}") from None
    if not isinstance(sources, dict):
        raise CannotAdd("Its `sources` is no table.")
    return sources


def roots_of(text: str) -> tuple[str, ...]:
    """The folders that a manifest allows."""
    allow = read_toml(text.removeprefix("\ufeff")).get("allow")
    roots = allow.get("roots") if isinstance(allow, dict) else None
    return tuple(each for each in roots if isinstance(each, str)) if isinstance(roots, list) else ()


def tables(sources: Mapping[str, Mapping[str, Any]]) -> str:
    """`[sources.NAME]` for each, as TOML."""
    return "\n".join(f"[sources.{name}]\nmcp = {_toml(table)}\n" for name, table in sources.items())


def with_sources(text: str, sources: Mapping[str, Mapping[str, Any]]) -> str:
    """The manifest with more sources at its end. Raises CannotAdd where they do not fit behind what is there."""
    if not sources:
        return text
    line_end = "\r\n" if "\r\n" in text else "\n"
    added = tables(sources).replace("\n", line_end)
    before = text if not text or text.endswith("\n") else text + line_end
    made = before + (line_end if before.strip("\ufeff \t\r\n") else "") + added
    wanted = {**sources_of(text), **{name: {"mcp": dict(table)} for name, table in sources.items()}}
    try:
        fits = sources_of(made) == wanted
    except CannotAdd:
        fits = False
    if not fits:
        raise CannotAdd("Its `sources` stand in one line: write each as a table `[sources.NAME]` first.")
    return made


def _toml(value: object) -> str:
    """A value of JSON on one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {_toml(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return _text(str(value))


def _key(key: str) -> str:
    return key if re.fullmatch(NAME, key) else _text(key)


def _text(text: str) -> str:
    """A basic string (TOML 1.0); what cannot be seen is escaped."""
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(f"\\U{ord(c):08X}" if unicodedata.category(c) in _HIDDEN else c for c in quoted)
