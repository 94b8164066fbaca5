"""Where programs may start: in the project, or where the server runs, and in the folders that are allowed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from ..runtime.fault import fault


@dataclass(frozen=True, slots=True)
class Ground:
    """`base`: the folder of the project, or where the server runs. `roots`: of the plan, relative to it."""

    base: str | os.PathLike[str] = "."
    roots: Sequence[str] = ()

    def folder(self, name: str, cwd: str | None) -> str | None:
        """The working folder of a program of the source `name`, links resolved; None where it has none of its own.

        To be asked at each start: a folder may have become a link. Raises `denied` where it is not allowed, and
        `unavailable` where it is not there.
        """
        if cwd is None:
            return None
        path = os.path.join(self.base, cwd)
        try:
            real = os.path.realpath(path, strict=True)
            there = os.path.isdir(real)
        except (OSError, ValueError):
            # Nothing starts there, so it may be told by its words alone.
            real, there = os.path.realpath(path) if "\0" not in path else "", False
        if not any(_within(real, os.path.join(self.base, each)) for each in ("", *self.roots)):
            message = f"The program of `{name}` is not started in `{cwd}`, which lies in no allowed folder."
            advice = "Add the folder to `roots` of `[allow]` if programs may start there."
            raise fault("denied", message, sent=False, next=advice)
        if not there:
            message = f"The program of `{name}` cannot be started in `{cwd}`: there is no such folder."
            advice = f"Make the folder `{cwd}`" + ("." if os.path.isabs(cwd) else ", or start the server where it is.")
            raise fault("unavailable", message, sent=False, lasting=True, next=advice)
        return real


def _within(real: str, folder: str) -> bool:
    try:
        folder = os.path.realpath(folder)
        return os.path.commonpath((real, folder)) == folder
    except (OSError, ValueError):
        return False
