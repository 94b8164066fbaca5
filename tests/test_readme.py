"""What the README shows is true: its program compiles, its tables are those of the code."""

import re
import tomllib
from pathlib import Path

from compiler.cli.entry import COMMANDS
from dsl.render import render
from tests.compiler.world import checked
from tests.examples.projects import PROJECTS

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_the_programs_compile():
    assert blocks("chain")
    for program in blocks("chain"):
        assert [render(each) for each in checked(program)[1]] == []


def test_the_mistake_that_it_shows_is_told_so():
    (message,) = re.findall(r"^error\[E0501\]: .*$", README, re.MULTILINE)
    wrong = blocks("chain")[0].replace("number: number", "numbr: number")
    assert message in [f"error[{each.code}]: {each.message}" for each in checked(wrong)[1]]


def test_the_manifest_is_one():
    manifest = Path(__file__).parents[1] / "examples" / "recent_changes" / "chainc.toml"
    assert tomllib.loads(blocks("toml")[0]) == tomllib.loads(manifest.read_text(encoding="utf-8"))


def test_every_command_is_in_the_table():
    shown = re.findall(r"^\| `chainc (\w+)", README, re.MULTILINE)
    assert sorted(shown) == sorted(name for name, _ in COMMANDS)


def test_every_example_is_in_the_table():
    assert [name for name in PROJECTS if f"`{name}`" not in README] == []
