"""The folder in which a program of the manifest starts: in the project, or in one that the manifest allows."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from compiler.loader.files import Refused, real_path
from compiler.loader.lock_shape import visible


def working_folder(root: Path, cwd: str, roots: Sequence[str]) -> str | Refused:
    """`cwd` as the project `root` uses it: what lies in the project is relative to it. `roots`: of `[allow]`.

    Links are resolved before it is compared. Whether the folder is there does not matter yet: it may be made where the
    program starts. E0235: it is no folder that is allowed.
    """
    shown = f"The folder `{visible(cwd)}`"
    try:
        real, home = real_path(root / cwd), real_path(root)
        if any(os.path.isabs(each) and real.is_relative_to(real_path(Path(each))) for each in roots):
            return cwd
        if real.is_relative_to(home):
            return real.relative_to(home).as_posix() if os.path.isabs(cwd) else cwd
        if any(real.is_relative_to(real_path(root / each)) for each in roots):
            return cwd
    except (OSError, ValueError):
        return Refused("E0235", f"{shown} is no path.", 'Write it from this folder on, like "data".')
    more = to_allow(root, cwd) or cwd
    what = shown if more == os.path.normpath(cwd) else f"{shown} leads to `{visible(more, 200)}`, which"
    hint = f"Allow it, if programs may start there:\n{allowing(roots, (more,))}"
    return Refused("E0235", f"{what} lies neither in the project nor in a folder that `[allow]` names.", hint)


def to_allow(root: Path, cwd: str) -> str | None:
    """The root that a working folder outside of the project needs: where it leads. None where it is no path."""
    try:
        real, home = str(real_path(root / cwd)), real_path(root)
    except (OSError, ValueError):
        return None
    return os.path.normpath(cwd) if real == os.path.normpath(home / cwd) else real


def allowing(roots: Sequence[str], more: Sequence[str]) -> str:
    """The table of the manifest that allows more folders. With the first of them paths in arguments are looked at, so
    the project is one, too."""
    named = json.dumps([*(roots or (".",)), *more], ensure_ascii=False)
    return f"[allow]\nroots = {visible(named, len(named))}"
