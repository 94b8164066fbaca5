"""`mcp-remote`, a program that passes everything on to a server behind a URL: chainc reaches that server itself."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from compiler.loader.fetched import fetched
from compiler.loader.lock_shape import visible

_HEADER: Final = re.compile(r"(?P<name>[A-Za-z0-9_-]+):\s*(?P<value>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Remote:
    """`dropped`: what of the arguments has no meaning without the program, by names, never values."""

    url: str
    headers: dict[str, str] = field(repr=False)
    dropped: tuple[str, ...]
    is_sse: bool


def remote(command: str, args: list[str]) -> Remote | None:
    """What the program is told; None where it is another, or is given no header: then it may be there to sign in."""
    words = _behind(command, args)
    if not words or not re.match(r"https?://", words[0]):
        return None
    headers: dict[str, str] = {}
    dropped: list[str] = []
    is_sse, at = False, 1
    while at < len(words):
        word, following = words[at], words[at + 1] if at + 1 < len(words) else ""
        header = _HEADER.fullmatch(following)
        at += 1
        if word == "--header":
            if header is None:
                return None
            headers[header["name"]] = header["value"]
            at += 1
        elif word.startswith("-"):
            dropped.append(f"`{visible(word.partition('=')[0], 40)}`")
            is_sse = is_sse or (word == "--transport" and following.startswith("sse"))
        elif word.isdecimal() and not dropped:
            dropped.append("the port")
    return Remote(words[0], headers, tuple(dict.fromkeys(dropped)), is_sse) if headers else None


def remote_url(command: str, args: list[str]) -> str | None:
    """The URL where the program is this one."""
    words = _behind(command, args)
    return words[0] if words and re.match(r"https?://", words[0]) else None


def _behind(command: str, args: list[str]) -> list[str]:
    """The arguments of the program itself."""
    if command == "mcp-remote":
        return args
    named = next(iter(fetched(command, args)), None)
    return args[named.at + 1 :] if named is not None and (named.kind, named.name) == ("npm", "mcp-remote") else []
