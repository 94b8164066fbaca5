"""Nothing is agreed to that was not seen."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from compiler.cli import servers
from compiler.cli.exits import NotAgreed
from compiler.project import StdioServer
from compiler.sources.sync import sync
from compiler.sources.trust import MOST_LINES, MOST_SHOWN, Commands, Line, Question, Trust, agreed
from dsl.diagnostics import Sink
from stdlib.plan.expression import Const
from stdlib.plan.plan import Command, Plan, Source
from stdlib.plan.source import CommandArgument, Invocation

from .projects import project


def commands(words: Iterable[str]) -> Commands:
    return Commands("sh", lines=tuple(Line(each, f"digest of {each}") for each in words))


class Person:
    """Agrees to so many questions, and keeps what was shown."""

    def __init__(self, root: Path) -> None:
        self.root, self.trust = root, Trust(root / "trust.json")
        self.shown: list[tuple[tuple[str, ...], int]] = []

    def agrees(self, words: Iterable[str], yes: int = 100) -> bool:
        self.shown = []

        def ask(question: Question) -> bool:
            self.shown.append((question.lines, question.more))
            return len(self.shown) <= yes

        return agreed(self.root, Question("s", commands(words)), ask, self.trust)


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path)


def lines(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"sh {each}" for each in words)


def test_each_line_is_shown_before_it_is_agreed_to(person: Person):
    ways = [f"-c {number}" for number in range(2 * MOST_LINES + 1)]
    assert not person.agrees(ways, yes=1)
    assert person.shown == [(lines(ways[:20]), 21), (lines(ways[20:40]), 1)]
    assert not person.trust.knows(person.root, commands(ways[20:21]))
    assert person.agrees(ways)
    assert person.shown == [(lines(ways[20:40]), 1), (lines(ways[40:]), 0)]
    assert person.agrees(ways)
    assert person.shown == []
    assert not person.agrees([*ways, "evil"], yes=0)
    assert person.shown == [(("sh evil",), 0)]


def test_long_lines_are_shown_whole_and_few_at_once(person: Person):
    long = ["a" * (MOST_SHOWN - 10), "b" * 3000, "c"]
    assert person.agrees(long)
    assert person.shown == [(lines(long[:1]), 2), (lines(long[1:]), 0)]


def test_a_line_that_cannot_be_shown_is_never_agreed_to(person: Person):
    assert not person.agrees(["a", "\u202e" * (MOST_SHOWN // 8)])  # escaped each is eight characters
    assert person.shown == []
    assert not person.trust.knows(person.root, commands(["a"]))
    assert agreed(person.root, Question("s", commands(["b" * MOST_SHOWN])), None, person.trust)


def test_a_program_without_words_is_shown():
    assert Question("s", commands([])).lines == ("sh",)


def test_who_runs_or_syncs_is_told_what_is_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    word = "x" * MOST_SHOWN
    called = Command(program="sh", invocations={"t": Invocation(arguments=(CommandArgument(value=Const(value=word)),))})
    plan = Plan(name="p", version="1.0.0", sources={"s": Source(transport=called, tools={})})
    why = f"`sh {'x' * 57}…` has 20,003 characters, and only 20,000 can be shown"
    with pytest.raises(NotAgreed) as told:
        servers.agree(plan, tmp_path, False, {"s"})
    assert told.value.hint == "Write less there, or pass --trust."
    assert str(told.value) == f"the program of `s` cannot be agreed to: {why}."
    project(tmp_path, {}, f'[sources.s]\nmcp = {{ command = "sh", args = ["{word}"] }}\n')
    sink = Sink()
    sync(tmp_path, [], sink, write=True, ask=servers.ask, trust=Trust(tmp_path / "trust.json"))
    assert [(each.code, each.message) for each in sink] == [("E0226", f"`s` was not asked: {why}.")]


def test_how_many_are_asked_about_next(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    for more, said in ((1, "one more way of starting it"), (2, "2 more ways of starting it"), (0, "")):
        servers.ask(Question("s", StdioServer("sh"), more))
        assert (f"  After this, {said} will be asked about.\n" in capsys.readouterr().err) is bool(said)
