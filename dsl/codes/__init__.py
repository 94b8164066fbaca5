"""The codes of diagnostics and their pages: what a code means, with a program that is wrong and one that is right.

A page is the file `CODE.md` in this folder. Its first line is `# CODE: title`, then prose; fenced blocks that are
opened with three backticks and `chain wrong` or `chain right` are programs, which run as tests. Bands: E00 characters,
E01 syntax, E02 imports and sources, E03 names and structure, E04 types, E05 calls and clauses, E06 effects, scopes and
budgets, E07 versions, handles and limits of providers, W advice, C changes of a contract, F faults at run time.
A number is never given twice, also not after its diagnostic is gone.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cache

_FOLDER = os.path.dirname(__file__)
_CODE = re.compile(r"[EWCF]\d{4}")
_BLOCK = re.compile(r"^```chain (?P<role>wrong|right)\n(?P<program>.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Page:
    """A page: `text` is the whole of it (Markdown), `wrong` and `right` the programs in it, in their order."""

    code: str
    title: str
    text: str
    wrong: tuple[str, ...]
    right: tuple[str, ...]


@cache
def codes() -> tuple[str, ...]:
    """The codes that have a page, sorted."""
    names = (name.removesuffix(".md") for name in os.listdir(_FOLDER) if name.endswith(".md"))
    return tuple(sorted(name for name in names if _CODE.fullmatch(name)))


@cache
def page(code: str) -> Page | None:
    """The page of a code (as written in diagnostics, in capitals); None where there is none."""
    if not _CODE.fullmatch(code):
        return None
    try:
        with open(os.path.join(_FOLDER, f"{code}.md"), encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        return None
    programs = [(found["role"], found["program"]) for found in _BLOCK.finditer(text)]
    return Page(
        code=code,
        title=text.partition("\n")[0].removeprefix(f"# {code}:").strip(),
        text=text,
        wrong=tuple(program for role, program in programs if role == "wrong"),
        right=tuple(program for role, program in programs if role == "right"),
    )
