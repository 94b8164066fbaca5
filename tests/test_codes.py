"""Codes, their pages, those who emit them and the programs that cause them: none exists without the others."""

import re
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from dsl.codes import codes, page
from stdlib.runtime.fault import FAULT_CLASSES

ROOT = Path(__file__).resolve().parents[1]

# No text of a program causes these: their pages explain without programs.
NO_PROGRAM: dict[str, str] = {
    "E0205": "a server causes it",
    "E0210": "the folder causes it",
    **dict.fromkeys(("E0211", "E0212", "E0213", "E0214"), "the manifest causes it"),
    "E0215": "the system causes it",
    **dict.fromkeys(("E0220", "E0221"), "the lock causes it"),
    **dict.fromkeys(("E0222", "E0223", "E0224", "E0225"), "a server causes it"),
    "E0226": "the user causes it",
    "E0228": "a module causes it",
    "W0229": "a source causes it",
    "E0233": "a document causes it",
    **dict.fromkeys(("W0227", "W0234", "E0235", "W0236", "W0237", "W0238", "W0239", "E0900"), "the manifest causes it"),
    "E0720": "the output folder causes it",
    "E0721": "the output folder causes it",
    "E0722": "the output folder causes it",
    "E0723": "the system causes it",
}

# Where the programs of pages are run, one case for each `code`.
PAGE_TESTS = (
    "tests.dsl.test_recovery",
    "tests.compiler.loader.test_pages",
    "tests.compiler.check.test_pages",
    "tests.compiler.emit.test_pages",
)

_QUOTED = re.compile(r"""(["'])([EWCF]\d{4})\1""")
_ANY = re.compile(r"\b[EWCF]\d{4}\b")


@cache
def emitted() -> dict[str, str]:
    """The codes that the sources name, each with a file that does."""
    found: dict[str, str] = {}
    for package in ("dsl", "compiler", "stdlib"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for _, code in _QUOTED.findall(path.read_text(encoding="utf-8")):
                found.setdefault(code, path.relative_to(ROOT).as_posix())
    return found


@cache
def named_in_tests() -> set[str]:
    """The codes that a test or a golden file names."""
    found: set[str] = set()
    for path in sorted((ROOT / "tests").rglob("*")):
        if path.suffix in (".py", ".chain", ".out") and path != Path(__file__):
            found.update(_ANY.findall(path.read_text(encoding="utf-8")))
    return found


def has_programs(code: str) -> bool:
    return not code.startswith("F") and code not in NO_PROGRAM


def test_every_code_that_is_emitted_has_a_page():
    assert {code: where for code, where in emitted().items() if code not in codes()} == {}


def test_every_page_is_of_a_code_that_is_emitted():
    assert [code for code in codes() if code not in emitted()] == []


def test_every_code_is_in_a_test():
    assert [code for code in codes() if not code.startswith("F") and code not in named_in_tests()] == []


def test_every_class_of_faults_has_a_page_and_is_in_a_test():
    """Tests name faults by their class. A class that nothing gives yet says so on its page."""
    pages = {code: found for code in codes() if code.startswith("F") and (found := page(code))}
    assert {code: found.title for code, found in pages.items()} == {row.code: row.name for row in FAULT_CLASSES}
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py"))
    given = [found for found in pages.values() if "nothing gives" not in " ".join(found.text.split())]
    assert [found.code for found in given if f'"{found.title}"' not in tests] == []


def test_the_exceptions_are_exceptions():
    assert [code for code, reason in NO_PROGRAM.items() if code not in codes() or not reason] == []
    assert [code for code in NO_PROGRAM if (found := page(code)) and (found.wrong or found.right)] == []


@pytest.mark.parametrize("code", codes())
def test_a_page_has_a_title_and_a_sentence(code: str):
    found = page(code)
    assert found is not None
    first, _, rest = found.text.partition("\n")
    assert re.fullmatch(rf"# {code}: \S.{{3,70}}[^\s.]", first), first
    assert re.search(r"^[^\s#`]", rest, re.MULTILINE), "a page needs prose"
    assert found.text.endswith("\n")
    opened = re.findall(r"^```(.+)$", found.text, re.MULTILINE)
    assert opened.count("chain wrong") == len(found.wrong), "a block is not closed"
    assert opened.count("chain right") == len(found.right), "a block is not closed"
    if has_programs(code):
        assert found.wrong, "a program that is wrong is missing"
        assert found.right, "a program that is right is missing"


def test_the_programs_of_every_page_are_run():
    """Each stage runs its own pages in its own surroundings: a parser alone, a world of tools, a project on disk."""
    ran: set[str] = set()
    for module in PAGE_TESTS:
        for test in vars(import_module(module)).values():
            for mark in getattr(test, "pytestmark", ()):
                if mark.name == "parametrize" and mark.args[0] == "code":
                    ran.update(mark.args[1])
    assert [code for code in codes() if has_programs(code) and code not in ran] == []
