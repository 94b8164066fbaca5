"""The steps of a run on a terminal: the picture, and the command in a terminal of its own."""

from __future__ import annotations

import io
import re
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from compiler.cli import terminal
from compiler.cli.exits import FINDINGS, INTERRUPTED, OK
from compiler.cli.live import LiveSteps, took
from compiler.cli.steps import Step, Steps, Wait
from tests import golden
from tests.servers import scripted

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals")

NOW = 100.0
STEPS = [
    Step("found", "done", 90.0, 91.5, calls=2, retries=1, faults=1),
    Step("each", "running", 91.5, waits={"x": Wait("call", "a.b"), "y": Wait("retry", "timeout")}, part="3 of 7"),
    Step("later", "running", 95.0, waits={"x": Wait("retry", "rate_limited", 2, 101.25)}),
    Step("sure", "running", 40.0, waits={"x": Wait("person", "you")}),
    Step("paid", "done", 99.0, 99.5, undone=1, calls=1),
    Step("told", "done", 99.1, 99.6, faults=1, fault="tool_error", calls=1),
    Step("bad", "failed", 99.0, 99.5, fault="denied"),
    Step("gone", "stopped", 99.0, 99.5),
    Step("left", "skipped"),
    Step("mail", "ahead"),
]
PICTURE = """\
✓ found   1.50 s  1 retry
⠋ each    8.50 s  3 of 7 · 1 under way · 1 to be tried again
⠋ later   5.00 s  rate_limited: again in 1.25 s, attempt 2
⠋ sure  1 min 00 s  waits for you
↩ paid    0.50 s  taken back
✓ told    0.50 s  went on after tool_error
✗ bad     0.50 s  denied
■ gone    0.50 s  given up
– left   skipped
· mail
  4 of 10 steps, 1 min 00 s
"""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def drawn(
    monkeypatch: pytest.MonkeyPatch, *, columns: int = 80, lines: int = 30, marks: bool = True, **more: Any
) -> str:
    """The picture of `STEPS` in a terminal of this size."""
    monkeypatch.setattr(terminal, "has_marks", lambda: marks)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("LINES", str(lines))
    monkeypatch.setenv("NO_COLOR", "1")
    steps = Steps([], lambda: NOW)
    steps.began = NOW - 60
    steps.all = {step.name: step for step in STEPS}
    for name, value in more.items():
        setattr(steps, name, value)
    shown = LiveSteps(steps, Terminal())
    return "".join(f"{line.plain}\n" for line in shown.picture().renderables)  # type: ignore[union-attr]


def test_the_picture_says_how_each_step_stands(monkeypatch: pytest.MonkeyPatch):
    assert re.sub(" +$", "", drawn(monkeypatch), flags=re.MULTILINE) == PICTURE


def test_a_terminal_without_unicode_gets_ascii(monkeypatch: pytest.MonkeyPatch):
    text = drawn(monkeypatch, marks=False, columns=40)
    assert text.isascii()
    assert [line[0] for line in text.splitlines()] == list("+|||<+x!-. ")


@pytest.mark.parametrize("columns", [12, 20, 40])
def test_no_line_is_wider_than_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch, columns: int):
    lines = drawn(monkeypatch, columns=columns).splitlines()
    assert len(lines) == 11
    assert max(map(len, lines)) == columns - 1


def test_a_low_terminal_shows_what_runs_and_what_went_wrong(monkeypatch: pytest.MonkeyPatch):
    lines = drawn(monkeypatch, lines=9).splitlines()
    assert [line.split()[1] for line in lines[:-1]] == ["each", "later", "sure", "told", "bad", "gone"]
    assert lines[-1] == "  4 of 10 steps, 1 min 00 s; 4 not shown"
    assert len(drawn(monkeypatch, lines=9, over=True).splitlines()) == 11


def test_a_run_that_is_stopping_says_so(monkeypatch: pytest.MonkeyPatch):
    assert "; stopping: calls that change something" in drawn(monkeypatch, columns=120, stopping=True)
    assert "stopping" not in drawn(monkeypatch, columns=120, stopping=True, over=True)


def test_nothing_in_a_name_acts_on_the_terminal(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(globals(), "STEPS", [Step("a", "running", 99.0, waits={"x": Wait("call", "\x1b[2J.b")})])
    assert "\x1b" not in drawn(monkeypatch)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "0.00 s"), (9.994, "9.99 s"), (12.34, "12.3 s"), (125.0, "2 min 05 s"), (7260.0, "2 h 01 min")],
)
def test_times_are_short(seconds: float, text: str):
    assert took(seconds) == text


# ------------------------------------------------------------------ the command

CHAIN = """\
import notes from mcp "notes" {
  tool find returns { query: string, limit: integer, tags: list<string> } { parse json }
}
import broken from mcp "broken"

/// Finds twice, with a question between.
chain asks {
  input query: string

  step first = notes.find(query: query, limit: 1, tags: [])
  step sure = approve "Go on with ${first.query}?"
  step second = notes.find(query: first.query, limit: 2, tags: []) { after sure }

  output integer = second.limit
}

/// Finds, then fails.
chain fails {
  input query: string

  step first = notes.find(query: query, limit: 1, tags: [])
  step second = broken.write(text: first.query)
  step third = notes.find(query: second.text, limit: 1, tags: [])

  output string = third.query
}
"""


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    shutil.copytree(golden.GOLDEN / "cli" / "notes", tmp_path / "notes")
    shutil.copy(scripted.__file__, tmp_path / "scripted.py")
    (tmp_path / "notes" / "chains" / "more.chain").write_text(CHAIN, encoding="utf-8")
    return tmp_path / "notes"


def command(cwd: Path, chain: str, *options: str, **more: Any) -> Any:
    from tests.compiler.cli.screen import Screen

    return Screen("run", chain, *options, "--trust", "--arg", "query=milk", cwd=cwd, **more)


def test_a_run_is_drawn_and_the_person_is_asked_between(notes: Path, tmp_path: Path):
    screen = command(notes, "asks", stdout=tmp_path / "result", LC_ALL="C.UTF-8")
    screen.wait_for("sure: Go on with milk?\nApprove? [y/N] ")
    asked = len(screen.raw)
    screen.press("y\n")
    assert screen.end() == OK
    assert (tmp_path / "result").read_text() == "2\n"
    last = screen.text[screen.text.rindex("✓ first") :]
    assert re.fullmatch(r"✓ first +\S+ s\n✓ sure +\S+ s\n✓ second +\S+ s\n  3 of 3 steps, \S+ s\n", last)
    assert "\x1b[32m" in screen.raw
    # While the person is asked nothing is drawn; afterwards the cursor is there again.
    assert screen.raw[:asked].endswith("Approve? [y/N] ")
    assert screen.raw.rindex("\x1b[?25h") > screen.raw.rindex("\x1b[?25l")


def test_a_fault_stands_below_the_picture(notes: Path):
    screen = command(notes, "fails", NO_COLOR="1", LC_ALL="C.UTF-8", columns=60)
    assert screen.end() == FINDINGS
    picture, fault = screen.text[screen.text.rindex("✓ first") :].split("error[F0008]: tool_error: ")
    assert re.fullmatch(r"✓ first +\S+ s\n✗ second +\S+ s  tool_error\n· third\s*\n  1 of 3 steps, \S+ s\n", picture)
    assert "in `second`" in fault
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", screen.raw)


def test_ctrl_c_ends_it_with_a_last_picture(notes: Path):
    script = notes / "notes.json"
    script.write_text(script.read_text().replace("{", '{"call": "hang",', 1))
    screen = command(notes, "fails", LC_ALL="C.UTF-8")
    screen.wait_for("notes.find")
    screen.press("\x03")
    assert screen.end() in (INTERRUPTED, -signal.SIGINT)
    assert re.search(r"■ first +\S+ s  given up\n· second\s*\n· third\s*\n  0 of 3 steps, \S+ s\n", screen.text)
    assert "Traceback" not in screen.text
    assert screen.raw.rindex("\x1b[?25h") > screen.raw.rindex("\x1b[?25l")


def test_ctrl_c_at_a_question_ends_it_and_the_timeline_is_told(notes: Path):
    screen = command(notes, "asks", "--trace", LC_ALL="C.UTF-8")
    screen.wait_for("Approve? [y/N] ")
    screen.press("\x03")
    assert screen.end() in (INTERRUPTED, -signal.SIGINT)
    assert re.search(r"✓ first +\S+ s\n■ sure +\S+ s  given up\n· second\s*\n  1 of 3 steps, \S+ s\n", screen.text)
    assert re.search(r"first +notes\.find +1 +\d+ B  ok ", screen.text)
    assert "Traceback" not in screen.text


def test_a_run_that_never_began_leaves_no_picture(notes: Path):
    screen = command(notes, "find_notes", "--arg", "limit=0", LC_ALL="C.UTF-8")
    assert screen.end() == FINDINGS
    assert screen.text.rstrip().endswith("Correct the arguments and call again.")
    assert "\x1b[1A\x1b[2K" in screen.raw[screen.raw.rindex("0 of 1 step") :]


def test_a_terminal_that_cannot_be_drawn_on_gets_lines(notes: Path):
    screen = command(notes, "asks", TERM="dumb")
    screen.wait_for("Approve? [y/N] ")
    screen.press("n\n")
    assert screen.end() == FINDINGS
    assert "\x1b" not in screen.raw
    assert "[1/3] first done" in screen.text


def test_the_timeline_stands_between_picture_and_fault(notes: Path):
    screen = command(notes, "fails", "--trace", LC_ALL="C.UTF-8")
    assert screen.end() == FINDINGS
    after = screen.text[screen.text.index("2 calls, 1 failed, ") :]
    assert re.search(r"\d s +\d\.\d{3} s  first +notes\.find +1 +\d+ B  ok +█", after)
    assert re.search(r"  second +broken\.write +1 +tool_error +█+\nerror\[F0008\]", after)


def test_without_unicode_all_is_ascii(notes: Path):
    screen = command(notes, "fails", "--trace", LC_ALL="C", PYTHONCOERCECLOCALE="0")
    assert screen.end() == FINDINGS
    assert screen.text.isascii()
    assert "+ first" in screen.text


def test_rich_is_loaded_only_for_a_terminal(notes: Path):
    from tests.compiler.cli.chainc import chainc

    done = chainc("run", "fails", "--trust", "--arg", "query=milk", cwd=notes, PYTHONPROFILEIMPORTTIME="1")
    imported = done.stderr.decode()
    assert done.returncode == FINDINGS
    assert "compiler.cli.call" in imported
    assert not re.search(r"\| +rich\b", imported)
