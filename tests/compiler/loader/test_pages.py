"""The programs on the pages of the loader's codes: a project with a locked source, one without a lock, another file."""

from pathlib import Path

import pytest

from compiler.loader import load
from dsl.codes import page
from dsl.diagnostics import Sink
from tests.compiler.loader.test_load import GITHUB, MANIFEST, lock, offered, write

FILES = {
    "chainc.toml": MANIFEST + GITHUB + '[sources.tickets]\nmcp = { command = "mcp-server-tickets" }\n',
    "chains/types.chain": "type Id = string\n",
    "lock/github.json": lock(offered("get_issue")),
}


def told(root: Path, program: str) -> list[str]:
    write(root, {**FILES, "chains/shown.chain": program})
    sink = Sink()
    load(root, sink)
    return [each.code for each in sink]


@pytest.mark.parametrize("code", ["E0201", "E0204", "E0216", "E0217", "E0218", "E0219", "E0230"])
def test_the_page_shows_what_is_wrong_and_what_is_right(tmp_path: Path, code: str):
    found = page(code)
    assert found is not None
    assert [told(tmp_path, program) for program in found.wrong] == [[code]]
    assert [told(tmp_path, program) for program in found.right] == [[]]
