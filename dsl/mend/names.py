"""Reserved words where a name is wanted, and fields that are bound with `=`."""

from __future__ import annotations

from dsl.diagnostics import Diagnostic, Edit, Fix
from dsl.mend.mended import Mended
from dsl.situation import Situation, said
from dsl.source import Span
from dsl.tokens import RESERVED_KINDS, SOFT_KINDS, Token


def reserved_name(place: Situation) -> Mended | None:
    """`let if = 1`, `x.in`: a reserved word where a name is wanted."""
    token = place.token
    if token.kind not in RESERVED_KINDS or "NAME" not in place.allowed or place.ahead(("NAME",), 1) < 2:
        return None
    quotable = "STRING" in place.allowed and place.previous.kind in ("DOT", "QDOT", "LBRACE", "COMMA", "KEY", "TOOL")
    return Mended(reserved_word(token, place.span(token), quotable), (name_of(token, quotable),), 1)


def reserved_word(token: Token, span: Span, quotable: bool) -> Diagnostic:
    message = f"`{token.text}` is a word of the language, so it cannot be a name."
    if not quotable:
        return Diagnostic(code="E0119", message=message, span=span, helps=("Choose another name.",))
    quoted = f'"{token.text}"'
    return Diagnostic(
        code="E0119",
        message=message,
        span=span,
        helps=(f"As a field, an argument or a tool it is quoted: `{quoted}`.",),
        fixes=(Fix(f"Write `{quoted}`", (Edit(span, quoted),)),),
    )


def name_of(token: Token, quotable: bool) -> Token:
    if quotable:
        return Token("STRING", f'"{token.text}"', token.start, token.end)
    return Token("NAME", token.text, token.start, token.end)


def equal_for_colon(place: Situation) -> Mended | None:
    """`f(a = 1)`, `{ a = 1 }`."""
    token = place.token
    if token.kind != "EQUAL" or "COLON" not in place.allowed or place.ahead(("COLON",), 1) < 2:
        return None
    name = place.previous.text
    span = Span(place.source, place.previous.end, token.end)
    diagnostic = Diagnostic(
        code="E0112",
        message=f"What belongs to {said(place.previous)} follows a colon.",
        span=place.span(token),
        helps=(f"Write `{name}: …`.",),
        fixes=(Fix("Write `:`", (Edit(span, ":"),)),),
    )
    return Mended(diagnostic, (Token("COLON", ":", token.start, token.end),), 1)


def shorthand_field(place: Situation) -> Mended | None:
    """`{ a, b }` for `{ a: a, b: b }`."""
    token, name = place.token, place.previous
    if token.kind not in ("COMMA", "RBRACE") or not place.fits("COLON", "BAD_EXPR") or "PLUS" in place.allowed:
        return None
    span = place.span(name)
    ours = f"{name.text}: {name.text}"
    diagnostic = Diagnostic(
        code="E0112",
        message="A field is written `name: value`.",
        span=span,
        helps=(f"Write `{ours}`.",) if name.kind != "STRING" else (),
        fixes=(Fix(f"Write `{ours}`", (Edit(span, ours),)),) if name.kind != "STRING" else (),
    )
    put = (Token("COLON", "", name.end, name.end), Token("BAD_EXPR", "", name.end, name.end))
    return Mended(diagnostic, put, 0)


def name_with_dashes(place: Situation) -> Mended | None:
    """`g.find-ticket(…)`, `(X-Request-Id: …)`, `{ a-b: … }`: names that are no words are quoted."""
    token = place.token
    if token.kind == "COLON" and "PLUS" in place.allowed:
        first, last = _dashed(place, place.at - 1), place.at - 1
        if place.tokens[first - 1].kind not in ("LPAR", "COMMA"):
            return None
    elif token.kind == "MINUS" and {"LPAR", "COLON"} & place.allowed and "PLUS" not in place.allowed:
        first = last = place.at - 1
        while _joined(place, last + 1) and _joined(place, last + 2):
            last += 2
    else:
        return None
    if first >= last or place.tokens[first].kind != "NAME":
        return None
    span = place.span(place.tokens[first], place.tokens[last])
    quoted = f'"{span.text}"'
    diagnostic = Diagnostic(
        code="E0119",
        message=f"`{span.text}` is no word, so it is quoted where it is a name.",
        span=span,
        helps=(f"Write `{quoted}`.",),
        fixes=(Fix(f"Write `{quoted}`", (Edit(span, quoted),)),),
    )
    if token.kind == "COLON":
        return Mended(diagnostic, (Token("COMMA", "", token.start, token.end),), 1)
    return Mended(diagnostic, (), last - place.at + 1)


def _dashed(place: Situation, at: int) -> int:
    """Where the names and dashes begin that end at a token without a blank between them."""
    while at > 1 and place.tokens[at - 1].kind == "MINUS" and _joined(place, at) and _joined(place, at - 1):
        at -= 2
    return at


def _joined(place: Situation, at: int) -> bool:
    """Whether a dash, or a name or number, follows the token before it without a blank."""
    token, before = place.tokens[at], place.tokens[at - 1]
    return before.end == token.start and token.kind in ("MINUS", "NAME", "INT", *RESERVED_KINDS, *SOFT_KINDS)
