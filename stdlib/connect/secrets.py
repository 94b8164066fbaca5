"""Secrets from the environment: they go to the tools that need them, and no message repeats them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from ..plan.plan import Command, Http, Stdio
from ..runtime.fault import RunFault

MASK: Final = "***"
SHORTEST: Final = 4
"""A shorter text is no secret, and replacing it would garble every message."""

_NAMES_SECRET: Final = re.compile(
    r"token|secret|passw|passphrase|pwd|key|credential|auth|(?:^|_)pat(?:_|$)", re.IGNORECASE
)
_IN_URL: Final = re.compile(r"://[^\s/:@]*:([^\s/@]+)@")


class Secrets:
    """What must not be told."""

    def __init__(self) -> None:
        self._texts: set[str] = set()

    def add(self, *texts: str) -> None:
        self._texts.update(text for text in texts if len(text) >= SHORTEST)

    def masked(self, text: str) -> str:
        """The text with every secret in it replaced; longer ones first, because one may hold another."""
        for secret in sorted(self._texts, key=len, reverse=True):
            text = text.replace(secret, MASK)
        return text

    def unsaid(self, problem: RunFault) -> RunFault:
        """The same fault, its message masked."""
        return RunFault(replace(problem.fault, message=self.masked(problem.fault.message)))


def secrets_of(transport: object, environ: Mapping[str, str] = os.environ) -> Secrets:
    """What a program or server is given: headers that come from variables, variables whose name says that they are
    secret, and passwords in URLs. Other variables are settings: to mask `main` or `true` would garble messages."""
    secrets = Secrets()
    if isinstance(transport, Http):
        for value in transport.headers.values():
            found = environ.get(value.removeprefix("env:"), "") if value.startswith("env:") else ""
            secrets.add(found, found.rpartition(" ")[2])
    elif isinstance(transport, Stdio | Command):
        for name in transport.env:
            found = environ.get(name, "")
            if _NAMES_SECRET.search(name):
                secrets.add(found, found.strip())
            secrets.add(*_IN_URL.findall(found))
    return secrets
