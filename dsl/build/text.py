"""Texts."""

from __future__ import annotations

from dsl.build.state import State
from dsl.text import cook, cook_block
from dsl.tokens import Token
from dsl.tree import Expr, Name, Node, Text


class TextRules(State):
    def plain_text(self, word: Token) -> Text:
        raw = word.text
        if raw.startswith('"""'):
            value = cook_block(self.source, [(raw[3:-3], word.start + 3)], self.diagnostics.append)[0]
            return Text(word.start, word.end, (value,) if value else (), True)
        value = cook(self.source, raw[1:-1], word.start + 1, self.diagnostics.append)
        return Text(word.start, word.end, (value,) if value else ())

    def interpolation(self, _open: Token, value: Expr, _close: Token) -> Expr:
        return value

    def mixed_text(self, opening: Token, pieces: list[Token | Expr], closing: Token) -> Text:
        block = opening.text == '"""'
        raw = [(piece.text, piece.start) if isinstance(piece, Token) else None for piece in pieces]
        report = self.diagnostics.append
        if block:
            # Between two expressions, and at both ends, there is a text, if only an empty one.
            texts = iter(cook_block(self.source, raw, report))
            parts: list[str | Expr] = [next(texts)]
            for piece in pieces:
                if not isinstance(piece, Token):
                    parts += [piece, next(texts)]
        else:
            parts = [
                cook(self.source, piece.text, piece.start, report) if isinstance(piece, Token) else piece
                for piece in pieces
            ]
        return Text(opening.start, closing.end, tuple(part for part in parts if part != ""), block)

    def quoted_name(self, word: Token) -> Name:
        text = self.plain_text(word).plain or ""
        if word.text.startswith('"""'):
            self.report("E0112", "A quoted name stands in one pair of quotes.", word, fix=f'"{word.text[3:-3]}"')
        return Name(word.start, word.end, text, True)

    def fixed(self, text: Text, what: str) -> Text:
        """A text that is known before any run: nothing may be put in."""
        hole = next((part for part in text.parts if isinstance(part, Node)), None)
        if hole is not None:
            self.report("E0116", f"{what} is fixed text, so nothing can be put in with `${{…}}`.", hole)
        return text
