"""Reading the user's files, never outside of the project."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Final

MOST_BYTES = 1_000_000
"""A larger file of chains is none that a person wrote."""
NO_DRAFTS: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a file cannot be had: the code of the diagnostic, what is wrong, what to do."""

    code: str
    message: str
    help: str = ""


class Folder:
    """A project's folder. Paths are relative to it, with forward slashes. `drafts` are texts that count for files."""

    def __init__(self, root: Path, drafts: Mapping[str, str] = NO_DRAFTS) -> None:
        self.root = root
        self.drafts = drafts

    def text(self, path: str, most: int = MOST_BYTES) -> str | Refused:
        """The file as text, a BOM included."""
        if path in self.drafts:
            return self.drafts[path]
        if (shown := path.encode("utf-8", "backslashreplace").decode()) != path:
            return Refused("E0215", f"The name of `{shown}` is no UTF-8.", "Rename the file.")
        refused = self.escapes(path)
        if refused:
            return refused
        try:
            # Looked at first: opening a pipe would wait for somebody to write into it.
            if stat.S_ISREG(mode := os.stat(self.root / path).st_mode) or stat.S_ISDIR(mode):
                with open(self.root / path, "rb") as file:
                    content = file.read(most + 1)
            else:
                return Refused("E0215", f"`{path}` is no file.")
        except FileNotFoundError:
            return Refused("E0216", f"There is no file `{path}`.")
        except IsADirectoryError:
            return Refused("E0215", f"`{path}` is a folder, not a file.")
        except (OSError, ValueError) as error:
            return Refused("E0215", f"`{path}` cannot be read: {_reason(error)}.")
        if len(content) > most:
            return Refused("E0215", f"`{path}` is larger than {most // 1000} KB.", "Split it into several files.")
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            return Refused("E0215", f"`{path}` is no UTF-8: line {line} has a byte that starts no character.")

    def match(self, pattern: str) -> list[str] | Refused:
        """The files that fit a pattern such as `chains/*.chain`, sorted; hidden folders are left out."""
        if PurePosixPath(pattern).is_absolute() or ".." in PurePosixPath(pattern).parts or "\\" in pattern:
            return Refused(
                "E0217", f"The pattern `{pattern}` leads out of the project.", "Write it from this folder on."
            )
        if pattern and (self.root / pattern).is_dir():
            inside = (PurePosixPath(pattern) / "*.chain").as_posix()
            return Refused("E0216", f"`{pattern}` is a folder.", f'Write `"{inside}"`.')
        try:
            found = [path.relative_to(self.root).as_posix() for path in self.root.glob(pattern) if path.is_file()]
        except (OSError, ValueError, RuntimeError, IndexError) as error:
            return Refused("E0215", f"The pattern `{pattern}` cannot be used: {_reason(error)}.")
        return sorted(path for path in found if not any(part.startswith(".") for part in path.split("/")))

    def names(self, suffix: str) -> list[str]:
        """The files with a suffix, for proposals; at most a thousand, hidden folders and links left out."""
        found: list[str] = []
        for folder, folders, files in os.walk(self.root):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            here = Path(folder).relative_to(self.root)
            found += [(here / name).as_posix() for name in sorted(files) if name.endswith(suffix)]
            if len(found) > 1000:
                break
        return found

    def escapes(self, path: str) -> Refused | None:
        """Whether a path leads out of the folder, by itself or through a link."""
        out = Refused("E0217", f"`{path}` leads out of the project.", "A project reads only files of its own folder.")
        if PurePosixPath(path).is_absolute() or os.path.normpath(path).split(os.sep)[0] == "..":
            return out
        try:
            real = real_path(self.root / path)
        except (OSError, ValueError) as error:
            return Refused("E0215", f"`{path}` cannot be read: {_reason(error)}.")
        return None if real.is_relative_to(real_path(self.root)) else out


def real_path(path: Path) -> Path:
    """Where a path leads, links followed; there need not be anything. Raises OSError for links that go round in
    circles, and ValueError for what no path can be: which of them `Path.resolve` raises depends on Python's version."""
    if "\0" in str(path):
        raise ValueError("it has a null character in it")
    real = os.path.realpath(path)
    try:
        os.stat(real)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise
    return Path(real)


def _reason(error: Exception) -> str:
    """The system's words without the path, which says where this machine keeps its files."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return text[:1].lower() + text[1:]
