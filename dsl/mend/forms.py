"""Blocks and declarations that are almost right."""

from __future__ import annotations

from dsl.diagnostics import Diagnostic, Edit, Fix
from dsl.mend.mended import Mended
from dsl.situation import Situation
from dsl.source import Span
from dsl.tokens import Token

_OPENERS = ("LPAR", "LSQB", "LBRACE", "QLSQB", "INTERP")
_CLOSERS = ("RPAR", "RSQB", "RBRACE", "INTERP_END")
_EVENTS = ("error", "item_error", "reject", "decline", "expiry")
_FUNCTIONS = ("def", "fn", "func", "function", "workflow", "pipeline", "flow", "task", "job")


def not_in_an_adapter(place: Situation) -> Mended | None:
    """`step` and the like in an adapter, and `output` before `call`; left out as a whole."""
    token = place.token
    if place.block() not in ("many{input_decl}", "many{let_decl}") or "CALL" not in place.allowed:
        return None
    if token.kind not in ("STEP", "REQUIRE", "SECTION", "OUTPUT", "ADAPTER") or not place.first_on_line(place.at):
        return None
    end = _line_end(place)
    if not any(each.kind == "CALL" for each in place.tokens[end : end + 40]):
        return None
    message = f"Inside an adapter there is no place for `{token.text}`."
    if token.kind == "OUTPUT":
        message = "In an adapter `output` follows `call`."
    diagnostic = Diagnostic(
        code="E0113",
        message=message,
        span=place.span(token),
        helps=("An adapter has input, let, call and output, in this order.",),
    )
    return Mended(diagnostic, (), end - place.at)


def adapter_without_call(place: Situation) -> Mended | None:
    """`output` or the end of an adapter where its `call` is missing."""
    token = place.token
    if place.block() not in ("many{input_decl}", "many{let_decl}") or "CALL" not in place.allowed:
        return None
    if token.kind not in ("OUTPUT", "RBRACE"):
        return None
    diagnostic = Diagnostic(
        code="E0113",
        message="Inside an adapter `call` is missing.",
        span=place.span(token),
        helps=("Write `call (NAME: VALUE)` with the inputs of the chain.",),
    )
    at = place.previous.end
    put = (Token("CALL", "", at, at), Token("LPAR", "", at, at), Token("RPAR", "", at, at))
    return Mended(diagnostic, put, 0)


def named_adapter_call(place: Situation) -> Mended | None:
    """`call other(a: 1)` in an adapter."""
    token = place.token
    if place.previous.kind != "CALL" or place.allowed != {"LPAR"} or token.kind != "NAME":
        return None
    last = place.at
    while place.tokens[last + 1].kind == "DOT" and place.tokens[last + 2].kind == "NAME":
        last += 2
    opening = place.tokens[last + 1]
    if opening.kind != "LPAR":
        return None
    span = place.span(token, place.tokens[last])
    diagnostic = Diagnostic(
        code="E0122",
        message="An adapter calls the chain that it stands in, so `call` has no name.",
        span=span,
        helps=("Write `call (…)`.",),
        fixes=(Fix(f"Drop `{span.text}`", (Edit(Span(place.source, token.start, opening.start), ""),)),),
    )
    return Mended(diagnostic, (), last - place.at + 1)


def call_in_braces(place: Situation) -> Mended | None:
    """`undo { t.b() }`."""
    token, word = place.token, place.previous
    if token.kind != "LBRACE" or word.kind not in ("UNDO", "RECONCILE", "VERIFY") or place.entered() != word.kind:
        return None
    end = _closing(place, place.at)
    if end is None or end < place.at + 2:
        return None
    inner = tuple(place.tokens[place.at + 1 : end])
    edits = (
        Edit(Span(place.source, token.start, inner[0].start), ""),
        Edit(Span(place.source, inner[-1].end, place.tokens[end].end), ""),
    )
    diagnostic = Diagnostic(
        code="E0122",
        message=f"A call follows `{word.text}` without braces.",
        span=place.span(token),
        helps=(f"Write `{word.text} TOOL(argument: value)`.",),
        fixes=(Fix("Drop the braces", edits),),
    )
    return Mended(diagnostic, inner, end - place.at + 1)


def check_without_condition(place: Situation) -> Mended | None:
    """`verify t.b()` without `expect`."""
    if place.allowed != {"EXPECT"} or not (place.first_on_line(place.at) or place.token.kind == "RBRACE"):
        return None
    here = Span(place.source, place.previous.end, place.previous.end)
    diagnostic = Diagnostic(
        code="E0122",
        message="A check says what must be true of the answer.",
        span=here,
        helps=("Write `verify CALL expect CONDITION`; in the condition the answer is called `result`.",),
    )
    put = (Token("EXPECT", "", here.start, here.end), Token("BAD_EXPR", "", here.start, here.end))
    return Mended(diagnostic, put, 0)


def comma_for_else(place: Situation) -> Mended | None:
    """`require c, "msg"`."""
    token = place.token
    if token.kind != "COMMA" or not place.fits("ELSE", "STRING") or "COMMA" in place.allowed:
        return None
    if place.next.kind not in ("STRING", "TEXT_OPEN") or place.fits("THEN"):
        return None
    span = place.span(token)
    diagnostic = Diagnostic(
        code="E0122",
        message='A condition is written `require CONDITION else "message"`.',
        span=span,
        helps=("Write `else` for the comma.",),
        fixes=(Fix("Write `else`", (Edit(span, " else" if place.next.start > token.end else " else "),)),),
    )
    return Mended(diagnostic, (Token("ELSE", "else", token.start, token.end),), 1)


def loop_around_steps(place: Situation) -> Mended | None:
    """`for each i in xs { step … }` that is no step."""
    token = place.token
    if token.kind != "FOR" or place.next.kind not in ("EACH", "NAME"):
        return None
    if place.block() not in ("many{chain_member}", "many{section_member}"):
        return None
    name = place.tokens[place.at + (2 if place.next.kind == "EACH" else 1)].text
    opening = next((at for at in range(place.at, place.last_on_line() + 1) if place.tokens[at].kind == "LBRACE"), None)
    end = place.last_on_line() if opening is None else _closing(place, opening)
    if end is None:
        return None
    form = "do CALL" if opening is None else "{ … return VALUE }"
    diagnostic = Diagnostic(
        code="E0105",
        message="A loop is a step, which has a name.",
        span=place.span(token),
        helps=(f"Write `step NAME = for each {name} in LIST {form}`.",),
    )
    return Mended(diagnostic, (), end + 1 - place.at)


def if_around_steps(place: Situation) -> Mended | None:
    """`if c { step … }`."""
    token = place.token
    if token.kind != "IF" or place.block() not in ("many{chain_member}", "many{section_member}"):
        return None
    end = place.at
    while True:
        opening = next((at for at in range(end, len(place.tokens)) if place.tokens[at].kind == "LBRACE"), None)
        closing = None if opening is None else _closing(place, opening)
        if opening is None or closing is None or "\n" in place.source.text[token.start : place.tokens[opening].start]:
            break
        end = closing + 1
        token = place.tokens[end]
        if token.kind != "ELSE":
            break
    if end == place.at:
        return None
    diagnostic = Diagnostic(
        code="E0113",
        message="There is no `if` around steps.",
        span=place.span(place.token),
        helps=("Give each step the condition as a clause: `step NAME = CALL { when CONDITION }`.",),
    )
    return Mended(diagnostic, (), end - place.at)


def colon_before_block(place: Situation) -> Mended | None:
    """`chain c: {`."""
    token = place.token
    if token.kind != "COLON" or place.next.kind != "LBRACE" or place.allowed != {"LBRACE"}:
        return None
    span = place.span(token)
    diagnostic = Diagnostic(
        code="E0122",
        message="No colon stands before a block.",
        span=span,
        helps=("Remove it.",),
        fixes=(Fix("Remove it", (Edit(span, ""),)),),
    )
    return Mended(diagnostic, (), 1)


def function_for_chain(place: Situation) -> Mended | None:
    """`def c() { … }`."""
    token, name, opening = place.token, place.next, place.tokens[min(place.at + 2, len(place.tokens) - 1)]
    if place.block() != "many{item}" or token.text not in _FUNCTIONS or name.kind != "NAME":
        return None
    last = place.at + 1
    if opening.kind == "LPAR":
        closing = _closing(place, place.at + 2)
        if closing is None:
            return None
        last = closing
    if place.tokens[last + 1].kind != "LBRACE":
        return None
    edits = [Edit(place.span(token), "chain")]
    if last == place.at + 3:
        edits.append(Edit(Span(place.source, name.end, place.tokens[last].end), ""))
    empty = last in (place.at + 1, place.at + 3)
    diagnostic = Diagnostic(
        code="E0114",
        message=f"`{token.text}` is written `chain` here.",
        span=place.span(token),
        helps=(f"Write `chain {name.text} {{ … }}`. Its inputs stand inside: `input repo: string`.",),
        fixes=(Fix("Write `chain`", tuple(edits)),) if empty else (),
    )
    return Mended(diagnostic, (Token("CHAIN", "chain", token.start, token.end), name), last - place.at + 1)


def event_in_one_word(place: Situation) -> Mended | None:
    """`on_error skip`."""
    token = place.token
    event = token.text[3:]
    if token.kind != "NAME" or token.text[:3] != "on_" or event not in _EVENTS or "ON" not in place.allowed:
        return None
    span = place.span(token)
    diagnostic = Diagnostic(
        code="E0113",
        message=f"`{token.text}` is written `on {event}` here.",
        span=span,
        helps=(f'Write `on {event} skip`, `use VALUE` or `fail "why"`.',),
        fixes=(Fix(f"Write `on {event}`", (Edit(span, f"on {event}"),)),),
    )
    put = (Token("ON", "on", token.start, token.start + 2), Token("NAME", event, token.start + 3, token.end))
    return Mended(diagnostic, put, 1)


def answer_with_equal(place: Situation) -> Mended | None:
    """`given t.a = { … }`."""
    token = place.token
    if token.kind not in ("EQUAL", "COLON", "ARROW") or not {"RETURNS", "ANSWERS"} <= place.allowed:
        return None
    span = place.span(token)
    diagnostic = Diagnostic(
        code="E0122",
        message="A made-up answer is written `given TOOL returns VALUE`.",
        span=span,
        helps=(f"Write `returns` for `{token.text}`.",),
        fixes=(Fix("Write `returns`", (Edit(span, "returns"),)),),
    )
    return Mended(diagnostic, (Token("RETURNS", "returns", token.start, token.end),), 1)


def output_without_equal(place: Situation) -> Mended | None:
    """`output { a: 1 }` for `output = { a: 1 }`; an error within or behind the record shows it."""
    opening = None
    if place.previous.kind == "RBRACE" and "EQUAL" in place.allowed:
        depth, at = 0, place.at - 1
        while at >= 0:
            kind = place.tokens[at].kind
            depth += (kind in _CLOSERS) - (kind in _OPENERS)
            if not depth:
                break
            at -= 1
        opening, end = at, place.at - 1
    else:
        bracket = place.opener("RBRACE")
        if bracket is None or "BAD_TYPE" not in place.allowed:
            return None
        opening = next((at for at in range(place.at) if place.tokens[at] is bracket), 0)
        closing = _closing(place, opening)
        if closing is None:
            return None
        end = closing
    word = place.tokens[opening - 1]
    after = place.tokens[end + 1]
    if opening < 1 or word.kind != "OUTPUT" or after.kind == "EQUAL":
        return None
    here = Span(place.source, word.end, word.end)
    diagnostic = Diagnostic(
        code="E0122",
        message="An output is written `output = VALUE`, or `output TYPE = VALUE`.",
        span=place.span(word),
        helps=("Write `output = { … }`.",),
        fixes=(Fix("Insert `=`", (Edit(here, " ="),)),),
    )
    closer = place.tokens[end]
    value = (Token("EQUAL", "", closer.end, closer.end), Token("BAD_EXPR", "", closer.end, closer.end))
    if end < place.at:
        return Mended(diagnostic, value, 0)
    bad = Token("BAD_TYPE", "", place.token.start, place.tokens[end - 1].end)
    return Mended(diagnostic, (bad, closer, *value), end - place.at + 1)


def _closing(place: Situation, opening: int) -> int | None:
    """Where the bracket at an index is closed; None where it is not."""
    depth = 0
    for at in range(opening, len(place.tokens)):
        kind = place.tokens[at].kind
        depth += (kind in _OPENERS) - (kind in _CLOSERS)
        if not depth:
            return at
    return None


def _line_end(place: Situation) -> int:
    """The first token on a later line that lies in no bracket opened here."""
    depth = 0
    for at in range(place.at, len(place.tokens) - 1):
        kind = place.tokens[at].kind
        if at > place.at and depth <= 0 and (place.first_on_line(at) or depth < 0):
            return at
        if not depth and kind in _CLOSERS:
            return at
        depth += (kind in _OPENERS) - (kind in _CLOSERS)
    return len(place.tokens) - 1
