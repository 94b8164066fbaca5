"""Text → tokens. Comments and `///` texts are kept beside the tokens; foreign signs are reported and mended."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from dsl.diagnostics import Diagnostic
from dsl.foreign import TURNS, Foreign, invisible, read_foreign, read_number
from dsl.source import Source, Span
from dsl.tokens import END, SIGNS, WORDS, Token
from dsl.tree import Comment

# One match is one token with the blanks before it. A text without `${` is one token; `OPEN` starts every other text.
_CODE: Final = re.compile(
    r"""[ \t\r\n]*+(?:
    (?P<NAME>[A-Za-z_][A-Za-z0-9_]*+)
  | (?P<SIGN>[(),:\[\]}]|\{(?!\{)|\.(?!\.)|=(?![=>])|\?(?![?.\[]))
  | (?P<STRING>"(?!"")(?:[^"\\$\n]++|\\[^\n]|\$(?!\{))*+"|\"""(?:[^"\\$]++|\\.|\$(?!\{)|"(?!""))*+\""")
  | (?P<OPEN>\"""|")
  | (?P<DURATION>\d++(?:ms|s|m|h|d)(?!\w))
  | (?P<SIZE>\d++(?:B|KB|MB|GB)(?!\w))
  | (?P<FLOAT>\d++\.\d++(?:[eE][+-]?\d++)?(?!\w))
  | (?P<INT>\d++(?!\w|\.\d))
  | (?P<ODD_NUMBER>\d(?:\w|\.\d)*+)
  | (?P<COMMENT>//[^\n]*+)
  | (?P<FOREIGN>===|!==|&&|\|\||;|\#[^\n]*+|'(?:[^'\\\n]|\\[^\n])*+'
      |\\"(?:[^"\\$\n]|\\[^"\n]|\$(?!\{))*+\\"
      |```[^`\n]*+|`[^`\n]*+`|\$?\{\{[^{}\n]*+\}\}|\$\{[^{}\n]*+\}
      |/\*(?:[^*]++|\*(?!/))*+\*/
      |[\u201c\u201e\u00ab\u2018][^\u201c\u201d\u201e\u00ab\u00bb\u2018\u2019\n]*+[\u201d\u201c\u00bb\u2019])
  | (?P<LONG_SIGN>\.\.\.|->|\?\?|\?\.|\?\[|=>|==|!=|<=|>=|[{|!.<>+*/%-])
  | (?P<BAD>[^\W\x00-\x7f]\w*+|@[A-Za-z_]\w*+|[^\x00-\x7f]++|.)
  | (?P<END>\Z)
    )""",
    re.X | re.S,
)
_LINE_TEXT: Final = re.compile(r'(?:[^"\\$\n]++|\\[^\n]|\$(?!\{)|\$\{\{[^{}\n"]*+\}\})*+')
_BLOCK_TEXT: Final = re.compile(r'(?:[^"\\$]++|\\.|\$(?!\{)|"(?!"")|\$\{\{[^{}\n"]*+\}\})*+', re.S)
_NAIVE_TEXT: Final = re.compile(r'"(?:[^"\\\n]|\\[^\n])*+"')
_LINE_TAIL: Final = re.compile(r"[\s)\]},{]*\Z")
_BEFORE_TEXT: Final = re.compile(r"(^|[-=:(\[{,+])\s*\Z|^\s*\w+\s+\Z")
_DIGITS: Final = re.compile(r"//\s*\d[\d.]*[\s)\],}]*\Z")
_ENDS_VALUE: Final = frozenset(("NAME", "INT", "FLOAT", "RPAR", "RSQB", "BANG"))
_new_token: Final = tuple.__new__
"""What `Token(…)` calls, without the call in between: a sixth of the lexer's time."""


@dataclass(slots=True)
class Lexed:
    """`tokens` end with one `$END`. `docs` are the `///` lines that stand before the token at an offset.

    `open_end` is set where a block of text is never closed, so that the end of the file says nothing new.
    """

    tokens: list[Token] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    docs: dict[int, list[Token]] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    open_end: bool = False


@dataclass(slots=True)
class _OpenText:
    """A text with interpolation that is being read: where it starts, its first token, its open `${` and braces."""

    start: int
    first_token: int
    block: bool
    interp: int = -1
    braces: int = 0


def lex(source: Source) -> Lexed:
    """All tokens of a source. Never raises; mistakes are in `Lexed.diagnostics`."""
    return _Lexer(source).run()


class _Lexer:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.out = Lexed()
        self.open: list[_OpenText] = []
        self.pending_docs: list[Token] = []
        self.broken_at = -1

    def run(self) -> Lexed:
        text, open_texts = self.text, self.open
        tokens = self.out.tokens
        add, match, new = tokens.append, _CODE.match, _new_token
        at = 1 if text.startswith("\ufeff") else 0
        while True:
            found = match(text, at)
            assert found is not None  # END or BAD match everywhere
            group = found.lastgroup
            assert group is not None
            start, end = found.span(group)
            if open_texts and "\n" in text[at:start] and (broken := self.broken_line(at)) >= 0:
                at = broken
                continue
            word = text[start:end]
            if self.pending_docs and group != "COMMENT":
                self.out.docs[start] = self.pending_docs
                self.pending_docs = []
            at = end
            if group == "NAME":
                add(new(Token, (WORDS.get(word, "NAME"), word, start, end)))
            elif group == "SIGN" or group == "LONG_SIGN":
                if open_texts and word in "{}":
                    if word == "{":
                        open_texts[-1].braces += 1
                    elif open_texts[-1].braces:
                        open_texts[-1].braces -= 1
                    else:
                        add(Token("INTERP_END", word, start, end))
                        at = self.text_part(end)
                        continue
                add(new(Token, (SIGNS[word], word, start, end)))
            elif group == "COMMENT":
                self.comment(word, start, end)
            elif group == "OPEN":
                open_texts.append(_OpenText(start, len(tokens), word != '"'))
                add(Token("TEXT_OPEN", word, start, end))
                at = self.text_part(end)
            elif group == "END":
                if open_texts:
                    at = self.broken_end()
                    continue
                add(Token(END, "", start, start))
                return self.out
            elif group == "ODD_NUMBER":
                self.foreign(read_number(Span(self.source, start, end)))
            elif group == "FOREIGN" or group == "BAD":
                if word[0] == "#":
                    self.out.comments.append(Comment(start, end, word))
                self.foreign(read_foreign(Span(self.source, start, end)))
            else:
                add(new(Token, (group, word, start, end)))

    def foreign(self, read: Foreign) -> None:
        tokens, found = self.out.tokens, read.tokens
        self.out.diagnostics.append(read.diagnostic)
        if read.is_name and found:
            if tokens and tokens[-1].end == found[0].start and (tokens[-1].kind == "NAME" or tokens[-1].text in WORDS):
                before = tokens.pop()  # the rest of a name: `caf` of `café`
                found = (Token("NAME", before.text + found[0].text, before.start, found[0].end),)
            elif found[0].text[0] == "@" and (not tokens or "\n" in self.text[tokens[-1].end : found[0].start]):
                return  # what stands on its own in other languages
        tokens.extend(found)

    def comment(self, word: str, start: int, end: int) -> None:
        """`///` waits for the token it describes; `//` and `////` are kept for the formatter."""
        word = word.rstrip()
        end = start + len(word)
        tokens = self.out.tokens
        if not word.isascii() and (turn := TURNS.search(word)):
            span = Span(self.source, start + turn.start(), start + turn.end())
            self.out.diagnostics.append(invisible(span, "comment"))
        own_line = not tokens or "\n" in self.text[tokens[-1].end : start]
        if word.startswith("///") and not word.startswith("////"):
            if own_line:
                self.pending_docs.append(Token("DOC", word, start, end))
                return
            self.report(
                "E0117",
                "A `///` line describes the declaration below it, so it needs a line of its own.",
                start,
                end,
                "Put it above the declaration, or write `//` for a comment.",
            )
        elif not own_line and _DIGITS.match(word) and tokens[-1].kind in _ENDS_VALUE:
            self.report(
                "W0009",
                f"`//` starts a comment, so `{word[2:].strip()}` is not read.",
                start,
                end,
                "To divide and round down write `div(a, b)`.",
            )
        self.out.comments.append(Comment(start, end, word))

    def text_part(self, at: int) -> int:
        """Read plain text from `at` to the next `${`, the end of the text, or the place where it breaks."""
        current = self.open[-1]
        found = (_BLOCK_TEXT if current.block else _LINE_TEXT).match(self.text, at)
        assert found is not None  # both match the empty text
        end = found.end()
        add = self.out.tokens.append
        if end > at:
            add(Token("TEXT_PART", self.text[at:end], at, end))
        if self.text.startswith("${", end):
            add(Token("INTERP", "${", end, end + 2))
            current.interp, current.braces = end, 0
            return end + 2
        closing = '"""' if current.block else '"'
        if self.text.startswith(closing, end):
            self.open.pop()
            add(Token("TEXT_CLOSE", closing, end, end + len(closing)))
            return end + len(closing)
        current.interp = -1
        if current.block:
            return len(self.text)
        broken = self.broken_line(end)
        return broken if broken >= 0 else len(self.text)

    def broken_line(self, at: int) -> int:
        """A line break within a one-line text: report, put one plain text in its place, say where to go on.

        -1 where only blocks are open, in which line breaks are fine.
        """
        place = next((i for i, text in enumerate(self.open) if not text.block), -1)
        if place < 0:
            return -1
        broken = self.open[place]
        del self.open[place:]
        del self.out.tokens[broken.first_token :]
        start = broken.start
        line_end = self.text.find("\n", start)
        line_end = len(self.text) if line_end < 0 else line_end
        naive = _NAIVE_TEXT.match(self.text, start, line_end)
        again = self.broken_at == line_end
        self.broken_at = line_end
        inside = naive is not None and 0 <= broken.interp < naive.end()
        if naive and inside and not again and self.text.count('"', naive.end(), line_end) % 2 == 0:
            end = naive.end()
            self.report(
                "E0008",
                "This `${` is still open at the end of the text.",
                broken.interp,
                end - 1,
                "Close it with `}`, or write `\\${` for the signs themselves.",
            )
            raw = self.text[start + 1 : end - 1]
        else:
            tail = _LINE_TAIL.search(self.text, start + 1, line_end)
            end = tail.start() if tail else line_end
            if end == line_end:
                end = self.over_lines(line_end)
            self.report(
                "E0001",
                "This text is still open at the end of the line.",
                start,
                min(end, line_end),
                'Close it with `"`, or use `"""` for several lines.',
            )
            raw = self.text[start + 1 : end if end <= line_end else end - 1]
        self.out.tokens.append(Token("STRING", f'"{_harmless(raw)}"', start, end))
        return end

    def over_lines(self, line_end: int) -> int:
        """Where a one-line text that goes on over the next lines ends; `line_end` if it seems not to."""
        at = line_end
        for _ in range(20):
            stop = self.text.find("\n", at + 1)
            stop = len(self.text) if stop < 0 else stop
            quotes = self.text.count('"', at, stop)
            if quotes % 2:
                quote = self.text.index('"', at)
                return line_end if _BEFORE_TEXT.search(self.text[at:quote]) else quote + 1
            if quotes or stop == len(self.text):
                return line_end
            at = stop
        return line_end

    def broken_end(self) -> int:
        """The file ends within a text."""
        broken = self.broken_line(len(self.text))
        if broken >= 0:
            return broken
        block = self.open[0]
        self.open.clear()
        del self.out.tokens[block.first_token :]
        self.report(
            "E0001",
            "This text is still open at the end of the file.",
            block.start,
            block.start + 3,
            'Close it with `"""`.',
        )
        self.out.tokens.append(Token("STRING", '""', block.start, len(self.text)))
        self.out.open_end = True
        return len(self.text)

    def report(self, code: str, message: str, start: int, end: int, *helps: str) -> None:
        span = Span(self.source, start, end)
        self.out.diagnostics.append(Diagnostic(code=code, message=message, span=span, helps=helps))


def _harmless(raw: str) -> str:
    """The rest of a broken text without anything that would be reported again."""
    return raw.replace("\\", "").replace("{{", "{").replace("\n", " ")
