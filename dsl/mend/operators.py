"""Operators as other languages write them."""

from __future__ import annotations

from typing import Final

from dsl.automaton import advance
from dsl.diagnostics import Diagnostic, Edit, Fix
from dsl.mend.mended import Mended
from dsl.situation import Situation
from dsl.source import Span
from dsl.tokens import BRACKETS, COMPARISONS, END, SOFT_KINDS, SPELLING, Token


def split_greater_equal(place: Situation) -> Mended | None:
    """`list<string>= x`: two signs without a blank between them."""
    token = place.token
    if token.kind == "GE" and place.fits("GT", "EQUAL"):
        middle = token.start + 1
        return Mended(None, (Token("GT", ">", token.start, middle), Token("EQUAL", "=", middle, token.end)), 1)
    return None


def chained_comparison(place: Situation) -> Mended | None:
    """`a < b < c`."""
    token = place.token
    if token.kind not in COMPARISONS and token.kind != "IN":
        return None
    if place.entered() == "BAD_EXPR" or not place.fits("AND", "NAME"):
        return None
    helps = ("Write both: `a < b and b < c`.",)
    message = f"Comparisons are not chained, so `{token.text}` cannot follow here."
    diagnostic = Diagnostic(code="E0121", message=message, span=place.span(token), helps=helps)
    return Mended(diagnostic, (Token("AND", "", token.start, token.end),), 1)


def foreign_arrow(place: Situation) -> Mended | None:
    """`x => …` anywhere but in a call."""
    token = place.token
    if token.kind != "ARROW" or not place.fits("OR", "NAME"):
        return None
    diagnostic = Diagnostic(
        code="E0110",
        message=f"`{place.previous.text} {token.text} …` is not written so here.",
        span=place.span(place.previous, token),
        helps=("There are no functions to write; for lists there are comprehensions: `[x.title for x in issues]`.",),
    )
    return Mended(diagnostic, (Token("OR", "", token.start, token.end),), 1)


def foreign_union(place: Situation) -> Mended | None:
    """`string or integer` for a type."""
    token = place.token
    if token.kind not in ("OR", "SLASH") or "VBAR" not in place.allowed:
        return None
    span = place.span(token)
    diagnostic = Diagnostic(
        code="E0110",
        message=f"`A {token.text} B` is not written so here.",
        span=span,
        helps=("A type that is one of several is written `A | B`.",),
        fixes=(Fix("Write `|`", (Edit(span, "|"),)),),
    )
    return Mended(diagnostic, (Token("VBAR", "|", token.start, token.end),), 1)


def foreign_not(place: Situation) -> Mended | None:
    """`!x`."""
    token = place.token
    if token.kind != "BANG" or "BAD_EXPR" not in place.allowed:
        return None
    span = place.span(token)
    diagnostic = Diagnostic(
        code="E0005",
        message="`!` is written `not` here.",
        span=span,
        helps=("Write `not`. Behind a value `!` says that it must be there.",),
        fixes=(Fix("Write `not`", (Edit(span, "not "),)),) if "NOT" in place.allowed else (),
    )
    put = (Token("NOT", "not", token.start, token.end),) if "NOT" in place.allowed else ()
    return Mended(diagnostic, put, 1)


def foreign_choice(place: Situation) -> Mended | None:
    """`a ? b : c`; read as `a or b or c`, which takes up the same parts."""
    token = place.token
    if token.kind == "COLON" and place.entered() and _choice_open(place) and place.fits("OR", "NAME"):
        return Mended(None, (Token("OR", "", token.start, token.end),), 1)
    if token.kind not in ("QMARK", "QLSQB") or not place.fits("OR", "NAME"):
        return None
    colon, last = _choice_parts(place)
    if colon is None:
        return None
    start = _start_of(place, "OR")
    text = place.source.text
    whole = Span(place.source, start, last.end)
    condition = text[start : place.previous.end]
    then, otherwise = text[token.start + 1 : colon.start].strip(), text[colon.end : last.end].strip()
    ours = f"if {condition} then {then} else {otherwise}"
    diagnostic = Diagnostic(
        code="E0110",
        message="`a ? b : c` is not written so here.",
        span=whole,
        helps=(f"Write `{ours}`." if len(ours) < 80 else "Write `if a then b else c`.",),
        fixes=(Fix("Write `if … then … else …`", (Edit(whole, ours),)),),
    )
    put: tuple[Token, ...] = (Token("OR", "", token.start, token.start + 1),)
    if token.kind == "QLSQB":
        put = (*put, Token("LSQB", "[", token.start + 1, token.end))
    return Mended(diagnostic, put, 1)


def _choice_open(place: Situation) -> bool:
    """Whether a `?` that became an `or` is waiting for its `:`."""

    def was_choice(value: object) -> bool:
        return (
            isinstance(value, Token) and value.kind == "OR" and place.source.text[value.start : value.start + 1] == "?"
        )

    return any(map(was_choice, place.values)) or (place.previous.kind != "OR" and any(map(was_choice, _line(place))))


def _line(place: Situation) -> list[Token]:
    """The tokens before this one, back to a sign that ends every choice."""
    found: list[Token] = []
    for at in range(place.at - 1, max(place.at - 60, -1), -1):
        token = place.tokens[at]
        if token.kind in ("LBRACE", "COMMA", "EQUAL", "COLON"):
            break
        found.append(token)
    return found


def _choice_parts(place: Situation) -> tuple[Token | None, Token]:
    """The `:` that belongs to this `?`, and the last token of what follows it."""
    depth, colon, last = (1 if place.token.kind == "QLSQB" else 0), None, place.token
    for at in range(place.at + 1, len(place.tokens)):
        token = place.tokens[at]
        if token.kind in ("LPAR", "LSQB", "LBRACE", "QLSQB"):
            depth += 1
        elif token.kind in ("RPAR", "RSQB", "RBRACE", "INTERP_END"):
            if not depth:
                break
            depth -= 1
        elif not depth and (token.kind in ("COMMA", END) or (token.kind in SOFT_KINDS and place.first_on_line(at))):
            break
        elif not depth and token.kind == "COLON" and colon is None:
            colon = token
        last = token
    return (colon if last is not colon else None), last


def _start_of(place: Situation, kind: str) -> int:
    """Where the expression starts that a token of this kind would follow."""
    trial = list(place.states)
    advance(place.grammar, trial, kind)
    start: int = place.values[len(trial) - 3].start
    return start


_WORDS: Final = {"is": "EQ", "equals": "EQ", "eq": "EQ", "ne": "NE", "gt": "GT", "lt": "LT"}


def foreign_comparison(place: Situation) -> Mended | None:
    """`a = b` and `a is b` where two values are compared."""
    token = place.token
    if "EQ" not in place.allowed or "COLON" in place.allowed or place.first_on_line(place.at):
        return None
    last, kind = token, _WORDS.get(token.text, "EQ")
    if token.text == "is" and place.next.kind == "NOT":
        last, kind = place.next, "NE"
    elif token.kind != "EQUAL" and token.text not in _WORDS:
        return None
    skip = 1 if last is token else 2
    if place.ahead((kind,), skip) < 2:
        return None
    span, sign = place.span(token, last), SPELLING[kind]
    diagnostic = Diagnostic(
        code="E0005",
        message=f"`{span.text}` is written `{sign}` here.",
        span=span,
        helps=(f"Write `{sign}`.",),
        fixes=(Fix(f"Write `{sign}`", (Edit(span, sign),)),),
    )
    return Mended(diagnostic, (Token(kind, sign, span.start, span.end),), skip)


def foreign_join(place: Situation) -> Mended | None:
    """`a ++ b` for texts."""
    token, before = place.token, place.previous
    if token.kind != "PLUS" or before.kind != "PLUS" or before.end != token.start or place.at < 2:
        return None
    left, right = place.tokens[place.at - 2], place.next
    ours = "${a}${b}"
    if left.kind == "STRING" and right.kind == "NAME":
        ours = f"{left.text[1:-1]}${{{right.text}}}"
    elif left.kind == "NAME" and right.kind == "STRING":
        ours = f"${{{left.text}}}{right.text[1:-1]}"
    diagnostic = Diagnostic(
        code="E0110",
        message="Texts are not joined with `++` here.",
        span=place.span(before, token),
        helps=(f'Write one text: `"{ours}"`. Lists are joined so: `[...a, ...b]`.',),
    )
    return Mended(diagnostic, (), 1)


def map_without_brackets(place: Situation) -> Mended | None:
    """`{k: v for k in xs}` for `{ [k]: v for k in xs }`."""
    opener, token = place.opener("RBRACE"), place.token
    if token.kind != "FOR" or opener is None or not place.fits("COMMA", "NAME", "COLON"):
        return None
    first = next(at for at in range(len(place.tokens)) if place.tokens[at] is opener) + 1
    key, colon = place.tokens[first], place.tokens[first + 1]
    last = _end_around(place)
    if key.kind != "NAME" or colon.kind != "COLON" or last is None:
        return None
    span = place.span(opener, place.tokens[last])
    text = place.source.text
    ours = f"{{ [{key.text}]: {text[colon.end : place.tokens[last].start].strip()} }}"
    diagnostic = Diagnostic(
        code="E0110",
        message="A key that is worked out stands in square brackets.",
        span=place.span(key),
        helps=(f"Write `{ours}`." if len(ours) < 80 else "Write `{ [KEY]: VALUE for x in LIST }`.",),
        fixes=(Fix(f"Write `{ours}`", (Edit(span, ours),)),),
    )
    return Mended(diagnostic, (), last - place.at)


def loop_before_value(place: Situation) -> Mended | None:
    """`[for x in xs: x.y]` for `[x.y for x in xs]`."""
    token, opener = place.token, place.previous
    if token.kind != "FOR" or opener.kind != "LSQB" or "BAD_EXPR" not in place.allowed:
        return None
    last = _end_around(place)
    if last is None:
        return None
    inside = place.tokens[place.at : last]
    colon = next((each for each in inside if each.kind == "COLON"), None)
    text = place.source.text
    ours = "[VALUE for x in LIST]"
    if colon is not None:
        ours = f"[{text[colon.end : place.tokens[last].start].strip()} {text[token.start : colon.start].strip()}]"
    span = place.span(opener, place.tokens[last])
    diagnostic = Diagnostic(
        code="E0110",
        message="What a comprehension gives stands before its `for`.",
        span=place.span(token),
        helps=(f"Write `{ours}`." if len(ours) < 80 else "Write `[VALUE for x in LIST]`.",),
        fixes=(Fix(f"Write `{ours}`", (Edit(span, ours),)),) if colon is not None else (),
    )
    return Mended(diagnostic, (Token("BAD_EXPR", "", token.start, place.tokens[last].start),), last - place.at)


def _end_around(place: Situation) -> int | None:
    """The bracket that closes around this place; None where there is none."""
    depth = 0
    for at in range(place.at, len(place.tokens)):
        kind = place.tokens[at].kind
        if kind in BRACKETS:
            depth += 1
        elif kind in BRACKETS.values():
            if not depth:
                return at
            depth -= 1
    return None
