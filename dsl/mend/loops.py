"""Comprehensions as other languages write them."""

from __future__ import annotations

from dsl.diagnostics import Diagnostic, Edit, Fix
from dsl.mend.mended import Mended
from dsl.situation import Situation
from dsl.source import Span
from dsl.tokens import END, Token


def each_in_comprehension(place: Situation) -> Mended | None:
    """`[x for each x in xs]`."""
    token, word = place.token, place.previous
    if word.text != "each" or token.kind != "NAME" or place.tokens[place.at - 2].kind != "FOR":
        return None
    if "IN" not in place.allowed or place.next.kind != "IN":
        return None
    span = Span(place.source, word.start, token.start)
    diagnostic = Diagnostic(
        code="E0105",
        message="Only a step says `for each`; in a comprehension it is `for` alone.",
        span=place.span(word),
        helps=("Drop `each`.",),
        fixes=(Fix("Drop `each`", (Edit(span, ""),)),),
    )
    return Mended(diagnostic, (), 1)


def two_names(place: Situation) -> Mended | None:
    """`for k, v in m`."""
    token = place.token
    if token.kind != "COMMA" or place.allowed != {"IN"}:
        return None
    first, second, after = place.previous, place.next, place.tokens[min(place.at + 2, len(place.tokens) - 1)]
    if second.kind != "NAME" or after.kind != "IN":
        return None
    diagnostic = Diagnostic(
        code="E0105",
        message="A loop has one name.",
        span=place.span(first, second),
        helps=(f"For a map go through its keys: `for {first.text} in keys(MAP)`; the value is `MAP[{first.text}]`.",),
    )
    return Mended(diagnostic, (), 2)


def number_behind_dot(place: Situation) -> Mended | None:
    """`xs.0`."""
    dot, token = place.previous, place.token
    if dot.kind not in ("DOT", "QDOT") or token.kind not in ("INT", "FLOAT") or dot.end != token.start:
        return None
    first = place.at - 1
    while place.tokens[first].kind in ("DOT", "QDOT") and place.tokens[first - 1].kind == "NAME":
        first -= 2
    base = place.source.text[place.tokens[first + 1].start : dot.start]
    items = "".join(f"[{number}]" for number in token.text.split("."))
    ours = f"?{items}" if dot.kind == "QDOT" else items
    diagnostic = Diagnostic(
        code="E0110",
        message=f"`.{token.text}` is not written so here.",
        span=place.span(dot, token),
        helps=(f"An item of a list is written `{base}{ours}`.",),
        fixes=(Fix(f"Write `{ours}`", (Edit(place.span(dot, token), ours),)),),
    )
    return Mended(diagnostic, (Token("NAME", token.text, token.start, token.end),), 1)


def slice_in_brackets(place: Situation) -> Mended | None:
    """`xs[1:3]`."""
    token = place.token
    opener = place.opener("RSQB") if token.kind == "COLON" and "RSQB" in place.allowed else None
    if opener is None:
        return None
    at = place.tokens.index(opener)
    end = next((n for n in range(place.at, len(place.tokens)) if place.tokens[n].kind in ("RSQB", END)), None)
    begin = at - 1
    while begin > 1 and place.tokens[begin - 1].kind == "DOT" and place.tokens[begin - 2].kind == "NAME":
        begin -= 2
    named = place.tokens[begin].kind == place.tokens[at - 1].kind == "NAME"
    if end is None or not named or "\n" in place.source.text[opener.end : place.tokens[end].end]:
        return None
    text = place.source.text
    whole = place.span(place.tokens[begin], place.tokens[end])
    base = text[place.tokens[begin].start : opener.start]
    first, last = text[opener.end : token.start].strip(), text[token.end : place.tokens[end].start].strip()
    places = "".join(f", {name}: {value}" for name, value in (("from", first), ("to", last)) if value)
    ours = f"slice({base}{places})"
    diagnostic = Diagnostic(
        code="E0110",
        message=f"`{whole.text}` is not written so here.",
        span=whole,
        helps=(f"Write `{ours}`, or `substring(…)` for a text.",),
    )
    return Mended(diagnostic, (), end - place.at)


def foreign_condition(place: Situation) -> Mended | None:
    """`[x for x in xs where x > 1]`."""
    token = place.token
    if token.text not in ("where", "when", "unless") or not place.fits("IF", "NAME") or "RSQB" not in place.allowed:
        return None
    span = place.span(token)
    ours = "if not" if token.text == "unless" else "if"
    diagnostic = Diagnostic(
        code="E0110",
        message=f"`{token.text}` is written `{ours}` here.",
        span=span,
        helps=("Write `[VALUE for x in LIST if CONDITION]`.",),
        fixes=(Fix(f"Write `{ours}`", (Edit(span, ours),)),) if ours == "if" else (),
    )
    return Mended(diagnostic, (Token("IF", "if", token.start, token.end),), 1)


def second_loop(place: Situation) -> Mended | None:
    """`[y for x in xs for y in x]`."""
    token = place.token
    if (
        token.kind != "FOR"
        or "BAD_EXPR" in place.allowed
        or not place.fits("IF", "NAME")
        or place.opener("RSQB") is None
    ):
        return None
    depth, last = 0, place.at
    for at in range(place.at, len(place.tokens)):
        kind = place.tokens[at].kind
        if kind in ("LPAR", "LSQB", "LBRACE", "QLSQB"):
            depth += 1
        elif kind in ("RPAR", "RSQB", "RBRACE"):
            if not depth:
                break
            depth -= 1
        last = at
    if last + 1 >= len(place.tokens) or place.tokens[last + 1].kind != "RSQB":
        return None
    diagnostic = Diagnostic(
        code="E0110",
        message="A comprehension has one `for`.",
        span=place.span(token),
        helps=("Nest them and join the lists: `flatten([[VALUE for y in x] for x in LIST])`.",),
    )
    return Mended(diagnostic, (), last - place.at + 1)


def key_without_brackets(place: Situation) -> Mended | None:
    """`{ x.k: x.v for x in xs }`."""
    token = place.token
    opener = place.opener("RBRACE")
    if token.kind not in ("DOT", "LPAR", "LSQB") or opener is None or place.tokens[place.at - 2] is not opener:
        return None
    if "COLON" not in place.allowed or "PLUS" in place.allowed or place.previous.kind != "NAME":
        return None
    colon = place.at
    while place.tokens[colon].kind in ("DOT", "NAME", "LPAR", "RPAR", "LSQB", "RSQB", "STRING", "INT", "COMMA"):
        colon += 1
    if place.tokens[colon].kind != "COLON":
        return None
    first, last = place.previous, place.tokens[colon - 1]
    span = place.span(first, last)
    ours = f"[{span.text}]"
    diagnostic = Diagnostic(
        code="E0110",
        message="A key that is worked out stands in square brackets.",
        span=span,
        helps=(f"Write `{ours}: …`.",),
        fixes=(Fix(f"Write `{ours}`", (Edit(span, ours),)),),
    )
    end = _loop_end(place, colon)
    if end is None:
        return Mended(diagnostic, (), colon - place.at)
    value = Token("BAD_EXPR", "", place.tokens[colon].end, place.tokens[end - 1].end)
    return Mended(diagnostic, (place.tokens[colon], value), end - place.at)


def _loop_end(place: Situation, colon: int) -> int | None:
    """The bracket that closes around a value with a `for` behind it; None where there is no `for`."""
    depth, loop = 0, False
    for at in range(colon, len(place.tokens)):
        kind = place.tokens[at].kind
        if kind in ("LPAR", "LSQB", "LBRACE", "QLSQB"):
            depth += 1
        elif kind in ("RPAR", "RSQB", "RBRACE"):
            if not depth:
                return at if loop else None
            depth -= 1
        elif not depth and kind == "COMMA":
            return None
        loop = loop or (not depth and kind == "FOR")
    return None


def foreign_function(place: Situation) -> Mended | None:
    """`lambda x: x.y`."""
    token, word = place.token, place.previous
    if word.text != "lambda" or token.kind != "NAME" or place.next.kind != "COLON" or not place.fits("OR", "NAME"):
        return None
    diagnostic = Diagnostic(
        code="E0110",
        message="There are no functions to write.",
        span=place.span(word, token),
        helps=("For lists there are comprehensions: `[x.title for x in issues]`.",),
    )
    return Mended(diagnostic, (Token("OR", "", token.start, token.end),), 2)


def pipe(place: Situation) -> Mended | None:
    """`xs | count`."""
    token, name = place.token, place.next
    if token.kind != "VBAR" or name.kind != "NAME" or not place.fits("OR", "NAME"):
        return None
    before = place.previous.text if place.previous.kind == "NAME" else "…"
    diagnostic = Diagnostic(
        code="E0110",
        message="Values are not piped here.",
        span=place.span(token),
        helps=(f"Call the function: `{name.text}({before})`.",),
    )
    return Mended(diagnostic, (Token("OR", "", token.start, token.end),), 1)
