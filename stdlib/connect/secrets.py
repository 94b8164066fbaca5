"""Secrets from the environment: they go to the tools that need them, and no message repeats them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final
from urllib.parse import unquote

from ..plan.plan import Command, Http, Stdio
from ..runtime.fault import CUT, RunFault
from ..runtime.result import ToolAnswer
from ..values.header_value import from_variable

MASK: Final = "***"
SHORTEST: Final = 4
"""A shorter text is no secret, and replacing it would garble every message."""

_ANYWHERE: Final = re.compile(
    r"pass(?:wd|phrase)|pwd|pat|api_?key|credentials?|jwt|cookie|bearer|signature|webhook|\w*(?:token|secret|password|passwd)"
)
_LAST: Final = re.compile(
    r"(?:api|auth|ssh|access|secret|private|sign|signing|encryption|master|account|service|deploy)?keys?"
    r"|auth|authorization|session|private|pass|\w*(?:token|secret|password)s"
)
"""What a name ends with where it names a secret: a `KEY_PATH` or an `AUTH_METHOD` is none."""
_AMOUNTS: Final = frozenset(("max", "min", "num", "count", "total"))
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SETTING: Final = re.compile(r"[0-9.]{0,6}|true|false|yes|no|on|off|none", re.IGNORECASE)
_IN_URL: Final = re.compile(r"://[^\s/:@]*:([^\s/@]+)@")


class Secrets:
    """What must not be told."""

    def __init__(self) -> None:
        self._texts: set[str] = set()

    def add(self, *texts: str) -> None:
        self._texts.update(text for text in texts if len(text) >= SHORTEST)

    def masked(self, text: str) -> str:
        """The text with every secret in it replaced, longer ones first, because one may hold another; also the first
        part of one where the text was cut."""
        for secret in sorted(self._texts, key=len, reverse=True):
            text = text.replace(secret, MASK)
        if CUT in text:
            for secret in self._texts:
                for length in range(len(secret) - 1, SHORTEST - 1, -1):
                    text = text.replace(secret[:length] + CUT, MASK + CUT)
        return text

    def unsaid(self, problem: RunFault) -> RunFault:
        """The same fault, its message masked."""
        return RunFault(replace(problem.fault, message=self.masked(problem.fault.message)))

    def unanswered(self, answer: ToolAnswer) -> ToolAnswer:
        """The same answer, its texts masked where they tell of an error. (Results are values, and stay.)"""
        if not answer.is_error:
            return answer
        content = (
            {**each, "text": self.masked(each["text"])} if isinstance(each.get("text"), str) else each
            for each in answer.content
        )
        return replace(answer, content=tuple(content))


def secrets_of(transport: object, environ: Mapping[str, str] = os.environ) -> Secrets:
    """What a program or server is given: headers that come from variables, variables whose name says that they are
    secret, and passwords in URLs. Other variables are settings: to mask `main` or `true` would garble messages."""
    secrets = Secrets()
    if isinstance(transport, Http):
        for value in transport.headers.values():
            meant = from_variable(value)
            found = "" if meant is None else environ.get(meant.variable, "")
            secrets.add(found, found.rpartition(" ")[2])
    elif isinstance(transport, Stdio | Command):
        for name in transport.env:
            found = environ.get(name, "")
            if _names_secret(name) and not _SETTING.fullmatch(found):
                secrets.add(found, found.strip())
            for password in _IN_URL.findall(found):
                secrets.add(password, unquote(password))
    return secrets


def _names_secret(name: str) -> bool:
    """By its words: `GIT_AUTHOR_NAME` and `MAX_TOKENS` name no secret."""
    words = [word.lower() for word in _WORD.findall(name)]
    if not words or words[0] in _AMOUNTS:
        return False
    return bool(_LAST.fullmatch(words[-1])) or words[-2:] == ["auth", "header"] or any(map(_ANYWHERE.fullmatch, words))
