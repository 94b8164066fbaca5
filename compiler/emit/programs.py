"""What a generated server will miss: what the programs of its sources find only from the project's folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from dsl.diagnostics import Diagnostic, Sink
from stdlib.plan.plan import Command, Plan, Stdio, Transport


def tell_files_left_behind(plan: Plan, root: Path, sink: Sink) -> None:
    """W0234 for every source whose program, arguments or working folder are relative to the project in `root`."""
    for name, source in plan.sources.items():
        left = [f"`{each}`" for each in _relative(source.transport, root)]
        if left:
            found, it = " and ".join(left), "this file" if len(left) == 1 else "these files"
            message = f"`{name}` names {found}. A server that is installed elsewhere does not find {it} from there."
            helps = (
                f"Name an installed program, or tell the server where it is: `--source {quote(f'{name}=COMMAND')}`. "
                "Started in this folder it works as it is.",
            )
            sink.add(Diagnostic(code="W0234", message=message, span=None, helps=helps))
        folder = source.transport.cwd if isinstance(source.transport, Stdio | Command) else None
        if folder is not None and not os.path.isabs(folder) and os.path.normpath(folder) != ".":
            message = f"`{name}` starts in `{folder}`. A server that is installed elsewhere looks for it there."
            sink.add(Diagnostic(code="W0234", message=message, span=None, helps=("Start it where the folder is.",)))


def _relative(transport: Transport, root: Path) -> Iterator[str]:
    """The words of a command line that are such files. A program without a `/` is looked for on the path."""
    match transport:
        case Stdio(command=program, args=args, cwd=cwd):
            words = [*([program] if "/" in program else []), *args]
        case Command(program=program, cwd=cwd):
            words = [program] if "/" in program else []
        case _:
            return
    for word in words:
        if not os.path.isabs(word) and "\0" not in word and (root / (cwd or ".") / word).is_file():
            yield word
