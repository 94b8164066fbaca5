"""Variables of a container: `docker run -e NAME=VALUE` tells a value, `-e NAME` takes it from where docker runs."""

from __future__ import annotations

import re
from typing import Final

from compiler.loader.fetched import fetched
from compiler.loader.secrets import harmless
from compiler.sources.clients.placeholders import PLACEHOLDER, VARIABLE

_BEHIND: Final = re.compile(r"-[dhiPqt]*e|--env")
_WITHIN: Final = re.compile(r"(?P<option>--env=|-e)(?P<pair>[^=].*)", re.DOTALL)


def by_name(command: str, args: list[str]) -> tuple[list[str], dict[str, str | None]]:
    """The arguments with names alone where a value is or might be a secret, or is put in by the client; and the
    variables that are taken by name, with those values."""
    image = next((each.at for each in fetched(command, args) if each.kind == "image"), 0)
    words, found = list(args), dict[str, str | None]()
    for at in range(image):
        within = _WITHIN.fullmatch(words[at])
        if at > 0 and _BEHIND.fullmatch(words[at - 1]):
            option, pair = "", words[at]
        elif within is not None:
            option, pair = within["option"], within["pair"]
        else:
            continue
        name, given, value = pair.partition("=")
        if not VARIABLE.fullmatch(name) or (given and harmless(name, value) and not PLACEHOLDER.search(value)):
            continue
        words[at] = option + name
        found[name] = value if given else None
    return words, found
