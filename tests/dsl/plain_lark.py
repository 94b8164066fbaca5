"""The grammar as lark alone would read it: a yardstick for our own lexer, parser and tree."""

from collections.abc import Iterator
from typing import Any

from lark import Lark, Token
from lark.lexer import Lexer

from dsl.lalr import GRAMMAR
from dsl.lexer import lex
from dsl.source import Source
from dsl.tokens import END, SIGNS, SOFT_KINDS, WORDS

# What the hand-written lexer does, as terminals for lark's contextual one; `"` in a text ends it there.
TERMINALS = r"""
NAME: /[A-Za-z_][A-Za-z0-9_]*/
DURATION.3: /[0-9]+(ms|s|m|h|d)(?![A-Za-z0-9_])/
SIZE.3: /[0-9]+(B|KB|MB|GB)(?![A-Za-z0-9_])/
FLOAT.2: /[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?/
INT.1: /[0-9]+/
STRING.12: /\"\"\"([^"\\$]|\\.|\$(?!\{)|"(?!""))*\"\"\"/s | /"(?!"")([^"\\$\n]|\\.|\$(?!\{))*"/
TEXT_OPEN: "\""
TEXT_CLOSE: "\""
TEXT_PART.11: /([^"\\$\n]|\\.|\$(?!\{))+/
INTERP: "${"
BAD_EXPR: "\x01"
BAD_TYPE: "\x02"
COMMENT.6: /\/\/[^\n]*/
WS: /[ \t\r\n]+/
%ignore WS
%ignore COMMENT
"""


def contextual_grammar() -> str:
    rules = "\n".join(
        line for line in GRAMMAR.read_text(encoding="utf-8").splitlines() if not line.startswith("%declare")
    )
    signs = {kind: sign for sign, kind in SIGNS.items() if sign != "->"}
    words = {kind: word for word, kind in WORDS.items()}
    plain = "\n".join(f'{kind}: "{text}"' for kind, text in {**signs, **words}.items())
    rules = rules.replace("INTERP_END", "RBRACE")  # only the hand-written lexer tells them apart
    return f"{rules}\n{plain}\n{TERMINALS}"


def contextual_lark() -> Lark:
    """lark with its own contextual lexer. It reads blocks of text only where nothing is interpolated."""
    return Lark(contextual_grammar(), parser="lalr", lexer="contextual", strict=True, maybe_placeholders=True)


def lark_behind_our_lexer() -> Lark:
    """lark's parser and trees over the tokens of `dsl.lexer`; a word is a name where the state takes no such word."""
    return Lark(
        GRAMMAR.read_text(encoding="utf-8"), parser="lalr", lexer=_OurLexer, strict=True, maybe_placeholders=True
    )


class _OurLexer(Lexer):
    __future_interface__ = 2

    def __init__(self, lexer_conf: object) -> None:
        pass

    def lex(self, lexer_state: Any, parser_state: Any) -> Iterator[Token]:
        states = parser_state.parse_conf.states
        for kind, word, start, end in lex(Source("", lexer_state.text.text)).tokens:
            if kind in SOFT_KINDS and kind not in states[parser_state.position]:
                kind = "NAME"
            if kind != END:
                yield Token(kind, word, start_pos=start, end_pos=end)
