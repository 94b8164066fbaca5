"""What a mend gives."""

from __future__ import annotations

from typing import NamedTuple

from dsl.diagnostics import Diagnostic
from dsl.tokens import Token


class Mended(NamedTuple):
    """`tokens` stand in for the next `skip` tokens; `diagnostic` is None where nothing is wrong."""

    diagnostic: Diagnostic | None
    tokens: tuple[Token, ...]
    skip: int
