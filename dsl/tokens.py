"""The vocabulary: words, signs and the shape of a token.

A token's `kind` is a terminal of `grammar.lark`. Words of the language come in two sorts: the twelve reserved
ones are never names; every other one is a word of the language only where the grammar asks for it.
"""

from __future__ import annotations

from typing import NamedTuple


class Token(NamedTuple):
    """A stretch of the text with the terminal it stands for; `text` is '' for one that recovery put in."""

    kind: str
    text: str
    start: int
    end: int


def words(text: str) -> tuple[str, ...]:
    """The words of a text, for long lists of them."""
    return tuple(text.split())


RESERVED = ("and", "as", "else", "false", "for", "if", "in", "not", "null", "or", "then", "true")

SOFT = words(
    """
    adapter after answers any_order approve ask at budget by call chain cost defaults deprecated do each effects
    empty example expect expires fail fails from given groups import input key kind let not_when on output owner
    parallel parse private receipt reconcile require retry return returns run scopes section show skip stages
    stdin step summary takes test timeout title tool type undo use use_when verify version when
    """
)

WORDS: dict[str, str] = {word: word.upper() for word in (*RESERVED, *SOFT)}
"""Word → terminal."""

SOFT_KINDS = frozenset(word.upper() for word in SOFT)
RESERVED_KINDS = frozenset(word.upper() for word in RESERVED)

SIGNS: dict[str, str] = {
    "(": "LPAR",
    ")": "RPAR",
    "{": "LBRACE",
    "}": "RBRACE",
    "[": "LSQB",
    "]": "RSQB",
    ",": "COMMA",
    ":": "COLON",
    ".": "DOT",
    "...": "ELLIPSIS",
    "=": "EQUAL",
    "=>": "ARROW",
    "->": "ARROW",
    "|": "VBAR",
    "?": "QMARK",
    "?.": "QDOT",
    "?[": "QLSQB",
    "??": "QQ",
    "!": "BANG",
    "==": "EQ",
    "!=": "NE",
    "<": "LT",
    "<=": "LE",
    ">": "GT",
    ">=": "GE",
    "+": "PLUS",
    "-": "MINUS",
    "*": "STAR",
    "/": "SLASH",
    "%": "PERCENT",
}
"""Sign → terminal."""

VALUE_KINDS = ("NAME", "INT", "FLOAT", "DURATION", "SIZE", "STRING")
TEXT_KINDS = ("TEXT_OPEN", "TEXT_PART", "INTERP", "INTERP_END", "TEXT_CLOSE")
BAD_KINDS = ("BAD_EXPR", "BAD_TYPE")
"""Never written: recovery puts them where a value or a type could not be read."""

END = "$END"
COMPARISONS = frozenset(("EQ", "NE", "LT", "LE", "GT", "GE"))
CLOSER_OF = {"LPAR": "RPAR", "LSQB": "RSQB", "QLSQB": "RSQB", "LBRACE": "RBRACE", "LT": "GT"}
BRACKETS = {opener: closer for opener, closer in CLOSER_OF.items() if opener != "LT"}
"""Those that are brackets wherever they stand: `<` compares as well."""

SPELLING: dict[str, str] = {kind: sign for sign, kind in SIGNS.items()} | {kind: word for word, kind in WORDS.items()}
SPELLING["ARROW"] = "=>"
"""Terminal → how it is written, for signs and words."""

MILLISECONDS: dict[str, int] = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
"""Unit of a time → milliseconds."""
BYTES: dict[str, int] = {"B": 1, "KB": 1000, "MB": 1_000_000, "GB": 1_000_000_000}
"""Unit of a size → bytes."""
