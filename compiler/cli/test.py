"""`chainc test`: the tests that authors write beside their chains, one line each."""

from __future__ import annotations

import argparse
import posixpath
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from compiler.cli import terminal
from compiler.cli.arguments import Parser
from compiler.cli.exits import FINDINGS, OK
from compiler.cli.place import Place, outcome, place
from dsl.diagnostics import Sink
from dsl.glyphs import printable

if TYPE_CHECKING:
    from stdlib.plan.model import Origin
    from stdlib.plan.scenario import Scenario
    from stdlib.runtime.scenario import ScenarioResult


def arguments() -> Parser:
    parser = Parser(
        "chainc test",
        "Runs the tests that stand in workflows, over the answers that they give: no tool is called but "
        "pure ones of the standard library, nobody is asked, waits pass at once. Prints a line a test; exits with 1 "
        "where one fails.",
        [
            ("chainc test", "all tests of the project of this folder"),
            ("chainc test chains/refund.chain", "those of one file"),
        ],
    )
    parser.operand("path", nargs="*", help="projects, folders or files; without one the project of this folder")
    return parser


def run(options: argparse.Namespace) -> int:
    code, passed, failed = OK, 0, 0
    seen: set[tuple[Path | None, str, int]] = set()
    for path in options.path or ["."]:
        where = place(path, options)
        sink = Sink()
        for scenario, result in _results(where, sink):
            key = (where.root, scenario.origin.file, scenario.origin.line)
            if key in seen:
                continue
            seen.add(key)
            passed, failed = passed + result.passed, failed + (not result.passed)
            _tell(scenario, result, where)
        if sink.has_errors:
            where.tell(sink)
        code = max(code, outcome(sink))
    if passed or failed:
        terminal.say(f"{passed} passed, {failed} failed.")
    elif code == OK:
        terminal.say("There are no tests.")
    return max(code, FINDINGS if failed else OK)


def _results(where: Place, sink: Sink) -> Iterator[tuple[Scenario, ScenarioResult]]:
    from compiler import driver

    made = driver.scenarios(where.path, sink)
    if made is None or not made[1]:
        return
    from stdlib.connect.pure import pure_answer
    from stdlib.runtime.load import load_plan
    from stdlib.runtime.scenario import run_scenario

    loaded = load_plan(made[0])
    for scenario in made[1]:
        if _is_meant(scenario.origin.file, where):
            yield scenario, run_scenario(loaded, scenario, pure_answer)


def _is_meant(file: str, where: Place) -> bool:
    """Whether a file of the project is what the person named, or below it."""
    named = where.path.resolve()
    if where.root is None or named == (where.root / "chainc.toml").resolve():
        return True
    return (where.root / file).resolve().is_relative_to(named)


def _tell(scenario: Scenario, result: ScenarioResult, where: Place) -> None:
    terminal.out(f"{'ok    ' if result.passed else 'FAILED'}  {printable(scenario.name)}\n")
    for failure in result.failures:
        text = f"    {_place(failure.origin, where)}: expected {failure.text}; {failure.found}"
        terminal.out(printable(text) + "\n")
    for note in result.notes:
        terminal.out(printable(f"    {_place(note.origin, where)}: {note.text}") + "\n")


def _place(origin: Origin, where: Place) -> str:
    return f"{posixpath.normpath(posixpath.join(where.base, origin.file))}:{origin.line}"
