"""What a command costs that was not running before: `python -m tests.bench.cold [--repeat N] [--project DIR]`.

CPU time (user and system) of a new process, as the kernel counts it (Unix), beside that of an empty Python and of one
that imports libraries which `chainc check` could load and does not. Bytecode is there, as after an installation.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[2]
PROJECT = ROOT / "examples" / "recent_changes"
GOAL = 0.5
"""CPU seconds of `chainc check`."""

EMPTY = 'python -c "pass"'
LIBRARIES = "import lark, pydantic, mcp"
CHECK = "chainc check"

_CHAINC = "import sys; from compiler.cli import main; sys.exit(main())"  # what the installed command does


def measure(repeat: int, project: Path = PROJECT) -> dict[str, list[float]]:
    """CPU seconds of each repeat by what was started; they take turns. Each is started once before."""
    todo = {
        EMPTY: ["pass"],
        LIBRARIES: [LIBRARIES],
        "chainc --version": [_CHAINC, "--version"],
        "chainc --help": [_CHAINC, "--help"],
        CHECK: [_CHAINC, "check", str(project)],
    }
    for words in todo.values():
        _cpu(words)
    seconds: dict[str, list[float]] = {name: [] for name in todo}
    for _ in range(repeat):
        for name, words in todo.items():
            seconds[name].append(_cpu(words))
    return seconds


def _cpu(words: Sequence[str]) -> float:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-c", *words]
    started = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    with started:
        assert started.stderr is not None
        said = started.stderr.read()
        _, status, usage = os.wait4(started.pid, 0)
        started.returncode = os.waitstatus_to_exitcode(status)
    if started.returncode:
        raise AssertionError(f"{command} ended with {started.returncode}: {said.decode(errors='replace')}")
    return usage.ru_utime + usage.ru_stime


def report(seconds: dict[str, list[float]]) -> str:
    """A table of the rows, and what it says about the goal."""
    told = [f"CPU seconds, {len(seconds[CHECK])} repeats", "", f"{'':<42}{'best':>8}{'median':>8}"]
    told += [f"{name:<42}{min(each):>8.3f}{median(each):>8.3f}" for name, each in seconds.items()]
    ours = median(seconds[CHECK])
    met = "reached" if ours < GOAL else "MISSED"
    told += [
        "",
        f"{CHECK}: {ours / median(seconds[LIBRARIES]):.2f} times what the import of the libraries alone costs",
        f"goal of less than {GOAL} s for {CHECK}: {met}",
    ]
    return "\n".join(told) + "\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.cold", description=__doc__)
    parser.add_argument("--repeat", type=int, default=10, help="how often everything is started (10)")
    parser.add_argument("--project", type=Path, default=PROJECT, help="the project to check (an example)")
    options = parser.parse_args(argv)
    sys.stdout.write(report(measure(options.repeat, options.project.resolve())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
