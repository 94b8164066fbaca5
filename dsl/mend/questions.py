"""Texts for people: questions and other texts that are written as arguments, names or formats."""

from __future__ import annotations

from dsl.diagnostics import Diagnostic, Edit, Fix
from dsl.mend.mended import Mended
from dsl.situation import Situation
from dsl.source import Span
from dsl.tokens import BRACKETS, END, Token

_QUESTIONS = ("APPROVE", "ASK")
_TEXTS = ("STRING", "TEXT_OPEN")


def labelled_text(place: Situation) -> Mended | None:
    """`approve message: "x"`, `title: "x"` written as an argument is."""
    token, word = place.token, place.previous
    if place.entered() != word.kind or token.kind != "NAME" or "STRING" not in place.allowed:
        return None
    if place.next.kind not in ("COLON", "EQUAL") or place.tokens[place.at + 2].kind not in _TEXTS:
        return None
    text = place.tokens[place.at + 2]
    written = text.text if text.kind == "STRING" and len(text.text) < 40 else '"…"'
    diagnostic = Diagnostic(
        code="E0103",
        message=f"The text follows `{word.text}` at once.",
        span=place.span(token, place.next),
        helps=(f"Write `{word.text} {written}`.",),
        fixes=(Fix(f"Drop `{token.text}`", (Edit(Span(place.source, token.start, text.start), ""),)),),
    )
    return Mended(diagnostic, (), 2)


def name_for_question(place: Situation) -> Mended | None:
    """`approve id`: the value of a name is shown within a text."""
    token, word = place.token, place.previous
    if word.kind not in _QUESTIONS or place.entered() != word.kind or token.kind != "NAME":
        return None
    last = place.at
    while place.tokens[last + 1].kind == "DOT" and place.tokens[last + 2].kind == "NAME":
        last += 2
    follows = place.tokens[last + 1]
    if place.first_on_line(place.at) or not (place.first_on_line(last + 1) or follows.kind in ("LBRACE", "FOR", END)):
        return None
    span = place.span(token, place.tokens[last])
    ours = f'"${{{span.text}}}"'
    diagnostic = Diagnostic(
        code="E0103",
        message=f"What follows `{word.text}` is a text.",
        span=span,
        helps=(f"Write `{word.text} {ours}`, or the question itself in quotes.",),
    )
    return Mended(diagnostic, (Token("STRING", '""', span.start, span.end),), last - place.at + 1)


def question_in_loop(place: Situation) -> Mended | None:
    """`for each x in xs do approve "…"`: left out to the end of the line, and the clauses behind it are read."""
    token, word = place.token, place.previous
    if token.kind not in _TEXTS or word.kind not in _QUESTIONS or place.tokens[place.at - 2].kind != "DO":
        return None
    depth, last = 0, place.at
    for at in range(place.at, len(place.tokens) - 1):
        kind, follows = place.tokens[at].kind, place.tokens[at + 1].kind
        depth += (kind in ("TEXT_OPEN", *BRACKETS)) - (kind in ("TEXT_CLOSE", *BRACKETS.values()))
        last = at
        if depth <= 0 and (
            place.first_on_line(at + 1) or follows == "RBRACE" or (follows == "LBRACE" and kind != "FOR")
        ):
            break
    form = "" if word.kind == "APPROVE" else " for { … }"
    diagnostic = Diagnostic(
        code="E0105",
        message=f"`do` is followed by a call; `{word.text}` is a step of its own.",
        span=place.span(word, place.tokens[last]),
        helps=(
            f'Write a block: `{{ step answer = {word.text} "…"{form}  return answer }}`, with the clauses at the step.',
        ),
    )
    here = place.tokens[last].end
    return Mended(diagnostic, (Token("LPAR", "", here, here), Token("RPAR", "", here, here)), last - place.at + 1)


def question_without_form(place: Situation) -> Mended | None:
    """`ask "What?"` without `for`."""
    if place.allowed != {"FOR"} or place.entered(2) != "ASK":
        return None
    if not (place.first_on_line(place.at) or place.token.kind in ("LBRACE", "RBRACE", END)):
        return None
    if place.token.kind == "LBRACE" and place.ahead(("FOR",)) >= 3:
        return None  # the form is there, only the word is missing
    here = Span(place.source, place.previous.end, place.previous.end)
    diagnostic = Diagnostic(
        code="E0122",
        message="A question says what is asked for.",
        span=here,
        helps=('Write `ask "…" for { answer: string }`.',),
    )
    put = (Token("FOR", "", here.start, here.end), Token("BAD_TYPE", "", here.start, here.end))
    return Mended(diagnostic, put, 0)


def form_behind_brackets(place: Situation) -> Mended | None:
    """`ask("q") for { … }`: the brackets are reported where the call is read."""
    first = place.previous
    if place.token.kind != "FOR" or first.kind != "RPAR" or "STEP" not in (place.entered(n) for n in range(1, 12)):
        return None
    at = place.at - 2
    while at > 1 and place.tokens[at].kind in (
        *_TEXTS,
        "TEXT_PART",
        "TEXT_CLOSE",
        "INTERP",
        "INTERP_END",
        "NAME",
        "DOT",
    ):
        at -= 1
    opening, word = place.tokens[at], place.tokens[at - 1]
    if opening.kind != "LPAR" or word.kind not in _QUESTIONS or at > place.at - 3:
        return None
    text = Span(place.source, opening.end, first.start).text.strip()
    whole = Span(place.source, word.start, first.end)
    diagnostic = Diagnostic(
        code="E0103",
        message=f"`{word.text}` is followed by its text without brackets.",
        span=whole,
        helps=(f"Write `{word.text} {text} for …`.",),
        fixes=(Fix("Drop the brackets", (Edit(whole, f"{word.text} {text}"),)),),
    )
    return Mended(diagnostic, (), place.last_on_line() - place.at + 1)


def formatted_text(place: Situation) -> Mended | None:
    """`f"a {b}"`."""
    token, letter = place.token, place.previous
    if token.kind not in _TEXTS or letter.end != token.start or letter.text not in ("f", "F", "r", "b", "s", "$"):
        return None
    if "PLUS" not in place.allowed or not place.fits("PLUS", "STRING"):
        return None
    diagnostic = Diagnostic(
        code="E0110",
        message=f'`{letter.text}"…"` is not written so here.',
        span=place.span(letter),
        helps=('Every text can hold values: `"a ${b}"`.',),
    )
    return Mended(diagnostic, (Token("PLUS", "", token.start, token.start),), 0)
