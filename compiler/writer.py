"""Writes artefacts below an output folder: nothing else of the compiler writes there.

The folder is ours when its `bundle.json` is. A file that an earlier build made and this one does not goes away, but
only if nobody changed it since; files that we did not make are never touched.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath, PurePosixPath
from typing import Any, TypeVar

from compiler.emit.artefact import Artefact
from compiler.emit.bundle import FORMAT, NAME
from dsl.diagnostics import Diagnostic, Sink


@dataclass(frozen=True, slots=True)
class Written:
    """What was done, or would be on a dry run: paths below the folder, sorted. `kept`: stale, but changed by hand."""

    written: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


@dataclass(slots=True)
class _Plan:
    """What has to be done, before anything is."""

    write: dict[str, bytes] = field(default_factory=dict)
    unchanged: list[str] = field(default_factory=list)
    remove: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


class _Refused(Exception):
    """Carries the reason out of the planning; nothing has been changed yet."""

    def __init__(self, code: str, message: str, help_text: str) -> None:
        super().__init__(message)
        self.diagnostic = Diagnostic(code=code, message=message, span=None, helps=(help_text,))


def write(artefacts: Iterable[Artefact], folder: Path, sink: Sink, *, dry_run: bool = False) -> Written | None:
    """Bring the folder up to date; None where that is refused (nothing changed) or fails half-way (E0723).

    Each file is replaced as a whole, `bundle.json` last: a build that was interrupted is repaired by the next one.
    Raises ValueError for an artefact whose path leaves the folder, which is a bug of an emitter.
    """
    contents = {_guarded(each.path): each.text.encode("utf-8") for each in artefacts}
    try:
        plan = _plan(folder, contents, _made_before(folder, contents))
        if not dry_run:
            _carry_out(folder, plan)
    except _Refused as refused:
        sink.add(refused.diagnostic)
        return None
    except OSError as error:
        message = f"I cannot write {error.filename or folder}: {error.strerror or error}."
        sink.add(_Refused("E0723", message, "Look at its permissions and at the space that is left.").diagnostic)
        return None
    return Written(
        written=tuple(sorted(plan.write)),
        unchanged=tuple(sorted(plan.unchanged)),
        removed=tuple(sorted(plan.remove)),
        kept=tuple(sorted(plan.kept)),
    )


def _guarded(path: str) -> str:
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or "\\" in path or ":" in parts[0] or {".", ".."} & set(path.split("/")):
        raise ValueError(f"an artefact may not be written to {path!r}")
    return "/".join(parts)


def _made_before(folder: Path, contents: Mapping[str, bytes]) -> Mapping[str, str]:
    """The files of the bundle that lies there, with their digests; none where nothing does, or the beginning of what is
    to be written: a first build that was interrupted."""
    if not os.path.lexists(folder):
        return {}
    if folder.is_symlink() or not folder.is_dir():
        raise _Refused("E0720", f"{folder} is not a folder of its own.", "Name a folder, or remove what is there.")
    if not any(folder.iterdir()):
        return {}
    listing = _listing(folder / NAME)
    if listing is None and _begun(folder, contents):
        return {}
    if listing is None:
        help_text = f"Choose an empty folder; I only write where a {NAME} of mine lies."
        raise _Refused("E0721", f"{folder} holds files that I did not make.", help_text)
    return listing


def _begun(folder: Path, contents: Mapping[str, bytes]) -> bool:
    """Whether all that lies there is what this build would write, or was about to be (see `_replace`)."""
    unfinished = {_beside(PurePosixPath(path)).as_posix() for path in contents}
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        ours = name in unfinished or (name in contents and _content(path) == contents[name])
        if path.is_symlink() or not (path.is_dir() or ours):
            return False
    return True


def _listing(path: Path) -> dict[str, str] | None:
    """Path and digest of every file in a `bundle.json` of ours."""
    try:
        content: Any = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(content, dict) or content.get("format") != FORMAT or not isinstance(content.get("files"), dict):
        return None
    return {name: digest for name, digest in content["files"].items() if isinstance(digest, str)}


def _plan(folder: Path, contents: Mapping[str, bytes], made: Mapping[str, str]) -> _Plan:
    plan = _Plan()
    for path, content in contents.items():
        target = folder / path
        link = _link_on_the_way(folder, path)
        if link is not None:
            help_text = "Remove the link; I only write into the folder itself."
            raise _Refused("E0722", f"{link} is a link, where a file or folder of the bundle belongs.", help_text)
        if target.is_dir():
            raise _Refused("E0722", f"{target} is a folder, where a file of the bundle belongs.", "Remove the folder.")
        if _content(target) == content:
            plan.unchanged.append(path)
        else:
            plan.write[path] = content
    for path, digest in made.items():
        if path in contents or not _is_inside(path) or _link_on_the_way(folder, path) is not None:
            continue
        present = _content(folder / path)
        if present is None:
            continue
        ours = hashlib.sha256(present).hexdigest() == digest
        (plan.remove if ours else plan.kept).append(path)
    return plan


def _is_inside(path: str) -> bool:
    """Lists come from the disk, so they are guarded as well."""
    try:
        return _guarded(path) == path
    except ValueError:
        return False


def _link_on_the_way(folder: Path, path: str) -> Path | None:
    place = folder
    for part in PurePosixPath(path).parts:
        place = place / part
        if place.is_symlink():
            return place
    return None


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _carry_out(folder: Path, plan: _Plan) -> None:
    """Stale files first, then the new ones, the list of all files last."""
    for path in plan.remove:
        (folder / path).unlink()
        _remove_empty(folder, (folder / path).parent)
    for path in sorted(plan.write, key=lambda each: (each == NAME, each)):
        _replace(folder / path, plan.write[path])


def _remove_empty(folder: Path, place: Path) -> None:
    while place != folder and not any(place.iterdir()):
        place.rmdir()
        place = place.parent


_AnyPath = TypeVar("_AnyPath", bound=PurePath)


def _beside(target: _AnyPath) -> _AnyPath:
    """Where the new content of a file is until it is whole."""
    return target.with_name(f".{target.name}.chainc")


def _replace(target: Path, content: bytes) -> None:
    """The whole file or the old one, never a part (POSIX rename; `os.replace` on Windows)."""
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = _beside(target)
    try:
        beside.write_bytes(content)
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)
