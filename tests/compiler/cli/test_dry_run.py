"""The words of a dry run, and its form for machines. Whole ones stand in tests/golden/cli/dry_run.out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from compiler.cli.dry_run import text
from compiler.cli.dry_run_json import as_json
from compiler.cli.forecast import forecast
from stdlib.plan import plan as p
from stdlib.runtime.adapt import accept
from stdlib.runtime.load import load_plan
from tests import golden
from tests.compiler.cli.chainc import ROOT
from tests.stdlib.runtime.plans import approve, ask, call, chain, const, given, loop, plan, record, ref, step, verify


def told(one: p.Chain, **arguments: Any) -> tuple[str, dict[str, Any]]:
    loaded = load_plan(plan(one))
    accepted = accept(loaded.chains[one.id], arguments, strict_nulls=False)
    block = forecast(loaded, one.id, accepted.arguments)
    return text(loaded, one.id, block, accepted, None), as_json(loaded, one.id, block, accepted)


def lines_behind(written: str, step: str) -> list[str]:
    """The lines of a step below its own one."""
    lines = written.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("  ") and line.split()[1:2] == [step])
    found = []
    for line in lines[start + 1 :]:
        if not line.startswith("     "):
            break
        found.append(line.strip())
    return found


def test_everything_around_a_call_is_told():
    paid = step(
        "paid",
        tool="write",
        key="token",
        reconcile=call("read"),
        verify=verify(const(True)),
        undo=call("write"),
        retry={"count": 1, "wait_ms": 90_000, "on": ["timeout"]},
        timeout_ms=7_200_000,
        on_error={"kind": "use", "value": {"kind": "const", "value": 1}},
        arguments={"n": const(1)},
    )
    written, made = told(chain("c", paid, output=ref("paid")))
    assert lines_behind(written, "paid") == [
        "at most 2 h a call; again up to once after timeout, first after 90 s",
        "with a key in `token`; reconciled where its outcome is unknown; verified; taken back if the run fails later",
        "after a fault the run goes on with another value",
        "n  1",
    ]
    assert '  paid: test.write {"n": 1} and a key in `token`\n' in written
    (told_step,) = made["steps"]
    assert (told_step["key"], told_step["has"], told_step["on_error"]) == (
        "token",
        ["reconcile", "verify", "undo"],
        "use",
    )
    assert made["first"] == [{"step": "paid", "tool": "test.write", "arguments": {"value": {"n": 1}}, "key": "token"}]


def test_people_are_told():
    sure = approve("sure", by="bosses", timeout_ms=60_000, on_reject={"kind": "skip"}, on_expiry={"kind": "skip"})
    written, made = told(chain("c", sure, ask("which"), output=ref("sure")))
    assert '  1  sure   needs the approval of bosses: "May sure?"\n' in written
    assert '  1  which  asks the user: "Which?"\n' in written
    assert lines_behind(written, "sure") == [
        "waits at most 1 min",
        "after a no the run goes on without it",
        "after no answer the run goes on without it",
    ]
    assert '  which: ask "Which?"\n' in written
    assert made["steps"][0]["by"] == "bosses"


def test_the_budget_is_told():
    budget = p.Budget(calls=3, bytes=1000, time_ms=90_000, cost=0.5, parallel=2)
    written, made = told(chain("c", step("a"), output=ref("a"), budget=budget))
    assert "  Budget: at most 3 calls, 1000 bytes of results, 90 s, a cost of 0.5 and 2 calls at once.\n" in written
    assert made["budget"] == {"calls": 3, "bytes": 1000, "time_ms": 90_000, "cost": 0.5, "parallel": 2}


def test_a_long_value_is_cut_but_not_in_a_first_call():
    long = "x" * 500
    one = chain("c", step("a", arguments={"t": ref("t")}), inputs=[given("t")], output=ref("a"))
    written, _ = told(one, t=long)
    inputs, _, first = written.partition("First calls")
    assert long not in inputs
    assert "… (502 characters)" in inputs
    assert f'  a: test.read {{"t": "{long}"}}\n' in first


def test_many_first_calls_are_counted():
    items = const(list(range(30)))
    written, made = told(chain("c", loop("l", items, step("l"), parallel=30), output=ref("l")))
    assert "  l[19]: test.read {}\n  … and 10 more\n" in written
    assert len(made["first"]) == 30


def test_what_is_missing_is_named():
    one = chain(
        "c",
        step("a"),
        step("b"),
        step("d", "a", "b", arguments={"x": record(a=ref("a"), b=ref("b"), h=ref("h"), r=ref("run"))}),
        inputs=[given("h", handle="rows")],
        output=ref("d"),
    )
    written, made = told(one, h="h-1")
    assert "x  not known before `a` and `b` have ended, the handle in `h` is read and the run begins" in lines_behind(
        written, "d"
    )
    assert made["inputs"]["h"] == {"not_before": ["@h"], "given": True}
    assert made["result"] == {"not_before": ["d"]}


def test_it_is_valid_json_and_needs_no_library_of_tools():
    project = golden.GOLDEN / "cli" / "planned"
    program = (
        "import sys; from compiler.cli import main; "
        f"main(['run', '-C', {str(project)!r}, 'look', '--dry-run', '--format', 'json', '--arg', 'word=milk']); "
        "print(*sys.modules, file=sys.stderr)"
    )
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", program], env=environ, capture_output=True, timeout=120, check=True)
    assert json.loads(done.stdout)["chain"] == "look"
    assert {"mcp", "httpx2", "rich", "networkx", "jinja2"} & set(done.stderr.decode().split()) == set()
