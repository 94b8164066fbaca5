"""`chainc run` where other files of the project have mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.cli import main

WRONG = "chain wrong {\n  input x: string\n  output = y\n}\n"
FILES = {
    "chainc.toml": '[project]\nname = "p"\nversion = "1.0.0"\nlanguage = "1"\n',
    "chains/fine.chain": "/// Says it.\nchain fine {\n  input x: string\n  output = x\n}\n",
    "chains/wrong.chain": WRONG,
    "chains/user.chain": 'import a from chain "./wrong.chain"\n/// Uses it.\nchain user {\n  input x: string\n'
    "  step z = a.wrong(x: x)\n  output = z\n}\n",
}


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_chain_of_a_clean_file_runs(there: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["run", "fine", "--arg", "x=1", "--store", "memory"]) == 0
    said = capsys.readouterr()
    assert said.out == '"1"\n'
    warning = "warning: mistakes in `chains/wrong.chain`, which `fine` does not need; `chainc check` tells them\n"
    assert said.err == warning


@pytest.mark.parametrize("chain", ["wrong", "user", "nobody"])
def test_a_chain_that_needs_a_file_with_mistakes_does_not(chain: str, there: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["run", chain, "--arg", "x=1", "--store", "memory"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "chains/wrong.chain:3" in said.err
    assert "warning" not in said.err


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("chains/fine.chain", FILES["chains/fine.chain"].replace("output = x", "output = y")),
        ("chains/other.chain", FILES["chains/fine.chain"]),
        ("chainc.toml", FILES["chainc.toml"] + 'chains = ["chains/*.chain", "nothing.chain"]\n'),
    ],
    ids=["its own file", "two of that name", "the manifest"],
)
def test_mistakes_that_count_for_all(name: str, text: str, there: Path, capsys: pytest.CaptureFixture[str]):
    (there / name).write_text(text, "utf-8")
    assert main(["run", "fine", "--arg", "x=1", "--store", "memory"]) == 1
    assert capsys.readouterr().out == ""
