"""The words of a command line that cannot stand in a manifest as they are."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from typing import Any, Final

from compiler.loader.secrets import BY_A_SHELL, FROM_A_VARIABLE, variable
from compiler.sources.clients.manifest import tables
from compiler.sources.clients.placeholders import VARIABLE

_SHELL_SIGNS: Final = re.compile(r"[|&;<>()$`\\*?\"']")
_ASSIGNED: Final = re.compile(r"(?P<before>-*(?P<name>[A-Za-z][\w-]*)=).+", re.DOTALL)
_OPTION: Final = re.compile(r"--?(?P<name>[A-Za-z][\w-]*)")


def split(command: str) -> list[str]:
    """The program and the arguments in a command with blanks, where that is clear: no path and no sign of a shell."""
    words = command.split()
    clear = len(words) > 1 and "/" not in words[0] and not _SHELL_SIGNS.search(command)
    return words if clear else [command]


def by_a_shell(name: str, table: dict[str, Any], hidden: Iterable[int]) -> str:
    """What can be done where a program wants what is hidden in its arguments. `table`: the source without that."""
    said = FROM_A_VARIABLE.format("env")
    if re.search(r"[\\:]|^cmd(?:\.exe)?$", table["command"], re.IGNORECASE):
        return said  # a system without such a shell
    args, places = table["args"], set(hidden)
    words, names = [shlex.quote(table["command"])], list[str]()
    for at, text in enumerate(args):
        if at not in places:
            words.append(shlex.quote(text))
            continue
        assigned = _ASSIGNED.fullmatch(text)
        option = _OPTION.fullmatch(args[at - 1]) if at and assigned is None else None
        called = assigned["name"] if assigned else option["name"] if option else f"argument_{at + 1}"
        own = variable(f"{name} {called}")
        names.append(own if VARIABLE.fullmatch(own) else f"V_{own}")
        before = assigned["before"] if assigned else ""
        words.append(f'{before}"${names[-1]}"')
    rest = {key: value for key, value in table.items() if key not in ("command", "args", "env")}
    made = {"command": "sh", "args": ["-c", f"exec {' '.join(words)}"], "env": [*table.get("env", ()), *names], **rest}
    export = f"and export {', '.join(f'`{each}`' for each in names)}, with what stands in the argument there."
    return f"{said}\n{BY_A_SHELL}\n{tables({name: made})}{export}"
