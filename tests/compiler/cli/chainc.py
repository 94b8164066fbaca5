"""Starts the command as a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def chainc(*argv: str, cwd: Path | None = None, stdin: str = "", **environ: str) -> subprocess.CompletedProcess[bytes]:
    """Run `chainc` with these arguments and variables."""
    return subprocess.run(
        [sys.executable, "-m", "compiler.cli", *argv],
        cwd=cwd or ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environ},
        input=stdin.encode(),
        capture_output=True,
        timeout=120,
        check=False,
    )
