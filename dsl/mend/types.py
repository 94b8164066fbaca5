"""Types, and inputs of a type, as other languages write them."""

from __future__ import annotations

from typing import Final

from dsl.diagnostics import Diagnostic, Edit, Fix
from dsl.mend.mended import Mended
from dsl.situation import Situation
from dsl.source import Span
from dsl.tokens import Token


def bracket_list(place: Situation) -> Mended | None:
    """`[string]` for `list<string>`, `["a", "b"]` for `"a" | "b"`."""
    token = place.token
    if token.kind != "LSQB" or "BAD_TYPE" not in place.allowed or "BAD_EXPR" in place.allowed:
        return None
    last = place.closer()
    if last is None or place.tokens[last].kind != "RSQB":
        return None
    span = place.span(token, place.tokens[last])
    inside = place.tokens[place.at + 1 : last]
    written = span.text[1:-1].strip()
    texts = inside[:-1] if inside and inside[-1].kind == "COMMA" else inside
    choice = len(texts) > 1 and all(each.kind == ("COMMA" if at % 2 else "STRING") for at, each in enumerate(texts))
    ours = " | ".join(each.text for each in texts[::2]) if choice else f"list<{written or 'string'}>"
    diagnostic = Diagnostic(
        code="E0110",
        message=f"`{span.text}` is not written so here." if len(span.text) < 60 else "A list is not written so here.",
        span=span,
        helps=(
            f"Write `{ours}`."
            if len(ours) < 60
            else 'Put `|` between: `"a" | "b"`.'
            if choice
            else "Write `list<TYPE>`.",
        ),
        fixes=(Fix(f"Write `{ours}`", (Edit(span, ours),)),) if written else (),
    )
    if choice:
        bar = tuple(each._replace(kind="VBAR", text="|") if each.kind == "COMMA" else each for each in texts)
        return Mended(diagnostic, bar, last - place.at + 1)
    start, end = token.start, span.end
    item = inside or [Token("BAD_TYPE", "", token.end, token.end)]
    put = (
        Token("NAME", "list", start, start),
        Token("LT", "<", start, token.end),
        *item,
        Token("GT", ">", end - 1, end),
    )
    return Mended(diagnostic, put, last - place.at + 1)


def null_type(place: Situation) -> Mended | None:
    """`string | null` for `string?`."""
    token = place.token
    if token.kind != "NULL" or "BAD_TYPE" not in place.allowed or "BAD_EXPR" in place.allowed:
        return None
    span, ours = place.span(token), "string?"
    fixes: tuple[Fix, ...] = ()
    if place.previous.kind == "VBAR" and place.at > 1 and place.tokens[place.at - 2].kind == "NAME":
        before = place.tokens[place.at - 2]
        if place.next.kind != "VBAR" and place.tokens[place.at - 3].kind in ("COLON", "LT", "OUTPUT", "EQUAL"):
            span, ours = place.span(before, token), f"{before.text}?"
            fixes = (Fix(f"Write `{ours}`", (Edit(span, ours),)),)
    diagnostic = Diagnostic(
        code="E0110",
        message="What may be null is not written so here.",
        span=span,
        helps=(f"Write `{ours}`." if fixes else "Put a `?` behind the type: `string?`, `(string | integer)?`.",),
        fixes=fixes,
    )
    return Mended(diagnostic, (Token("BAD_TYPE", "", token.start, token.end),), 1)


def optional_input(place: Situation) -> Mended | None:
    """`input a?: string` for `input a: string?`."""
    token, name = place.token, place.previous
    if token.kind != "QMARK" or place.next.kind != "COLON" or "COLON" not in place.allowed:
        return None
    type_ = place.tokens[place.at + 2]
    plain = type_.kind == "NAME" and place.first_on_line(place.at + 3)
    ours = f"{name.text}: {type_.text if plain else 'TYPE'}?"
    behind = Span(place.source, type_.end, type_.end)
    edits = (Edit(place.span(token), ""), Edit(behind, "?"))
    diagnostic = Diagnostic(
        code="E0110",
        message=f"`{name.text}?: …` is not written so here.",
        span=place.span(token),
        helps=(f"Write `{ours}`.",),
        fixes=(Fix(f"Write `{ours}`", edits),) if plain else (),
    )
    return Mended(diagnostic, (), 1)


def default_word(place: Situation) -> Mended | None:
    """`input a: string default "x"` for `input a: string = "x"`."""
    token = place.token
    if token.text not in ("default", "defaults") or "EQUAL" not in place.allowed or place.first_on_line(place.at):
        return None
    if place.ahead(("EQUAL",), 1) < 2:
        return None
    span, value = place.span(token), place.next.text
    diagnostic = Diagnostic(
        code="E0110",
        message="A default follows `=`.",
        span=span,
        helps=(f"Write `= {value}`." if 0 < len(value) < 24 else "Write `= VALUE`.",),
        fixes=(Fix("Write `=`", (Edit(span, "="),)),),
    )
    return Mended(diagnostic, (Token("EQUAL", "=", token.start, token.end),), 1)


_BOUNDS: Final = {"GE": "min", "LE": "max", "GT": "min", "LT": "max"}


def bound_behind_type(place: Situation) -> Mended | None:
    """`input g: integer >= 3`."""
    token, value = place.token, place.next
    if token.kind not in _BOUNDS or place.previous.text not in ("integer", "number") or "VBAR" not in place.allowed:
        return None
    if value.kind not in ("INT", "FLOAT") or "EQUAL" not in place.allowed:
        return None
    diagnostic = Diagnostic(
        code="E0110",
        message="Limits of a value stand in round brackets behind its type.",
        span=place.span(token, value),
        helps=(f"Write `{place.previous.text}({_BOUNDS[token.kind]}: {value.text})`.",)
        if token.kind in ("GE", "LE")
        else (f"Write `{place.previous.text}({_BOUNDS[token.kind]}: …)`; the limit itself is allowed.",),
    )
    return Mended(diagnostic, (), 2)


def comma_between_types(place: Situation) -> Mended | None:
    """`input e: "a", "b"`."""
    token = place.token
    if token.kind != "COMMA" or place.previous.kind != "STRING" or place.next.kind != "STRING":
        return None
    if not place.fits("VBAR", "STRING"):
        return None
    span = place.span(token)
    diagnostic = Diagnostic(
        code="E0110",
        message="Values to choose from are separated by `|`.",
        span=span,
        helps=('Write `"a" | "b"`.',),
        fixes=(Fix("Write `|`", (Edit(span, " |"),)),),
    )
    return Mended(diagnostic, (Token("VBAR", "|", token.start, token.end),), 1)
