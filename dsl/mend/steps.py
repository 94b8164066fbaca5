"""Steps, loops and reactions that are almost right."""

from __future__ import annotations

from typing import Final

from dsl.diagnostics import Diagnostic, Edit, Fix
from dsl.mend.mended import Mended
from dsl.situation import Situation
from dsl.source import Span
from dsl.syntax_messages import LOOP_FORM, NO_WHILE, REACTION_FORM, STEP_FORM
from dsl.tokens import BRACKETS, END, SOFT_KINDS, Token


def loop_words(place: Situation) -> Mended | None:
    """`for x in xs`, `for each x of xs`, a block without `return`."""
    token = place.token
    here = place.span(token)
    if place.entered() == "FOR" and place.allowed == {"EACH"}:
        fix = Fix("Insert `each`", (Edit(Span(place.source, token.start, token.start), "each "),))
        diagnostic = Diagnostic(code="E0105", message=LOOP_FORM, span=here, helps=("Insert `each`.",), fixes=(fix,))
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
    """`on error ignore`, `on error timeout skip`."""
    token = place.token
    if place.allowed != {"SKIP", "USE", "FAIL"}:
        return None
    if place.next.kind in place.allowed and not place.first_on_line(place.at):
        diagnostic = Diagnostic(
            code="E0109",
            message=f"A reaction answers every fault of its event; it cannot be for `{token.text}` alone.",
            span=place.span(token),
            helps=(f'Drop `{token.text}`. Only `retry (on: ["timeout"])` chooses classes of faults.',),
        )
        return Mended(diagnostic, (), 1)
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


def step_without_name(place: Situation) -> Mended | None:
    """`step github.get_issue(…)`."""
    token, tool = place.token, place.previous
    if token.kind not in ("DOT", "LPAR") or place.allowed != {"EQUAL"} or place.tokens[place.at - 2].kind != "STEP":
        return None
    called = f"{tool.text}.{place.next.text}" if token.kind == "DOT" else tool.text
    here = Span(place.source, tool.start, tool.start)
    diagnostic = Diagnostic(
        code="E0111",
        message="A step needs a name, by which others use what it gives.",
        span=place.span(tool),
        helps=(f"Write `step NAME = {called}(…)`.",),
    )
    put = (Token("EQUAL", "", here.start, here.end), Token("NAME", tool.text, tool.start, tool.end))
    return Mended(diagnostic, put, 0)


_NEEDLESS = ("await", "async", "call", "run", "do", "invoke", "exec", "try", "yield", "new")


def awaited_value(place: Situation) -> Mended | None:
    """`let x = await github.get_issue(…)`: what is on that line is told with the word."""
    token, word = place.token, place.previous
    if word.text not in ("await", "async") or token.kind != "NAME" or place.first_on_line(place.at):
        return None
    if not place.fits("DOT", "NAME") or "NAME" in place.allowed:
        return None
    called = place.source.text[token.start : place.tokens[place.last_on_line()].end]
    diagnostic = Diagnostic(
        code="E0111",
        message=f"There is no `{word.text}`: a step waits by itself.",
        span=place.span(word, place.tokens[place.last_on_line()]),
        helps=(f"Tools are called by a step: `step NAME = {called.partition('(')[0]}(…)`.",),
    )
    return Mended(diagnostic, (Token("DOT", ".", token.start, token.start),), 0)


def word_before_call(place: Situation) -> Mended | None:
    """`step x = await github.get_issue(…)`."""
    word, token = place.previous, place.token
    if word.text not in _NEEDLESS or token.kind != "NAME" or not place.allowed <= {"LPAR", "DOT"}:
        return None
    if word.text == "try":
        help_ = "Drop `try`. What happens when a call fails is said in a clause: `{ on error skip }`."
    else:
        help_ = f"Drop `{word.text}`. A step calls its tool when what it refers to is there."
    span = Span(place.source, word.start, token.start)
    diagnostic = Diagnostic(
        code="E0110",
        message=f"`{word.text}` is not written before a call.",
        span=place.span(word),
        helps=(help_,),
        fixes=(Fix(f"Drop `{word.text}`", (Edit(span, ""),)),),
    )
    return Mended(diagnostic, (Token("DOT", "", token.start, token.start),), 0)


def foreign_loop(place: Situation) -> Mended | None:
    """`step x = while c { … }`; left out to the end of its block, or of the line."""
    token, word = place.token, place.previous
    if word.text not in ("while", "until", "repeat", "loop") or token.kind in ("LPAR", "DOT"):
        return None
    if not place.allowed <= {"LPAR", "DOT"} or place.first_on_line(place.at):
        return None
    last, depth = place.last_on_line(), 0
    for at in range(place.at, len(place.tokens) - 1):
        kind = place.tokens[at].kind
        depth += (kind in BRACKETS) - (kind in BRACKETS.values())
        if depth < 0 or (depth == 0 and at >= last):
            last = at + min(depth, 0)
            break
    diagnostic = Diagnostic(
        code="E0105", message=f"There is no `{word.text}`.", span=place.span(word), helps=(NO_WHILE,)
    )
    here = place.tokens[last].end
    return Mended(diagnostic, (Token("LPAR", "", here, here), Token("RPAR", "", here, here)), last - place.at + 1)


_OF_CHAINS = ("REQUIRE", "INPUT", "OUTPUT", "SECTION", "ADAPTER")


def member_of_the_chain(place: Situation) -> Mended | None:
    """`require`, `input`, `output` or a section within a section; left out as a whole."""
    token = place.token
    if token.kind not in _OF_CHAINS or place.block() != "many{section_member}":
        return None
    if not (place.first_on_line(place.at) or place.previous.kind == "LBRACE") or _is_outside(place):
        return None
    diagnostic = Diagnostic(
        code="E0113",
        message=f"In this block there is no place for `{token.text}`.",
        span=place.span(token),
        helps=_instead(place),
    )
    return Mended(diagnostic, (), _end_of_member(place) - place.at)


_ELSEWHERE: Final = ("It belongs directly into the chain.",)
_IN_LOOPS: Final = {
    "REQUIRE": (
        "To leave items out: `for each {x} in [{x} for {x} in {xs} if CONDITION] {{ … }}`.",
        "To fail on an item: `let sure = if CONDITION then {x} else null`, then use `sure!`.",
        "Or call a private chain that has the `require`: `for each {x} in {xs} do CHAIN(…)`.",
    ),
    "OUTPUT": ("What a round gives is written `return VALUE`.",),
    "SECTION": ("Give the condition to each step of the block: `{{ when CONDITION }}`, or call a private chain.",),
}


def _instead(place: Situation) -> tuple[str, ...]:
    """What to write for a member of the chain that stands in a block: that of a `for each`, or of a section."""
    opener = place.opener("RBRACE")
    at = next((at for at in range(place.at, -1, -1) if place.tokens[at] is opener), 0)
    if opener is None or at < 2 or place.tokens[at - 2].kind == "SECTION":
        return _ELSEWHERE
    each = next((each for each in range(at, -1, -1) if place.tokens[each].kind == "EACH"), at)
    items = place.source.text[place.tokens[min(each + 2, at)].end : opener.start].strip()
    fitting = items if 0 < len(items) < 40 and "\n" not in items else "LIST"
    helps = _IN_LOOPS.get(place.token.kind, _ELSEWHERE)
    return tuple(text.format(x=place.tokens[each + 1].text, xs=fitting) for text in helps)


def _is_outside(place: Situation) -> bool:
    """Whether the line begins no further right than the one that opened the block: then its `}` is what is missing."""
    opener = place.opener("RBRACE")
    if opener is None or not place.first_on_line(place.at):
        return False
    text = place.source.text
    line = text.rfind("\n", 0, opener.start) + 1
    indent = len(text[line:]) - len(text[line:].lstrip(" \t"))
    return place.token.start - (text.rfind("\n", 0, place.token.start) + 1) <= indent


def _end_of_member(place: Situation) -> int:
    """The first token behind what begins here: a bracket that closes around it, or a word at the start of a line."""
    depth = 0
    for at in range(place.at, len(place.tokens)):
        token = place.tokens[at]
        begins = at > place.at and place.first_on_line(at) and token.kind in SOFT_KINDS
        if token.kind == END or (not depth and begins):
            return at
        if token.kind in BRACKETS:
            depth += 1
        elif token.kind in BRACKETS.values():
            if not depth:
                return at
            depth -= 1
    return len(place.tokens) - 1
