"""The programs on the pages of emitters' codes, built under the settings that the page shows."""

import re
from pathlib import Path

import pytest

from compiler.driver import build
from dsl.codes import page
from dsl.diagnostics import Sink

PROJECT = '[project]\nname = "shown"\nversion = "1.0.0"\nlanguage = "1"\nchains = ["*.chain"]\n\n'


def told(folder: Path, settings: str, program: str) -> list[str]:
    """The codes of emitters that a build reports; other stages must have none to say."""
    (folder / "chainc.toml").write_text(PROJECT + settings, encoding="utf-8")
    (folder / "shown.chain").write_text(program, encoding="utf-8")
    sink = Sink()
    build(folder, sink)
    return [each.code for each in sink]


@pytest.mark.parametrize("code", ["E0710", "E0711", "W0712"])
def test_the_page_shows_what_is_wrong_and_what_is_right(tmp_path: Path, code: str):
    found = page(code)
    assert found is not None
    block = re.search(r"^```toml\n(.*?)^```$", found.text, re.DOTALL | re.MULTILINE)
    settings = block[1] if block else ""
    assert [told(tmp_path, settings, program) for program in found.wrong] == [[code]]
    assert [told(tmp_path, settings, program) for program in found.right] == [[]]
