"""Writing files in allowed folders: whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import suppress
from typing import Any, Final

from . import ToolFault
from .folders import Absent, Folders, shown, told

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_APPEND: Final = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINKS: Final = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK)


def put(folders: Folders, path: str, content: bytes, *, replace: bool) -> dict[str, Any]:
    """A file with this content: written beside its place, flushed to the disk, then moved there, so that nobody sees
    half of it. Without `replace` a file that is there stays, and is a fault unless its content is the same."""
    with folders.parent(path) as (folder, name):
        before = _there(folder, name, path)
        if before is not None and not replace:
            return _same(folders, path, content)
        beside = f".{secrets.token_hex(8)}.part"
        with told(path):
            mode = 0o666 if before is None else stat.S_IMODE(before.st_mode) & 0o777
            written = os.open(beside, _NEW, mode, dir_fd=folder)
        try:
            try:
                with told(path):
                    if before is not None:
                        with suppress(PermissionError):
                            os.fchmod(written, mode)
                    _all(written, content)
                    os.fsync(written)
            finally:
                os.close(written)
            with told(path):
                if replace:
                    os.replace(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
                elif not _linked(folder, beside, name):
                    return _same(folders, path, content)
                os.fsync(folder)
        finally:
            with suppress(OSError):
                os.unlink(beside, dir_fd=folder)
    return {"path": path, "bytes": len(content), "written": True}


def append(folders: Folders, path: str, content: bytes) -> dict[str, Any]:
    """Behind what a file has; it is made where there is none."""
    with folders.parent(path) as (folder, name):
        _there(folder, name, path)
        with told(path):
            opened = os.open(name, _APPEND, 0o666, dir_fd=folder)
        try:
            found = os.fstat(opened)
            if not stat.S_ISREG(found.st_mode):
                raise ToolFault(f"{shown(path)} is no ordinary file", "denied")
            with told(path):
                _all(opened, content)
                os.fsync(opened)
                return {"path": path, "bytes": os.fstat(opened).st_size}
        finally:
            os.close(opened)


def _there(folder: int, name: str, path: str) -> os.stat_result | None:
    """The file that is there already. Raises a fault where something else is."""
    try:
        with told(path):
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except Absent:
        return None
    if stat.S_ISLNK(found.st_mode):
        raise ToolFault(f"{shown(path)} is a link, and links are not followed", "denied")
    if stat.S_ISDIR(found.st_mode):
        raise ToolFault(f"{shown(path)} is a folder, not a file")
    if not stat.S_ISREG(found.st_mode):
        raise ToolFault(f"{shown(path)} is no ordinary file", "denied")
    return found


def _same(folders: Folders, path: str, content: bytes) -> dict[str, Any]:
    """Nothing to do where the file has this content already: a call that is repeated is no mistake."""
    with folders.file(path) as opened, told(path):
        same = os.fstat(opened).st_size == len(content)
        rest = memoryview(content)
        while same and len(rest):
            part = os.read(opened, 1 << 16)
            same = bool(part) and part == rest[: len(part)]
            rest = rest[len(part) :]
    if not same:
        advice = "Choose another name, or use the tool that replaces what is there."
        raise ToolFault(f"{shown(path)} is there already, with another content", advice=advice)
    return {"path": path, "bytes": len(content), "written": False}


def _linked(folder: int, beside: str, name: str) -> bool:
    """Give the new file its name; False where somebody else has it by now."""
    try:
        os.link(beside, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        return False
    except OSError as problem:
        if problem.errno not in _NO_LINKS:
            raise
        # A file system without links. The name is taken first, then what was written moves over it.
        try:
            os.close(os.open(name, _NEW, 0o600, dir_fd=folder))
        except FileExistsError:
            return False
        os.replace(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
    return True


def _all(opened: int, content: bytes) -> None:
    rest = memoryview(content)
    while len(rest):
        rest = rest[os.write(opened, rest) :]
