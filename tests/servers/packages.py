"""Third-party servers from npm, in the versions of `npm/package-lock.json`; installed once, outside the repository.

The lock names no host: npm asks the registry that it is set up for.
"""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

NPM = Path(__file__).parent / "npm"
NO_NETWORK = ("EAI_AGAIN", "ECONNREFUSED", "EHOSTUNREACH", "ENETDOWN", "ENETUNREACH", "ENOTFOUND")
"""npm's codes where no registry can be reached at all."""
_PATIENCE = 240
_CODE = re.compile(r"npm (?:error|ERR!) code (\S+)")
_REASON = re.compile(r"npm (?:error|ERR!) .*\breason: (.+)")


@dataclass(frozen=True)
class Missing:
    """Why there are no packages. `is_excused`: nothing here can be tested then; else something is wrong."""

    why: str
    is_excused: bool


def program(name: str) -> str:
    """The path of a server's program. Skips the test where npm, node or the network is absent; whatever else keeps the
    packages away fails it."""
    found = _installed()
    if isinstance(found, Missing):
        (pytest.skip if found.is_excused else pytest.fail)(found.why)
    return str(found / "node_modules" / ".bin" / name)


@cache
def _installed() -> Path | Missing:
    """The folder with the packages."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        return Missing(f"{'npm' if npm is None else 'node'} is not installed", is_excused=True)
    key = hashlib.sha256((NPM / "package-lock.json").read_bytes()).hexdigest()[:16]
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    ready = Path(base) / "chainc-tests" / f"npm-{key}"
    return ready if ready.is_dir() else install(npm, ready)


def install(npm: str, ready: Path) -> Path | Missing:
    """Puts the packages where they belong, all at once."""
    ready.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ready.parent) as made:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(NPM / name, made)
        quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retry-mintimeout=2000")
        try:
            done = subprocess.run(
                [npm, "ci", *quiet], cwd=made, capture_output=True, text=True, timeout=_PATIENCE, check=False
            )
        except subprocess.TimeoutExpired:
            return Missing(f"npm did not fetch the packages within {_PATIENCE} s", is_excused=False)
        if done.returncode != 0:
            return _told(done.stderr)
        try:
            os.rename(made, ready)
        except OSError:  # somebody else was quicker
            return ready if ready.is_dir() else Missing(f"`{ready.parent}` cannot be written", is_excused=False)
        os.mkdir(made)  # for its owner to remove
    return ready


def _told(errors: str) -> Missing:
    """What npm says, with its own code."""
    code, reason = _CODE.search(errors), _REASON.search(errors)
    if code is not None and code[1] in NO_NETWORK:
        more = f": {reason[1][:200]}" if reason is not None else ""
        return Missing(f"npm cannot reach its registry, {code[1]}{more}", is_excused=True)
    return Missing(f"npm cannot fetch the packages: {errors.strip()[:1000] or 'it does not say why'}", is_excused=False)
