"""What a person must agree to before the tools of a plan are called."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from compiler.cli.exits import NotAgreed
from compiler.cli.servers import agree
from stdlib.plan.openapi import ApiKey, Basic, Operation
from stdlib.plan.plan import Http, OpenApi, Plan, Source, Stdio, Transport


class Terminal(io.StringIO):
    """Gives the same answer to each question."""

    answer = "n\n"

    def isatty(self) -> bool:
        return True

    def readline(self, _: int | None = -1) -> str:  # type: ignore[override]
        return self.answer


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Terminal:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    terminal = Terminal()
    monkeypatch.setattr("sys.stdin", terminal)
    return terminal


def plan(**ways: Transport) -> Plan:
    return Plan(
        name="p", version="1.0.0", sources={name: Source(transport=way, tools={}) for name, way in ways.items()}
    )


SHOP = OpenApi(
    base_url="https://u:p@Shop.example:8443/v2?x",
    auth={
        "key": ApiKey(location="query", name="k", variable="KEY"),
        "user": Basic(variable="USER_NAME", password_variable="WORD"),
    },
)
WAY = "sends these variables of your environment"


def test_variables_that_are_sent_are_asked_about_once(
    answers: Terminal, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    with pytest.raises(NotAgreed, match="what is sent to `shop` was not agreed to"):
        agree(plan(shop=SHOP), tmp_path, False, {"shop"})
    shown = capsys.readouterr().err
    assert shown.startswith(f"The source `shop` {WAY}:\n  KEY, USER_NAME, WORD to https://shop.example:8443\n")
    assert "Send them, now and from now on? [y/N] " in shown
    answers.answer = "y\n"
    agree(plan(shop=SHOP), tmp_path, False, {"shop"})
    capsys.readouterr()
    answers.answer = "n\n"
    fewer = SHOP.model_copy(update={"auth": {"key": SHOP.auth["key"]}})
    agree(plan(shop=SHOP, less=fewer), tmp_path, False, {"shop", "less"})
    assert capsys.readouterr().err == ""
    with pytest.raises(NotAgreed):
        agree(plan(shop=SHOP.model_copy(update={"base_url": "http://shop.example:8443"})), tmp_path, False, {"shop"})


def test_servers_of_operations_are_asked_about_as_well(
    answers: Terminal, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    answers.answer = "y\n"
    places = ("https://files.example/a", "https://files.example/b", "//shop.example:8443", "/below", None)
    operations = {f"o{i}": Operation(method="GET", path="/x", server=each) for i, each in enumerate(places)}
    agree(plan(shop=SHOP.model_copy(update={"operations": operations})), tmp_path, False, {"shop"})
    shown = capsys.readouterr().err
    assert [line.rpartition(" to ")[2] for line in shown.splitlines() if " to " in line] == [
        "https://shop.example:8443",
        "https://files.example",
    ]


def test_headers_from_variables(answers: Terminal, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    far = Http(url="https://far.example/mcp", headers={"Authorization": "Bearer env:TOKEN", "X": "y"})
    with pytest.raises(NotAgreed):
        agree(plan(far=far), tmp_path, False, {"far"})
    assert f"The source `far` {WAY}:\n  TOKEN to https://far.example\n" in capsys.readouterr().err


def test_what_is_trusted_sends_nothing_or_is_not_called_is_not_asked_about(answers: Terminal, tmp_path: Path):
    agree(plan(shop=SHOP), tmp_path, True, {"shop"})
    agree(plan(shop=SHOP, near=Stdio(command="near")), tmp_path, False, set())
    plain = Http(url="https://far.example/mcp", headers={"X": "y"})
    agree(plan(far=plain, open=OpenApi(base_url="https://open.example")), tmp_path, False, {"far", "open"})
