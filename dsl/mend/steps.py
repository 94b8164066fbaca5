"""Steps, loops and reactions that are almost right."""

from __future__ import annotations

from dsl.diagnostics import Diagnostic, Edit, Fix
from dsl.mend.mended import Mended
from dsl.situation import Situation
from dsl.source import Span
from dsl.syntax_messages import LOOP_FORM, REACTION_FORM, STEP_FORM
from dsl.tokens import Token


def loop_words(place: Situation) -> Mended | None:
    """`for x in xs`, `for each x of xs`, a block without `return`."""
    token = place.token
    here = place.span(token)
    if place.entered() == "FOR" and place.allowed == {"EACH"}:
        fix = Fix("Insert `each`", (Edit(Span(place.source, token.start, token.start), "each "),))
        diagnostic = Diagnostic(
            code="E0105", message=LOOP_FORM, span=here, helps=("You left out `each`.",), fixes=(fix,)
        )
        return Mended(diagnostic, (Token("EACH", "", token.start, token.start),), 0)
    if token.text == "of" and "IN" in place.allowed:
        fix = Fix("Write `in`", (Edit(here, "in"),))
        diagnostic = Diagnostic(code="E0105", message=LOOP_FORM, span=here, helps=("Write `in`.",), fixes=(fix,))
        return Mended(diagnostic, (Token("IN", "in", token.start, token.end),), 1)
    if token.kind == "RBRACE" and place.fits("RETURN", "BAD_EXPR", "RBRACE"):
        diagnostic = Diagnostic(
            code="E0105",
            message="A loop with a block ends with what each round gives.",
            span=here,
            helps=("Write `return VALUE` before the `}`.",),
        )
        put = (Token("RETURN", "", token.start, token.start), Token("BAD_EXPR", "", token.start, token.start))
        return Mended(diagnostic, put, 0)
    return None


def reaction_word(place: Situation) -> Mended | None:
    """`on error ignore`."""
    token = place.token
    if place.allowed != {"SKIP", "USE", "FAIL"}:
        return None
    diagnostic = Diagnostic(code="E0109", message=REACTION_FORM, span=place.gap(), helps=_reaction_help(token))
    word = token.kind == "NAME" and not place.first_on_line(place.at)
    return Mended(diagnostic, (Token("SKIP", "", token.start, token.start),), 1 if word else 0)


def _reaction_help(token: Token) -> tuple[str, ...]:
    if token.text in ("ignore", "continue", "pass", "none", "nothing"):
        return ("To go on without it write `skip`.",)
    if token.text in ("abort", "stop", "raise", "throw"):
        return ('To stop the run write `fail "why"`.',)
    return ()


def step_without_call(place: Situation) -> Mended | None:
    """`step a = github.get_issue` without round brackets."""
    if not place.fits("LPAR", "RPAR") or "LPAR" not in place.allowed or place.ahead(("LPAR", "RPAR")) < 2:
        return None
    if place.entered() not in ("path", "NAME", "STRING") or "BAD_EXPR" in place.allowed or place.fits("PLUS"):
        return None
    if not place.allowed <= {"LPAR", "DOT"}:
        return None
    here = Span(place.source, place.previous.end, place.previous.end)
    diagnostic = Diagnostic(
        code="E0111",
        message="A call has its arguments in round brackets, even if there are none.",
        span=here,
        helps=(STEP_FORM,) if "STEP" in (place.entered(count) for count in range(2, 5)) else (),
        fixes=(Fix("Insert `()`", (Edit(here, "()"),)),),
    )
    return Mended(diagnostic, (Token("LPAR", "", here.start, here.end), Token("RPAR", "", here.start, here.end)), 0)
