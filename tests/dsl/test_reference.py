"""The language reference: every program on it compiles, and the list of functions is the table."""

import re
from pathlib import Path

import pytest

import dsl
import stdlib.functions
from compiler.lower import lower, lower_scenarios
from dsl.render import render
from stdlib.functions import FAMILIES
from stdlib.runtime.load import load_plan
from stdlib.runtime.scenario import run_scenario
from tests.compiler.world import checked

REFERENCE = Path(dsl.__file__).parent / "README.md"
FUNCTIONS = Path(stdlib.functions.__file__).parent / "README.md"
LIST = re.compile(r"(?<=<!-- functions -->\n).*?(?=<!-- /functions -->)", re.DOTALL)


def programs() -> list[str]:
    return re.findall(r"^```chain\n(.*?)^```$", REFERENCE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("program", programs(), ids=lambda program: re.findall(r"chain (\w+) \{", program)[0])
def test_a_program_compiles_without_a_word(program: str):
    assert [render(each) for each in checked(program)[1]] == []


def test_the_tests_on_it_pass():
    program = checked(next(text for text in programs() if "\ntest " in text))[0]
    loaded = load_plan(lower(program)[0])
    (told,) = (run_scenario(loaded, each) for each in lower_scenarios(program))
    assert (told.failures, told.notes) == ((), ())


def functions() -> str:
    """Every function with its sentence, by family."""
    parts: list[str] = []
    for family in FAMILIES:
        rows = "".join(f"| `{escaped(entry.text)}` | {escaped(entry.sentence)} |\n" for entry in family.entries)
        parts.append(f"\n### {family.title}\n\n| function | gives |\n|---|---|\n{rows}")
    return "".join(parts) + "\n"


def escaped(text: str) -> str:
    return text.replace("|", "\\|")


def test_the_list_of_functions_is_the_table(bless: bool):
    text = FUNCTIONS.read_text(encoding="utf-8")
    found = LIST.search(text)
    assert found is not None
    expected = text[: found.start()] + functions() + text[found.end() :]
    if bless:
        FUNCTIONS.write_text(expected, encoding="utf-8")
    assert text == expected or bless


def test_every_block_of_a_program_is_found():
    assert len(programs()) == REFERENCE.read_text(encoding="utf-8").count("```chain")
