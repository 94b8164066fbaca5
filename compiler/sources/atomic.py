"""Writing a file as a whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_text(file: Path, text: str, *, mode: int = 0o644) -> None:
    """Replace the file by `text` (UTF-8, line ends as they are) in one step. Raises OSError; then it is as before."""
    handle, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    try:
        with open(handle, "w", encoding="utf-8", newline="") as out:
            out.write(text)
        os.chmod(name, mode)
        os.replace(name, file)
    except BaseException:
        os.unlink(name)
        raise
