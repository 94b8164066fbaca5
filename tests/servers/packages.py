"""Third-party servers from npm, in the versions of `npm/package-lock.json`; installed once, outside the repository.

The lock names no host: npm asks the registry that it is set up for.
"""

import hashlib
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

NPM = Path(__file__).parent / "npm"
_PATIENCE = 240


def program(name: str) -> str:
    """The path of a server's program. Skips the test where npm is absent or the packages cannot be fetched."""
    folder, why = _installed()
    if folder is None:
        pytest.skip(why)
    return str(folder / "node_modules" / ".bin" / name)


@cache
def _installed() -> tuple[Path | None, str]:
    """The folder with the packages, or None and why not."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        return None, "npm is not installed"
    key = hashlib.sha256((NPM / "package-lock.json").read_bytes()).hexdigest()[:16]
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    ready = Path(base) / "chainc-tests" / f"npm-{key}"
    if not ready.is_dir():
        why = _install(npm, ready)
        if why:
            return None, f"the packages cannot be fetched from npm: {why}"
    return ready, ""


def _install(npm: str, ready: Path) -> str:
    """Put the packages where they belong, all at once; why not, else nothing."""
    ready.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ready.parent) as made:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(NPM / name, made)
        command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        try:
            done = subprocess.run(command, cwd=made, capture_output=True, text=True, timeout=_PATIENCE, check=False)
        except subprocess.TimeoutExpired:
            return f"npm took more than {_PATIENCE} s"
        if done.returncode != 0:
            return (done.stderr.strip().splitlines() or ["npm failed"])[0][:200]
        try:
            os.rename(made, ready)
        except OSError:  # somebody else was quicker
            return "" if ready.is_dir() else "the cache cannot be written"
        os.mkdir(made)  # for its owner to remove
    return ""
