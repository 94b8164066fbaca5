"""Python functions from the file to the result: imported by file or by the manifest, locked, run, shipped."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from compiler import driver
from compiler.cli import main
from compiler.cli.exits import FINDINGS
from compiler.sources.sync import sync
from compiler.sources.trust import Question, Trust
from dsl.diagnostics import Sink
from tests.compiler.cli.chainc import ROOT, chainc

from .projects import called, checked, compiled, project, served, synced, told

SCORING = '''
def rate(texts: list[str], topic: str, weight: float = 1.0) -> dict[str, float]:
    """Rates texts."""
    print("noise")
    return {"value": weight * sum(topic in text for text in texts)}

def fail(reason: str) -> None:
    raise RuntimeError(reason)
'''
CHAIN = """
import score from python "../lib/scoring.py" {
  tool rate returns { value: number } { effects read_only, idempotent }
}
chain rated {
  input texts: list<string>
  step found = score.rate(texts: texts, topic: "a")
  output = { value: found.value }
}
chain failed {
  step gone = score.fail(reason: "because")
  output = gone
}
"""
FILES = {"lib/scoring.py": SCORING, "chains/a.chain": CHAIN}


def test_a_file_from_its_import_to_the_result(tmp_path):
    project(tmp_path, FILES)
    assert [code for code, _ in checked(tmp_path)] == ["E0219"]
    report, said = synced(tmp_path)
    assert told(said) == []
    assert report.written == ("lock/lib/scoring.py.json",)
    lock = json.loads((tmp_path / "lock/lib/scoring.py.json").read_text())
    assert (lock["source"], lock["asked"]) == ("lib/scoring.py", {"file": "lib/scoring.py"})
    assert str(tmp_path) not in json.dumps(lock)
    plan = compiled(tmp_path)
    (source,) = plan.sources.values()
    assert source.transport.model_dump() == {"kind": "python", "file": "lib/scoring.py", "module": None}
    assert source.tools["rate"].effects.read_only
    assert source.tools["fail"].effects.destructive
    assert called(tmp_path, "rated", texts=["a", "b", "ab"]).value == {"value": 2.0}
    fault = called(tmp_path, "failed").fault
    assert fault is not None
    assert (fault.fault_class, fault.message) == ("tool_error", "`score.fail` failed: because")


def test_what_a_function_prints_is_no_result(tmp_path):
    printing = """
    import atexit, os, sys
    print("noise"); os.write(1, b"more"); os.system("echo most")
    sys.__stdout__.write("kept"); atexit.register(print, "last")
    """
    noise = SCORING.replace('    print("noise")\n    ', printing)
    project(tmp_path, {**FILES, "lib/scoring.py": noise})
    synced(tmp_path)
    done = chainc("run", "rated", "--arg", 'texts=["a"]', "--trust", cwd=tmp_path)
    assert json.loads(done.stdout) == {"value": 1.0}
    assert all(word in done.stderr for word in (b"noise", b"more", b"most", b"kept", b"last"))


STAYS = """
import asyncio

async def stay() -> str:
    print("begun", flush=True)
    while True:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            pass
"""


def test_a_run_in_the_background_ends_when_it_is_asked_to(tmp_path):
    """Its shell has Ctrl-C ignored; the function does not let itself be cancelled."""
    chain = 'import m from python "../lib/m.py" { tool stay { effects read_only, idempotent } }\n'
    chain += "chain stays {\n  step a = m.stay()\n  output = a\n}\n"
    project(tmp_path, {"lib/m.py": STAYS, "chains/a.chain": chain})
    synced(tmp_path)
    argv = [sys.executable, "-m", "compiler.cli", "run", "stays", "--trust"]
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # which the process inherits
    try:
        run = subprocess.Popen(argv, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE)
    finally:
        signal.signal(signal.SIGINT, before)
    with run:
        assert run.stderr is not None
        assert run.stderr.readline() == b"begun\n"
        run.send_signal(signal.SIGINT)
        run.send_signal(signal.SIGTERM)
        assert run.wait(60) == 130
        assert b"Traceback" not in run.stderr.read()


def test_the_generated_server_ships_the_file(tmp_path):
    project(tmp_path, FILES)
    synced(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    answers = served(tmp_path, {"rated": {"texts": ["a"]}}, elsewhere)
    assert answers == {"rated": {"value": 1.0}}
    assert (tmp_path / "dist/server/p/sources/lib/scoring.py").read_text() == SCORING


def test_a_source_of_the_manifest(tmp_path):
    chain = CHAIN.replace('"../lib/scoring.py"', '"scoring"')
    manifest = '[sources.scoring]\npython = { file = "./lib/scoring.py" }\n'
    project(tmp_path, {**FILES, "chains/a.chain": chain}, manifest)
    assert synced(tmp_path, "scoring")[0].written == ("lock/scoring.json",)
    assert called(tmp_path, "rated", texts=["a"]).value == {"value": 1.0}


def test_an_installed_module(tmp_path, monkeypatch):
    project(
        tmp_path,
        {".venv/site-packages/acme_scoring.py": SCORING, "chains/a.chain": CHAIN.replace("../lib/scoring.py", "s")},
    )
    with (tmp_path / "chainc.toml").open("a") as file:
        file.write('[sources.s]\npython = { module = "acme_scoring" }\n')
    monkeypatch.syspath_prepend(str(tmp_path / ".venv/site-packages"))
    assert told(synced(tmp_path)[1]) == []
    assert "files" not in json.loads((tmp_path / "lock/s.json").read_text())
    assert called(tmp_path, "rated", texts=["a"]).value == {"value": 1.0}


def test_a_module_that_was_not_written_to_be_tools_is_told_about_once(tmp_path, monkeypatch):
    theirs = "def f(a): ...\ndef g(b): ...\ndef h() -> int: return 1\n"
    project(tmp_path, {".venv/site-packages/acme_plain.py": theirs, "chains/a.chain": ""})
    with (tmp_path / "chainc.toml").open("a") as file:
        file.write('[sources]\ns = { python = { module = "acme_plain" } }\nm = { python = { module = "math" } }\n')
    monkeypatch.syspath_prepend(str(tmp_path / ".venv/site-packages"))
    plain, math = synced(tmp_path)[1]
    what = "2 of the 3 public functions of `acme_plain` are no tools; `f`, for one: its parameter `a` has no type."
    assert (plain.code, math.code) == ("W0229", "E0228")
    assert plain.message.startswith(what)
    assert math.message == "`math` has no public function in Python."
    assert math.helps[0].startswith("Functions become tools when each parameter and the result has a type")


def test_the_traceback_of_a_function_reaches_its_author(tmp_path, monkeypatch, capsys):
    project(tmp_path, {**FILES, "lib/scoring.py": SCORING.replace("raise ", "raise KeyError(reason)\n    raise ")})
    synced(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(["run", "failed", "--trust", "--store", "memory"]) == FINDINGS
    told_ = capsys.readouterr().err
    assert "Traceback (most recent call last):" in told_
    assert f'File "{tmp_path / "lib/scoring.py"}", line' in told_
    assert "stdlib/connect" not in told_
    assert told_.count("KeyError: 'because'") == 2  # the last line of the traceback, and the fault


def test_what_changed_is_told(tmp_path):
    project(tmp_path, FILES)
    synced(tmp_path)
    (tmp_path / "lib/scoring.py").write_text(SCORING.replace("topic: str", "topic: str, mode: str"))
    told_ = "The saved description of `lib/scoring.py` does not match what it is now: `rate` has the new `mode: string`"
    assert told(synced(tmp_path, check=True)[1]) == [("E0205", f"{told_}, which it requires.")]
    what = "`lib/scoring.py` is not as it was when `lock/lib/scoring.py.json` was written."
    assert checked(tmp_path) == [("E0221", what)]
    sink = Sink()
    driver.check(tmp_path, sink)
    command = "Run `chainc sync lib/scoring.py --yes`, then look at the diff of `lock/lib/scoring.py.json`."
    assert [each.helps for each in sink] == [(command,)]
    synced(tmp_path)
    assert [code for code, _ in checked(tmp_path)] == ["E0502"]


def test_a_file_that_changed_inside_is_told_and_synced(tmp_path):
    project(tmp_path, FILES)
    synced(tmp_path)
    (tmp_path / "lib/scoring.py").write_text(SCORING.replace("noise", "more noise"))
    assert [code for code, _ in checked(tmp_path)] == ["E0221"]
    assert [code for code, _ in told(synced(tmp_path, check=True)[1])] == ["E0205"]
    synced(tmp_path)
    assert checked(tmp_path) == []
    assert told(synced(tmp_path, check=True)[1]) == []


def test_a_lock_without_the_digest_of_the_file_still_counts(tmp_path):
    project(tmp_path, FILES)
    synced(tmp_path)
    lock = tmp_path / "lock/lib/scoring.py.json"
    lock.write_text(json.dumps({key: value for key, value in json.loads(lock.read_text()).items() if key != "files"}))
    (tmp_path / "lib/scoring.py").write_text(SCORING.replace("noise", "more noise"))
    assert checked(tmp_path) == []
    assert told(synced(tmp_path, check=True)[1]) == []


def test_a_module_of_the_project_is_watched_without_being_imported(tmp_path, monkeypatch):
    chain = CHAIN.replace("../lib/scoring.py", "s")
    module = '[sources.s]\npython = { module = "acme_own_scoring" }\n'
    project(tmp_path, {"src/acme_own_scoring.py": SCORING, "chains/a.chain": chain}, module)
    monkeypatch.syspath_prepend(str(tmp_path / "src"))
    synced(tmp_path)
    assert checked(tmp_path) == []
    (tmp_path / "src/acme_own_scoring.py").write_text("raise SystemExit")
    assert checked(tmp_path) == [
        ("E0221", "`src/acme_own_scoring.py` is not as it was when `lock/s.json` was written.")
    ]


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("def f(:", "E0228", "`lib/scoring.py` cannot be loaded: line 1: invalid syntax."),
        ("\nimport nothing_here", "E0228", "`lib/scoring.py` cannot be loaded: line 2: ModuleNotFoundError: No module"),
        (
            "import os; os._exit(4)",
            "E0228",
            "`lib/scoring.py` cannot be loaded: it ended the program with exit code 4.",
        ),
        ("X = 1", "E0228", "`lib/scoring.py` has no public function."),
        ("def f(x): return x", "W0229", "`f` of `lib/scoring.py` is no tool: its parameter `x` has no type."),
        (
            "from __future__ import annotations\nfrom typing import Any\n"
            "def f(x: int) -> 'dict[str, Any] | list': return {}",
            "",
            "",
        ),
    ],
)
def test_a_module_that_cannot_be_used_is_told(tmp_path, text, code, message):
    project(tmp_path, {**FILES, "lib/scoring.py": text})
    said = told(synced(tmp_path)[1])
    assert [each for each, _ in said] == ([code] if code else [])
    assert not code or said[0][1].startswith(message)
    assert (tmp_path / "lock/lib/scoring.py.json").exists() == (code != "E0228")


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ("../missing.py", "E0216"),
        ("../../outside.py", "E0217"),
        ("/etc/passwd.py", "E0217"),
        ("../lib/scoring", "E0217"),
        ("../link.py", "E0217"),
        ("..\\\\lib\\\\scoring.py", "E0217"),
        ("scorin", "E0218"),
    ],
)
def test_a_file_that_cannot_be_had(tmp_path, where, code):
    inside = tmp_path / "inside"
    project(inside, {**FILES, "chains/a.chain": f'import score from python "{where}"\n'})
    (tmp_path / "outside.py").write_text("raise SystemExit")
    (inside / "link.py").symlink_to(tmp_path / "outside.py")
    assert [each for each, _ in checked(inside)] == [code]
    assert [each for each, _ in told(synced(inside)[1])] in ([], ["E0228"])
    assert not (inside / "lock").exists()


def test_code_runs_only_after_it_was_agreed_to(tmp_path):
    ran = tmp_path / "ran"
    project(tmp_path, {**FILES, "lib/scoring.py": f"open({str(ran)!r}, 'w')\ndef f() -> int: return 1\n"})
    asked: list[Question] = []

    def no(question: Question) -> bool:
        asked.append(question)
        return False

    sink = Sink()
    sync(tmp_path, [], sink, write=True, ask=no, trust=Trust(tmp_path / "trust.json"))
    assert [each.code for each in sink] == ["E0226"]
    assert [(each.source, each.lines) for each in asked] == [("lib/scoring.py", ("lib/scoring.py",))]
    checked(tmp_path)
    assert not ran.exists()


def test_names_of_sources_never_meet(tmp_path: Path):
    """A path is no name that the manifest could give, and no other file has it."""
    chain = 'import a from python "./s.py"\nimport b from python "../s.py"\nimport c from python "../chains/s.py"\n'
    project(tmp_path, {"chains/a.chain": chain, "chains/s.py": SCORING, "s.py": SCORING})
    assert synced(tmp_path)[0].written == ("lock/chains/s.py.json", "lock/s.py.json")
    assert checked(tmp_path) == []
