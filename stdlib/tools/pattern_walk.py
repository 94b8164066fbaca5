"""Looking for names below an open folder, by a pattern, within limits."""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Sequence
from itertools import islice
from typing import Final

from .folders import DEEPEST

MOST_SEEN: Final = 100_000
"""Names that are looked at in one search."""
_FOLDER: Final = (
    os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
)


class Walk:
    """One search. `segments`: of the pattern between its slashes; `**` is any number of folders. `found`: paths with
    what stands there, at most `most`; `complete` is false where there may be more."""

    def __init__(self, segments: Sequence[str], most: int) -> None:
        self.found: list[tuple[str, os.stat_result]] = []
        self.complete = True
        # Two `**` in a row are one; `None` stands for them.
        plain = [each for n, each in enumerate(segments) if each != "**" or n == 0 or segments[n - 1] != "**"]
        self._segments = [None if each == "**" else re.compile(fnmatch.translate(each)) for each in plain]
        self._most = most
        self._left = MOST_SEEN
        self._full = False

    def look(self, folder: int, path: str) -> None:
        """All below a folder; `path` leads there and ends with a slash, or is empty."""
        self._look(folder, path, self._with_skips({0}), DEEPEST)

    def _with_skips(self, places: set[int]) -> set[int]:
        """With the places behind each `**`, which may stand for nothing."""
        behind = {place + 1 for place in places if place < len(self._segments) and self._segments[place] is None}
        return places | behind

    def _look(self, folder: int, path: str, places: set[int], deep: int) -> None:
        with os.scandir(folder) as entries:
            names = [each.name for each in islice(entries, self._left) if not each.name.startswith(".")]
            if next(entries, None) is not None:
                self.complete = False
        self._left -= len(names)
        for name in sorted(names):
            if self._full:
                return
            try:
                found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            except OSError:
                continue  # it went meanwhile
            onward = self._behind(places, name)
            if len(self._segments) in onward:
                if len(self.found) == self._most:
                    self.complete, self._full = False, True
                    return
                self.found.append((path + name, found))
            if onward - {len(self._segments)} and (found.st_mode & 0o170000) == 0o040000:
                self._inner(folder, name, path, onward, deep)

    def _behind(self, places: set[int], name: str) -> set[int]:
        """The places in the pattern behind which a name may stand."""
        found: set[int] = set()
        for place in places:
            segment = self._segments[place] if place < len(self._segments) else ...
            if segment is None:
                found.add(place)
            elif segment is not ... and segment.match(name):
                found.add(place + 1)
        return self._with_skips(found)

    def _inner(self, folder: int, name: str, path: str, places: set[int], deep: int) -> None:
        if deep == 0:
            self.complete = False
            return
        try:
            opened = os.open(name, _FOLDER, dir_fd=folder)
        except OSError:
            return  # it went, is a link now, or is not ours to see
        try:
            self._look(opened, f"{path}{name}/", places, deep - 1)
        finally:
            os.close(opened)
