"""Files in the allowed folders: read, looked for, written."""

from __future__ import annotations

import base64
import os
import re
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from ..values import canonical
from . import ToolFault
from .folders import DEEPEST, Folders, shown, told
from .pattern_walk import Walk
from .tables import read_csv as csv_rows
from .tables import read_jsonl as jsonl_values
from .writing import append, put

PART: Final = 1 << 16
"""So many bytes are read at a time."""
_LONGEST_PATTERN: Final = 1000

TEXT: Final = "text/plain; charset=utf-8"
JSON: Final = "application/json"
BYTES: Final = "application/octet-stream"


def read_text(folders: Folders, /, path: str, encoding: str = "utf-8") -> str:
    """Without a byte order mark. Fails where the bytes are no text of the encoding."""
    content = _content(folders, path)
    try:
        return content.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError as problem:
        raise ToolFault(f"{shown(path)} is no text in {encoding}: byte {problem.start} does not fit") from None


def read_json(folders: Folders, /, path: str) -> Any:
    try:
        return canonical.read_json(_content(folders, path).removeprefix(b"\xef\xbb\xbf"))
    except canonical.JsonError as problem:
        raise ToolFault(f"{shown(path)} is no JSON: {str(problem).rstrip('.')}") from None


def read_jsonl(folders: Folders, /, path: str) -> list[Any]:
    return jsonl_values(read_text(folders, path))


def read_csv(
    folders: Folders, /, path: str, separator: str = ",", columns: list[str] | None = None, encoding: str = "utf-8"
) -> dict[str, Any]:
    return csv_rows(read_text(folders, path, encoding), separator, columns)


def read_bytes(folders: Folders, /, path: str) -> str:
    """base64 (RFC 4648)."""
    return base64.b64encode(_content(folders, path)).decode()


def info(folders: Folders, /, path: str) -> dict[str, Any]:
    found = folders.about(path)
    if found is None:
        return {"kind": None, "bytes": None, "modified": None}
    return _described(found) or {"kind": "other", "bytes": None, "modified": None}


def find(folders: Folders, /, pattern: str = "*", folder: str = ".", most: int = 1000) -> dict[str, Any]:
    """Sorted by name, folder by folder. Links, hidden names and what is neither file nor folder are left out."""
    if len(pattern) > _LONGEST_PATTERN:
        raise ToolFault(f"the pattern has more than {_LONGEST_PATTERN} characters")
    segments = [each for each in pattern.split("/") if each]
    if ".." in segments or pattern.startswith("/") or len(segments) > DEEPEST:
        raise ToolFault(f"the pattern {shown(pattern)} must name what lies below the folder")
    begin = re.sub(r"/+$|^\.$|^\./", "", folder)
    walk = Walk(segments, most)
    with folders.folder(folder) as opened, told(folder):
        walk.look(opened, f"{begin}/" if begin or folder.startswith("/") else "")
    entries = [{"path": path, **described} for path, each in walk.found if (described := _described(each))]
    return {"entries": entries, "complete": walk.complete}


def create_text(folders: Folders, /, path: str, text: str) -> dict[str, Any]:
    return put(folders, path, _encoded(text), replace=False)


def replace_text(folders: Folders, /, path: str, text: str) -> dict[str, Any]:
    return put(folders, path, _encoded(text), replace=True)


def create_bytes(folders: Folders, /, path: str, content: str) -> dict[str, Any]:
    return put(folders, path, _decoded(content), replace=False)


def replace_bytes(folders: Folders, /, path: str, content: str) -> dict[str, Any]:
    return put(folders, path, _decoded(content), replace=True)


def append_text(folders: Folders, /, path: str, text: str) -> dict[str, Any]:
    return append(folders, path, _encoded(text))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _decoded(content: str) -> bytes:
    try:
        return base64.b64decode(content, validate=True)
    except ValueError:
        raise ToolFault("the content is no base64") from None


def _described(found: os.stat_result) -> dict[str, Any] | None:
    kind = "file" if stat.S_ISREG(found.st_mode) else "folder" if stat.S_ISDIR(found.st_mode) else None
    if kind is None:
        return None
    modified = datetime.fromtimestamp(int(found.st_mtime), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"kind": kind, "bytes": found.st_size if kind == "file" else None, "modified": modified}


def _content(folders: Folders, path: str) -> bytes:
    """All of a file; it may grow while it is read, but not beyond the limit."""
    found, most = bytearray(), folders.most_bytes
    with folders.file(path) as opened, told(path):
        size = os.fstat(opened).st_size
        while size <= most and len(found) <= most:
            part = os.read(opened, PART)
            if not part:
                return bytes(found)
            found += part
    advice = "Read it into a handle: `returns handle<…>` where the tool is imported."
    raise ToolFault(f"{shown(path)} has more than {most} bytes", "result_too_large", advice)


def _parts(folders: Folders, path: str) -> Iterator[bytes]:
    with folders.file(path) as opened, told(path):
        while part := os.read(opened, PART):
            yield part


def _text_parts(folders: Folders, /, path: str, encoding: str = "utf-8") -> tuple[Iterator[bytes], str]:
    return _parts(folders, path), f"text/plain; charset={encoding}"


def _json_parts(folders: Folders, /, path: str) -> tuple[Iterator[bytes], str]:
    return _parts(folders, path), JSON


def _byte_parts(folders: Folders, /, path: str) -> tuple[Iterator[bytes], str]:
    return _parts(folders, path), BYTES


TOOLS: Final[dict[str, Any]] = {
    "read_text": read_text,
    "read_json": read_json,
    "read_jsonl": read_jsonl,
    "read_csv": read_csv,
    "read_bytes": read_bytes,
    "info": info,
    "find": find,
    "create_text": create_text,
    "replace_text": replace_text,
    "create_bytes": create_bytes,
    "replace_bytes": replace_bytes,
    "append_text": append_text,
}
STREAMS: Final[dict[str, Any]] = {"read_text": _text_parts, "read_json": _json_parts, "read_bytes": _byte_parts}
