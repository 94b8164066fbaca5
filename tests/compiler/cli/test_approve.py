"""`chainc approve`: who may decide what, and how nobody decides unseen."""

from __future__ import annotations

import hashlib
import io
import json
import time
from pathlib import Path
from typing import Any

import anyio
import pytest

from compiler.cli import approve, main
from compiler.cli.exits import FINDINGS, OK, USAGE
from stdlib.runtime.principal import Owner
from stdlib.runtime.store.decisions import Decision
from stdlib.runtime.store.sqlite import SqliteStore
from tests.compiler.cli.kept_runs import ID, fill
from tests.stdlib.runtime.store.making import ANNE, question

SEEN = "--digest=1234567890ab"
PEOPLE = {
    "anne": ("north", ["bosses"]),
    "bob": ("north", ["bosses", "editors"]),
    "carl": ("north", ["editors"]),
    "dora": ("south", ["bosses"]),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    fill(tmp_path / "state.db")
    return tmp_path / "state.db"


@pytest.fixture
def who(tmp_path: Path) -> str:
    lines = [
        f'[[principal]]\nid = "{name}"\ntenant = "{tenant}"\ngroups = {json.dumps(groups)}\n'
        f'token_sha256 = "{hashlib.sha256(f"token of {name}".encode()).hexdigest()}"\n'
        for name, (tenant, groups) in PEOPLE.items()
    ]
    (tmp_path / "who.toml").write_text("".join(lines))
    return f"--principals={tmp_path / 'who.toml'}"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.delenv(approve.TOKEN, raising=False)

    def told(*argv: str, token: str | None = None) -> tuple[int, str, str]:
        if token is not None:
            monkeypatch.setenv(approve.TOKEN, token)
        code = main(["approve", *argv, f"--store=sqlite:{path}"])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return told


def decided(path: Path, run: str) -> list[Decision]:
    async def read() -> list[Decision]:
        store = SqliteStore.open(path)
        found = list(await store.decisions.decided(run))
        await store.close()
        return found

    return anyio.run(read)


def test_what_is_awaited(run: Any):
    code, out, err = run()
    assert (code, err) == (OK, "")
    assert [line.split()[:4] for line in out.splitlines()] == [
        ["run", "step", "chain", "by"],
        ["waits", "go", "c", "bosses"],
        ["lone", "go", "c", "the"],
    ]
    assert "1234567890ab" not in out  # only who has seen the question learns its digest
    code, out, _ = run("--format=json")
    assert [each["show"] for each in json.loads(out)["awaited"] if each["run"] == "waits"] == [{"sum": 5}]


def test_somebody_of_the_group_approves(run: Any, path: Path, who: str):
    code, out, err = run("waits", "go", who, SEEN, "--comment=fine", token="token of bob")
    assert (code, out) == (OK, "")
    assert 'go: Refund?\n{\n  "sum": 5\n}\ndecided by  bosses\nasked for   north/anne, by the chain c\n' in err
    assert err.endswith("Approved as bob. The run goes on when its server starts again.\n")
    (decision,) = decided(path, "waits")
    assert (decision.by, decision.approved, decision.comment, decision.step) == ("bob", True, "fine", "go")
    assert abs(decision.at - time.time()) < 600
    assert "awaits nothing" in run("waits", who, SEEN)[2]
    assert len(decided(path, "waits")) == 1


def test_somebody_of_the_group_rejects(run: Any, path: Path, who: str):
    assert run("waits", who, SEEN, "--reject", token="token of bob")[2].count("Rejected as bob.") == 1
    assert [each.approved for each in decided(path, "waits")] == [False]


@pytest.mark.parametrize(
    ("token", "why"),
    [
        ("token of anne", "anne began the run, so somebody else of bosses must decide."),
        ("token of carl", "carl does not belong to bosses."),
        ("token of dora", "dora belongs to another tenant."),
        ("token of eve", "the token is unknown or has expired."),
    ],
)
def test_nobody_else_decides_for_a_group(run: Any, path: Path, who: str, token: str, why: str):
    code, out, err = run("waits", who, SEEN, token=token)
    assert (code, out) == (FINDINGS, "")
    assert err.endswith(f"Not decided: {why}\n")
    assert "token of" not in err
    assert decided(path, "waits") == []


def test_an_approver_must_say_who_they_are(run: Any, path: Path, who: str):
    assert "so you must say who you are" in run("waits", SEEN, token="token of bob")[2]
    assert "the variable OTHER has no token" in run("waits", who, SEEN, "--token-from=OTHER")[2]
    assert run("waits", who, SEEN, "--token-from=OTHER")[0] == USAGE
    assert decided(path, "waits") == []


def test_a_file_of_principals_that_is_wrong(run: Any, tmp_path: Path):
    (tmp_path / "wrong.toml").write_text("x = 1")
    code, _, err = run("waits", f"--principals={tmp_path / 'wrong.toml'}", SEEN, token="t")
    assert code == USAGE
    assert "must hold one or more [[principal]]" in err


@pytest.mark.parametrize("digest", ["1234567890ac", "fedcba987654"])
def test_what_was_not_seen_is_not_approved(run: Any, path: Path, who: str, digest: str):
    code, _, err = run("waits", who, f"--digest={digest}", token="token of bob")
    assert code == FINDINGS
    assert "what is asked is not what you saw" in err
    assert run("waits", who, "--digest=1234567", token="token of bob")[0] == USAGE
    assert run("waits", who, "--digest=", token="token of bob")[0] == USAGE
    assert decided(path, "waits") == []


def test_without_a_digest_somebody_must_be_there(run: Any, path: Path, who: str):
    code, _, err = run("waits", who, token="token of bob")
    assert code == USAGE
    assert "nobody can say yes here" in err
    assert decided(path, "waits") == []


@pytest.mark.parametrize(
    ("said", "code"), [("y\n", OK), ("YES\n", OK), ("\n", FINDINGS), ("no\n", FINDINGS), ("", FINDINGS)]
)
def test_a_yes_on_a_terminal(run: Any, path: Path, monkeypatch: pytest.MonkeyPatch, said: str, code: int):
    class Terminal:
        def isatty(self) -> bool:
            return True

        def readline(self) -> str:
            return said

    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr("compiler.cli.people.me", lambda: "tester")
    told = run("lone")
    assert told[0] == code
    assert "Approve? [y/N] " in told[2]
    assert [each.by for each in decided(path, "lone")] == (["tester"] if code == OK else [])


def test_a_question_of_somebody_else_who_asked_without_a_group(run: Any, path: Path, who: str):
    async def ask() -> None:
        store = SqliteStore.open(path)
        mine = question("waits", "own", by=None, requester=ANNE, until=time.time() + 600, digest="5" * 64)
        words = question("waits", "q", kind="ask", by=None, requester=ANNE, until=time.time() + 600, digest="6" * 64)
        for each in (mine, words):
            await store.decisions.await_decision(each)
        await store.close()

    anyio.run(ask)
    assert "the run awaits more than one thing: go, own, q." in run("waits")[2]
    assert "the run awaits nothing at `no`." in run("waits", "no")[2]
    assert run("waits", "no")[0] == USAGE
    mine = ["waits", "own", "--digest=55555555", who]
    assert "this is asked of anne alone" in run(*mine, token="token of bob")[2]
    assert run("waits", "own", "--digest=55555555")[0] == USAGE
    assert run(*mine, token="token of anne")[0] == OK
    assert "asks for words" in run("waits", "q", "--digest=66666666", who)[2]
    assert run("waits", "q", "--digest=66666666", who, "--reject", token="token of anne")[0] == OK
    assert [(each.step, each.approved) for each in decided(path, "waits")] == [("own", True), ("q", False)]


def test_of_two_who_decide_one_is_the_first(run: Any, path: Path, who: str, monkeypatch: pytest.MonkeyPatch):
    async def before(self: Any, decision: Decision) -> bool:
        return False

    monkeypatch.setattr("stdlib.runtime.store.sqlite.decisions.SqliteDecisions.decide", before)
    code, _, err = run("waits", who, SEEN, token="token of bob")
    assert code == FINDINGS
    assert "somebody has decided it, or it is not awaited any more" in err


def test_a_run_that_is_over_awaits_nothing(run: Any):
    code, _, err = run(ID)
    assert code == USAGE
    assert "the run run_abababab awaits nothing" in err
    assert run("none")[0] == USAGE


def test_a_token_may_come_on_stdin(run: Any, path: Path, who: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("token of bob\n"))
    assert "nobody can say yes here" in run("waits", who, "--token-from=-")[2]
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert "stdin has no token" in run("waits", who, SEEN, "--token-from=-")[2]
    monkeypatch.setattr("sys.stdin", io.StringIO("token of bob\n"))
    assert run("waits", who, SEEN, "--token-from=-")[0] == OK
    assert [each.by for each in decided(path, "waits")] == ["bob"]


def test_consent_is_awaited_before_there_is_a_run(run: Any, path: Path):
    async def ask() -> None:
        store = SqliteStore.open(path)
        for name in ("run_1a", "run_1b"):
            wanted = question(name, "(consent)", by=None, requester=Owner(), until=time.time() + 600, digest="7" * 64)
            await store.decisions.await_decision(wanted)
        await store.close()

    anyio.run(ask)
    assert "there are 2 runs that await something" in run("run_1", "--digest=77777777")[2]
    code, _, err = run("run_1a", "--digest=77777777")
    assert code == OK
    assert "when its server starts" not in err
    assert [each.step for each in decided(path, "run_1a")] == ["(consent)"]
