"""The log as text and as JSON."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from functools import partial
from typing import Any

import anyio
import pytest

from stdlib.runtime.about import about, known
from stdlib.runtime.load import load_plan
from stdlib.runtime.result import ToolAnswer
from stdlib.runtime.run import run_chain
from stdlib.runtime.store.memory import MemoryStore
from stdlib.serve.log import announce, set_up_log
from tests.stdlib.runtime.plans import chain, plan, ref, step

log = logging.getLogger("chainc.run")


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    root = logging.getLogger()
    before = root.handlers[:], root.level, logging.getLogger("chainc").level, logging.getLogger("mcp").level
    yield
    root.handlers[:] = before[0]
    root.setLevel(before[1])
    logging.getLogger("chainc").setLevel(before[2])
    logging.getLogger("mcp").setLevel(before[3])


def lines(capsys: pytest.CaptureFixture[str]) -> list[Any]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_text_is_a_line_a_record(capsys: pytest.CaptureFixture[str]):
    set_up_log("info")
    log.info("one %s", "two")
    log.debug("not this")
    announce("warning", "Mind the gap.")
    announce("info", "serving on http://x")
    assert capsys.readouterr().err.splitlines() == [
        "INFO chainc.run: one two",
        "warning: Mind the gap.",
        "serving on http://x",
    ]


def test_json_is_an_object_a_line(capsys: pytest.CaptureFixture[str]):
    set_up_log("info", "json")
    log.warning("one\ntwo %s", "\ud800ü")
    announce("info", "serving on http://x")
    first, second = lines(capsys)
    assert first.pop("time").endswith("Z")
    assert first == {"level": "warning", "logger": "chainc.run", "message": "one\ntwo \ufffdü"}
    assert (second["level"], second["logger"], second["message"]) == ("info", "chainc.serve", "serving on http://x")


def test_json_tells_what_a_record_is_about(capsys: pytest.CaptureFixture[str]):
    set_up_log("info", "json")
    with about(run="r1", principal="ann"):
        with about(step="s"):
            log.warning("in")
        log.warning("behind")
    log.warning("after")
    inner, behind, after = lines(capsys)
    assert (inner["run"], inner["principal"], inner["step"]) == ("r1", "ann", "s")
    assert (behind["run"], "step" in behind) == ("r1", False)
    assert "run" not in after
    assert known() == {}


def test_mistakes_of_ours_bring_the_end_of_their_traceback(capsys: pytest.CaptureFixture[str]):
    set_up_log("error", "json")
    try:
        raise ValueError("x" * 9000)
    except ValueError as error:
        log.error("a mistake", exc_info=error)
    log.error("y" * 9000)
    mistake, long = lines(capsys)
    assert mistake["message"] == "a mistake"
    assert "Traceback" in mistake["error"]
    assert len(mistake["error"]) < 2100
    assert len(long["message"]) < 2100


class Broken:
    async def call(self, source: str, key: str, arguments: dict[str, Any], timeout: float) -> ToolAnswer:
        raise RuntimeError("a bug")


def test_what_a_run_logs_names_it(capsys: pytest.CaptureFixture[str]):
    set_up_log("error", "json")
    loaded = load_plan(plan(chain("pay", step("a"), output=ref("a"))))
    result = anyio.run(partial(run_chain, loaded, "pay", {}, tools=Broken(), store=MemoryStore()))
    assert result.fault is not None
    (told,) = lines(capsys)
    assert (told["run"], told["chain"], told["step"]) == (result.run, "pay", "a")
    assert (told["principal"], told["tenant"]) == ("local", "local")
    assert "RuntimeError: a bug" in told["error"]
