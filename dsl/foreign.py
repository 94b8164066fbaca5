"""Signs and numbers that other languages write: what they are here, with the fix."""

from __future__ import annotations

import re
from math import isfinite
from typing import Final, NamedTuple
from unicodedata import category

from dsl.diagnostics import Diagnostic, Edit, Fix
from dsl.source import Span
from dsl.tokens import MILLISECONDS, Token


class Foreign(NamedTuple):
    """The message, and the tokens that stand in so that the rest is read on. `is_name`: one that is meant as a name."""

    diagnostic: Diagnostic
    tokens: tuple[Token, ...] = ()
    is_name: bool = False


_OPERATORS: Final = {"&&": "and", "||": "or", "===": "==", "!==": "!="}
_KINDS: Final = {"&&": "AND", "||": "OR", "===": "EQ", "!==": "NE"}
_TEMPLATE: Final = re.compile(r"\$?\{\{-?\s*(.*?)\s*-?\}\}")
UNITS: Final = {
    **dict.fromkeys(("msec", "msecs", "millis", "milliseconds"), "ms"),
    **dict.fromkeys(("sec", "secs", "second", "seconds", "S"), "s"),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), "m"),
    **dict.fromkeys(("hr", "hrs", "hour", "hours", "H"), "h"),
    **dict.fromkeys(("day", "days", "D"), "d"),
}
MODES: Final = ("text", "json", "jsonl", "lines", "csv", "match")
"""What `parse` reads."""
OTHER_MODES: Final = {
    **dict.fromkeys(("regex", "regexp", "re", "pattern"), "match"),
    **dict.fromkeys(("ndjson", "jsonlines", "json_lines"), "jsonl"),
    **dict.fromkeys(("string", "str", "plain", "raw"), "text"),
    "line": "lines",
}
_SIZES: Final = {"b": "B", "kb": "KB", "k": "KB", "mb": "MB", "gb": "GB", "g": "GB"}
_VALUE_FOLLOWS: Final = re.compile(r"""\s*(?:"[^"\n]*"|\d[\d.]*|\[\])\s*(?:[,)}\]\n]|\Z)""")
TURNS: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Signs that turn the direction of what follows, so that a line reads otherwise than it is (UAX 9)."""
_ODD: Final = re.compile(r"(\d+)(\.\d+)?([A-Za-z]*)\Z")


def read_foreign(span: Span) -> Foreign:
    """A sign that is none of ours."""
    word = span.text
    if word == "||" and _VALUE_FOLLOWS.match(span.source.text, span.end):
        return Foreign(
            Diagnostic(
                code="E0005",
                message="`||` is not written so here.",
                span=span,
                helps=("A value for what may be absent follows `??`; between conditions write `or`.",),
            ),
            _token("QQ", "??", span),
        )
    if word in _OPERATORS:
        ours = _OPERATORS[word]
        return Foreign(
            _replaced("E0005", f"`{word}` is written `{ours}` here.", span, ours), _token(_KINDS[word], ours, span)
        )
    if word.startswith("```"):
        return Foreign(_replaced("E0002", "A fence around code is not part of a file.", span, "", "Remove this line."))
    if word == ";":
        return Foreign(_replaced("E0006", "There is no `;` in chains.", span, "", "Remove it."))
    if word[0] == "#":
        return Foreign(
            Diagnostic(
                code="E0003",
                message="`#` does not start a comment here.",
                span=span,
                helps=("Comments start with `//`.",),
                fixes=(Fix("Write `//`", (Edit(Span(span.source, span.start, span.start + 1), "//"),)),),
            )
        )
    if word.startswith("/*"):
        return Foreign(
            Diagnostic(
                code="E0003",
                message="`/*` does not start a comment here.",
                span=Span(span.source, span.start, span.start + 2),
                helps=("Comments start with `//` and end with the line.",),
            )
        )
    if word.startswith("${") and not word.startswith("${{"):
        inner = word[2:-1].strip()
        return Foreign(
            _replaced("E0007", "Outside of texts `${…}` is not needed.", span, inner), _token("BAD_EXPR", "", span)
        )
    if len(word) > 1 and word[0] in "'`\u201c\u201e\u00ab\u2018":
        return _other_quotes(span)
    if word.startswith('\\"'):
        inner = word[2:-2]
        message = "Quotes need no `\\` before them here."
        good = f'"{inner}"'
        token = Token("STRING", f'"{_harmless(inner)}"', span.start, span.end)
        return Foreign(_replaced("E0004", message, span, good, f"Write `{good}`."), (token,))
    if word.startswith(("{{", "${{")):
        inner = _TEMPLATE.sub(r"\1", word)
        message = f"`{'${{ … }}' if word[0] == '$' else '{{ … }}'}` belongs to another tool."
        help_ = f"Outside of texts the name alone is enough: `{inner}`."
        return Foreign(_replaced("E0007", message, span, inner, help_), _token("BAD_EXPR", "", span))
    if word[0].isalpha() or word[0] == "@" or category(word[0]) == "So":
        return Foreign(_no_name(span), _token("NAME", word, span) if len(word) > 1 or word != "@" else (), True)
    return Foreign(_unknown(span))


def template_in_text(span: Span) -> Diagnostic:
    """`{{ x }}` or `${{ x }}` within a text."""
    word = span.text
    ours = "${" + _TEMPLATE.sub(r"\1", word) + "}"
    message = f"`{'${{ … }}' if word[0] == '$' else '{{ … }}'}` belongs to another tool."
    return _replaced("E0007", message, span, ours, f"Write `{ours}`, or `\\{{` for the sign itself.")


def invisible(span: Span, where: str) -> Diagnostic:
    """A sign that nobody sees, within a text or a comment."""
    number = f"{ord(span.text):X}"
    help_ = f"Write `\\u{{{number.lower()}}}`." if where == "text" else "Remove it."
    if "\ud800" <= span.text <= "\udfff":
        help_ = "Remove it; it is half of a sign."
    message = f"There is an invisible sign in this {where}: U+{number:0>4}."
    return Diagnostic(code="E0002", message=message, span=span, helps=(help_,))


def read_number(span: Span) -> Foreign:
    """Digits and letters together that are no number, duration or size."""
    word = span.text
    found = _ODD.match(word)
    if found and len(word) < 16:
        digits, fraction, unit = found[1], found[2] or "", found[3]
        ours = UNITS.get(unit, unit if unit == "ms" else UNITS.get(unit.lower(), unit))
        if ours in MILLISECONDS:
            if not fraction:
                good = digits + ours
                message = f"I do not know the unit `{unit}`."
                diagnostic = _replaced("E0104", message, span, good, f"Write `{good}` (ms, s, m, h, d).")
                return Foreign(diagnostic, _token("DURATION", good, span))
            good = _whole_milliseconds(digits + fraction, ours)
            diagnostic = _replaced("E0104", "Times are whole numbers.", span, good, f"Write `{good}`.")
            return Foreign(diagnostic, _token("DURATION", good, span))
        if unit.lower() in _SIZES and not fraction:
            good = digits + _SIZES[unit.lower()]
            diagnostic = _replaced("E0104", f"I do not know the unit `{unit}`.", span, good, f"Write `{good}`.")
            return Foreign(diagnostic, _token("SIZE", good, span))
    if word.isascii() and re.fullmatch(r"\d+(_\d+)+", word):
        good = word.replace("_", "")
        diagnostic = _replaced("E0010", "Numbers are written without `_`.", span, good, f"Write `{good}`.")
        return Foreign(diagnostic, _token("INT", good, span))
    exponent = re.fullmatch(r"(\d+)([eE]\d+)", word)
    if exponent:
        good = f"{exponent[1]}.0{exponent[2]}"
        diagnostic = _replaced("E0010", "An exponent needs a decimal point before it.", span, good, f"Write `{good}`.")
        return Foreign(diagnostic, _token("FLOAT", good if isfinite(float(good)) else "0.0", span))
    return Foreign(
        Diagnostic(
            code="E0010",
            message=f"I cannot read `{word}` as a number.",
            span=span,
            helps=("Numbers are `12` and `0.5`, times `20s`, sizes `5MB`. Names start with a letter.",),
        ),
        _token("INT", "0", span),
    )


def _whole_milliseconds(amount: str, unit: str) -> str:
    from decimal import Decimal

    return f"{int(Decimal(amount) * MILLISECONDS[unit])}ms"


def _other_quotes(span: Span) -> Foreign:
    inner = span.text[1:-1]
    if span.text[0] == "'":
        inner = inner.replace("\\'", "'")
    raw = re.sub(r'(?<!\\)"', r"\"", inner)
    good = f'"{raw}"'
    message = (
        "Text is written with straight double quotes."
        if span.text[0] not in "'`"
        else "Text is written with double quotes."
    )
    token = Token("STRING", f'"{_harmless(inner)}"', span.start, span.end)
    return Foreign(_replaced("E0004", message, span, good, f"Write `{good}`."), (token,))


def _harmless(raw: str) -> str:
    """A text without anything that would be reported again."""
    return re.sub(r"[$\\]|\{\{", "", raw)


def _no_name(span: Span) -> Diagnostic:
    """Letters and pictures that names do not have."""
    sign = span.text[0]
    helps = ("Names have the letters A to Z and a to z, digits and `_`.",) if sign != "@" else ()
    return Diagnostic(code="E0002", message=f"I do not know the sign `{sign}`.", span=span, helps=helps)


def _unknown(span: Span) -> Diagnostic:
    word = span.text
    if not word.isprintable() or word.isspace():
        return Diagnostic(
            code="E0002",
            message=f"There is an invisible sign here: U+{ord(word[0]):04X}.",
            span=span,
            helps=("Remove it.",),
        )
    if word == "'":
        return Diagnostic(
            code="E0004", message="Text is written with double quotes.", span=span, helps=('Write `"…"`.',)
        )
    if word == "$" and re.match(r"[A-Za-z_]", span.source.text[span.end : span.end + 1]):
        return _replaced("E0002", "Names have no `$` before them.", span, "", "Remove it.")
    return Diagnostic(code="E0002", message=f"I do not know the sign `{word}`.", span=span)


def _replaced(code: str, message: str, span: Span, text: str, *helps: str) -> Diagnostic:
    fix = Fix(f"Write `{text}`" if text else "Remove it", (Edit(span, text),))
    return Diagnostic(code=code, message=message, span=span, helps=helps or (f"Write `{text}`.",), fixes=(fix,))


def _token(kind: str, text: str, span: Span) -> tuple[Token, ...]:
    return (Token(kind, text, span.start, span.end),)
