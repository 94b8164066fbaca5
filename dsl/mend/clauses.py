"""Clauses and imports that are almost right: colons, times, texts."""

from __future__ import annotations

import re
from typing import Final

from dsl.diagnostics import Diagnostic, Edit, Fix
from dsl.foreign import UNITS
from dsl.mend.mended import Mended
from dsl.situation import Situation
from dsl.source import Span
from dsl.syntax_messages import IMPORT_FORM
from dsl.tokens import BRACKETS, END, MILLISECONDS, SOFT_KINDS, Token, words

_WORDS_WITHOUT_COLON: Final = frozenset(
    words(
        """
    WHEN AFTER TIMEOUT RETRY PARALLEL UNDO KEY RECEIPT RECONCILE BY SHOW SUMMARY EXPIRES TITLE VERSION GROUPS
    STAGES USE_WHEN NOT_WHEN OWNER EMPTY EFFECTS SCOPES BUDGET DEPRECATED OUTPUT RETURN RETURNS TAKES RUN STDIN
    PARSE COST EXPECT AT DEFAULTS
    """
    )
)
_TEXT_WORDS: Final = frozenset(
    words(
        """
    TITLE VERSION OWNER USE_WHEN NOT_WHEN EMPTY BY SUMMARY APPROVE ASK AT TEST SCOPES DEPRECATED ADAPTER EXAMPLE
    """
    )
)


_GOES_ON: Final = ("DOT", "LPAR", "LSQB", "QDOT", "QQ", "PLUS")
"""What may stand behind a name that begins an expression."""
_OPENS: Final = (*BRACKETS, "TEXT_OPEN")
_CLOSES: Final = (*BRACKETS.values(), "TEXT_CLOSE")


_CLAUSE_LISTS: Final = ("many{clause}", "many{section_member}", "many{tool_clause}", "many{output_clause}")
_BARE: Final = ("NAME", "DOT", "SLASH")
"""How a name or a path begins that lacks its quotes."""


def clause_with_colon(place: Situation) -> Mended | None:
    """`retry: 3`, `timeout = 20s`, `on error: skip`."""
    token, word = place.token, place.previous
    of_event = place.tokens[place.at - 2].kind == "ON" and place.entered(2) == "ON"
    if token.kind not in ("COLON", "EQUAL"):
        return None
    if not of_event and (place.entered() != word.kind or word.kind not in _WORDS_WITHOUT_COLON):
        return None
    if word.kind == "OUTPUT" and place.ahead(("EQUAL",), 1) > place.ahead((), 1):
        return _output_with_colon(place)
    after = place.tokens[place.last_on_line()]
    value = place.source.text[token.end : max(after.end, token.end)].strip()
    begun = f"on {word.text}" if of_event else word.text
    written = f"{begun} {value}" if 0 < len(value) < 60 and "\n" not in value else f"{begun} …"
    sign = "colon" if token.kind == "COLON" else "`=`"
    diagnostic = Diagnostic(
        code="E0106",
        message=f"Clauses have no {sign}.",
        span=place.span(token),
        helps=(f"Write `{written}`.",),
        fixes=(Fix(f"Write `{written}`", (Edit(place.span(token), "" if place.next.start > token.end else " "),)),),
    )
    return Mended(diagnostic, (), 1)


def comma_between_clauses(place: Situation) -> Mended | None:
    """`{ parallel 4, on error skip }`."""
    if place.token.kind != "COMMA" or "COMMA" in place.allowed or place.block() not in _CLAUSE_LISTS:
        return None
    diagnostic = Diagnostic(
        code="E0122",
        message="Nothing stands between clauses.",
        span=place.span(place.token),
        helps=("Remove the comma.",),
        fixes=(Fix("Remove the comma", (Edit(place.span(place.token), ""),)),),
    )
    return Mended(diagnostic, (), 1)


def _output_with_colon(place: Situation) -> Mended:
    """`output: x` for `output = x`."""
    token = place.token
    span = Span(place.source, place.previous.end, token.end)
    value = place.source.text[token.end : place.tokens[place.last_on_line()].end].strip()
    whole = all(value.count(opener) == value.count(closer) for opener, closer in ("{}", "[]", "()"))
    diagnostic = Diagnostic(
        code="E0106",
        message="What a chain gives follows `=`.",
        span=place.span(token),
        helps=(f"Write `output = {value}`." if 0 < len(value) < 60 and whole else "Write `output = …`.",),
        fixes=(Fix("Write `=`", (Edit(span, " ="),)),),
    )
    return Mended(diagnostic, (Token("EQUAL", "=", token.start, token.end),), 1)


def time_without_unit(place: Situation) -> Mended | None:
    """`timeout 20`, `timeout "20s"`, `timeout 20 seconds`."""
    token = place.token
    if "DURATION" not in place.allowed or "BAD_EXPR" in place.allowed:
        return None
    if token.kind == "INT":
        unit, last, skip = "", token, 1
        if place.next.kind == "NAME" and not place.first_on_line(place.at + 1):
            last, skip = place.next, 2
            unit = _unit(last.text)
        span = place.span(token, last)
        good = f"{token.text}{unit or 's'}"
        message = "A time needs a unit." if skip == 1 else "A time and its unit are written together."
        fixes = (Fix(f"Write `{good}`", (Edit(span, good),)),) if unit else ()
        diagnostic = Diagnostic(
            code="E0104", message=message, span=span, helps=(f"Write `{good}` (ms, s, m, h, d).",), fixes=fixes
        )
        return Mended(diagnostic, (Token("DURATION", good, token.start, last.end),), skip)
    if token.kind == "STRING":
        good = token.text.strip('"')
        sure = re.fullmatch(r"\d{1,9}(ms|s|m|h|d)", good) is not None
        span = place.span(token)
        diagnostic = Diagnostic(
            code="E0104",
            message="A time is written without quotes.",
            span=span,
            helps=(f"Write `{good if sure else '20s'}` (ms, s, m, h, d).",),
            fixes=(Fix(f"Write `{good}`", (Edit(span, good),)),) if sure else (),
        )
        return Mended(diagnostic, (Token("DURATION", good if sure else "", token.start, token.end),), 1)
    if token.kind == "FLOAT":
        diagnostic = Diagnostic(
            code="E0104", message="A time needs a unit.", span=place.span(token), helps=("Write `500ms`, `20s`, `5m`.",)
        )
        return Mended(diagnostic, (Token("DURATION", "", token.start, token.end),), 1)
    return None


def _unit(word: str) -> str:
    """`ms`, `s`, `m`, `h` or `d` for a unit as people write it; '' for anything else."""
    return word if word in MILLISECONDS else UNITS.get(word.lower(), "")


def text_without_quotes(place: Situation) -> Mended | None:
    """`version 1.0`, `by ops-team`."""
    token, word = place.token, place.previous
    if place.entered() != word.kind or word.kind not in _TEXT_WORDS or "STRING" not in place.allowed:
        return None
    if place.first_on_line(place.at) or token.kind in ("LBRACE", "RBRACE", "LPAR", "RPAR", "COMMA", "EQUAL", END):
        return None
    if _begins(place, place.at):
        return None
    if word.kind == "SUMMARY" and _is_computed(place):
        return _computed(place)
    last = place.at
    while place.tokens[last + 1].kind not in ("LBRACE", "RBRACE", "LPAR", "COMMA", END, "STRING", "TEXT_OPEN"):
        if place.first_on_line(last + 1) or _begins(place, last + 1):
            break
        if word.kind == "BY" and place.tokens[last + 1].kind in ("TIMEOUT", "RETRY", "SHOW"):
            break
        last += 1
    span = place.span(token, place.tokens[last])
    text = span.text.replace('"', "").replace("\\", "").replace("$", "")
    good = f'"{text}"'
    sure = not {"COLON", "EQUAL"} & {each.kind for each in place.tokens[place.at : last + 1]}
    article = "A version" if word.kind == "VERSION" else f"What follows `{word.text}`"
    hint = "1.2.0" if word.kind == "VERSION" and not re.fullmatch(r"\d+\.\d+\.\d+", text) else text
    sure = sure and hint == text
    diagnostic = Diagnostic(
        code="E0103",
        message=f"{article} is a text.",
        span=span,
        helps=(f'Write `{word.text} "{hint}"`.',),
        fixes=(Fix(f"Write `{word.text} {good}`", (Edit(span, good),)),) if sure else (),
    )
    return Mended(diagnostic, (Token("STRING", good, span.start, span.end),), last - place.at + 1)


def _is_computed(place: Situation) -> bool:
    """Whether an expression stands here rather than words: one name alone is that of a value."""
    alone = place.first_on_line(place.at + 1) or place.next.kind == "RBRACE"
    return place.token.kind == "IF" or (place.token.kind == "NAME" and (alone or place.next.kind in _GOES_ON))


def _computed(place: Situation) -> Mended:
    """`summary if a then "x" else "y"`, `summary best.name`: an expression, over all its lines."""
    depth, last = 0, place.at
    for at in range(place.at, len(place.tokens) - 1):
        kind, follows = place.tokens[at].kind, place.tokens[at + 1].kind
        depth += (kind in _OPENS) - (kind in _CLOSES)
        last = at
        if depth <= 0 and (follows in _CLOSES or (place.first_on_line(at + 1) and follows not in ("THEN", "ELSE"))):
            break
    span = place.span(place.token, place.tokens[last])
    short = "\n" not in span.text and len(span.text) <= 60
    shown = span.text if short else "if … then … else …" if place.token.kind == "IF" else "…"
    diagnostic = Diagnostic(
        code="E0103",
        message=f"What follows `{place.previous.text}` is a text; values stand within it.",
        span=span,
        helps=(f'Write `{place.previous.text} "${{{shown}}}"`.',),
    )
    return Mended(diagnostic, (Token("STRING", '""', span.start, span.end),), last - place.at + 1)


def _begins(place: Situation, at: int) -> bool:
    """Whether the token at an index is a word that begins the next clause, its text being left out."""
    return place.tokens[at].kind in SOFT_KINDS and place.ahead(("STRING",), at - place.at) >= 3


def import_without_quotes(place: Situation) -> Mended | None:
    """`import g from mcp github`."""
    token = place.token
    if place.entered(2) != "FROM" or place.entered(4) != "IMPORT" or token.kind not in _BARE:
        return None
    span = place.span(token, place.tokens[place.last_on_line()])
    if " " in span.text or "{" in span.text:
        span = place.span(token)
    good = f'"{span.text}"'
    last = next(at for at in range(place.at, len(place.tokens)) if place.tokens[at].end == span.end)
    diagnostic = Diagnostic(
        code="E0103",
        message=f"What follows `{place.previous.text}` is a text.",
        span=span,
        helps=(f"Write `{good}`.",),
        fixes=(Fix(f"Write `{good}`", (Edit(span, good),)),),
    )
    return Mended(diagnostic, (Token("STRING", good, span.start, span.end),), last - place.at + 1)


def import_without_kind(place: Situation) -> Mended | None:
    """`import slack from "slack"`."""
    token = place.token
    if place.entered() != "FROM" or place.entered(3) != "IMPORT" or token.kind not in ("STRING", "TEXT_OPEN"):
        return None
    diagnostic = Diagnostic(
        code="E0101", message="An import says where tools come from.", span=place.span(token), helps=(IMPORT_FORM,)
    )
    return Mended(diagnostic, (Token("NAME", "mcp", token.start, token.start),), 0)
