"""What is said about a syntax mistake, by the place where it was made.

A place is known by the symbols on top of the parser's stack, never by the number of a state, so that a change of the
grammar does not silently move a message.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Final, NamedTuple

from dsl.diagnostics import Diagnostic, Edit, Fix, Label
from dsl.reduce import MOST_LEVELS
from dsl.situation import Situation, said, wanted
from dsl.source import Span
from dsl.tokens import END, SOFT_KINDS, SPELLING


class Block(NamedTuple):
    """A list of members: how it is called and what belongs into it."""

    code: str
    where: str
    help: str


_CLAUSES: Final = "when, after, timeout, retry, key, receipt, reconcile, verify, undo, by, show, on"
BLOCKS: Final = {
    "many{item}": Block(
        "E0114", "At the top of a file", "There you can write import, type, kind, let, defaults, chain and test."
    ),
    "many{chain_member}": Block(
        "E0113",
        "Inside a chain",
        "A chain has input, let, require, step, section, output and adapter, and before them title, version, "
        "effects, budget and the like.",
    ),
    "many{clause}": Block("E0113", "Among clauses", f"Clauses are {_CLAUSES}, parallel and any_order."),
    "many{section_member}": Block(
        "E0113", "In this block", f"It has let and step, and clauses: {_CLAUSES}, parallel, any_order."
    ),
    "many{test_member}": Block("E0113", "Inside a test", "A test has given, at, let, call and expect."),
    "many{tool_decl}": Block("E0113", "Inside an import", "An import lists tools: `tool NAME returns TYPE { … }`."),
    "many{tool_clause}": Block(
        "E0113", "Inside a tool", "A tool has effects, scopes, cost, run, stdin and parse clauses."
    ),
    "many{output_clause}": Block("E0113", "Behind an output", "An output has summary and expires clauses."),
    "many{input_decl}": Block(
        "E0113", "Inside an adapter", "An adapter has input, let, call and output, in this order."
    ),
    "many{let_decl}": Block("E0113", "Inside an adapter", "An adapter has input, let, call and output, in this order."),
}
"""By the symbol of the list."""

_OTHER_WORDS: Final = {
    **dict.fromkeys(("const", "var", "val", "set", "def"), "let"),
    **dict.fromkeys(("workflow", "pipeline", "flow", "function", "fn", "func", "task", "job"), "chain"),
    **dict.fromkeys(("param", "parameter", "arg", "inputs", "args"), "input"),
    **dict.fromkeys(("outputs", "result", "return"), "output"),
    **dict.fromkeys(("steps", "call", "run"), "step"),
    **dict.fromkeys(("assert", "check", "ensure"), "require"),
    **dict.fromkeys(("if", "condition", "only_if"), "when"),
    **dict.fromkeys(("depends_on", "needs", "wait_for"), "after"),
    **dict.fromkeys(("retries", "max_retries"), "retry"),
    **dict.fromkeys(("on_error", "catch", "rescue"), "on"),
    **dict.fromkeys(("stage", "group", "phase"), "section"),
    **dict.fromkeys(("struct", "record", "interface", "class"), "type"),
    **dict.fromkeys(("include", "use", "require", "from"), "import"),
    **dict.fromkeys(("concurrency", "max_parallel"), "parallel"),
}
"""Words for the same thing elsewhere → ours; for a hint only."""

NO_WHILE: Final = (
    "A loop goes over a list: `step NAME = for each n in range(10) { … return VALUE }`; a round that fails ends it."
)
_WAIT: Final = "Only a tool can wait for a time. Between attempts of a step: `retry 5 (wait: 10s)`."
_QUESTION: Final = 'A question is a step: `step NAME = approve "…" { … }`, `step NAME = ask "…" for { … }`.'
_HINTS: Final = {
    **dict.fromkeys(("while", "until", "repeat", "loop", "poll", "foreach", "break", "continue"), NO_WHILE),
    **dict.fromkeys(("wait", "sleep", "delay", "pause"), _WAIT),
    **dict.fromkeys(("approve", "ask", "confirm"), _QUESTION),
}
"""Words for what is done otherwise here → how."""

IMPORT_FORM: Final = 'Write `import slack from mcp "slack"`; kinds are mcp, openapi, python, command, std and chain.'
STEP_FORM: Final = "A step is written `step NAME = TOOL(argument: value)`."
LOOP_FORM: Final = "A loop is written `for each ITEM in LIST do CALL`."
REACTION_FORM: Final = '`on` is followed by an event and a reaction: `on error skip`, `use VALUE` or `fail "why"`.'

# The innermost of these words that is still open tells the form that was begun.
_FORMS: Final = {
    "IMPORT": ("E0101", "An import says where tools come from.", IMPORT_FORM),
    "STEP": ("E0111", STEP_FORM, "For a value that calls no tool write `let NAME = VALUE`."),
    "EACH": ("E0105", LOOP_FORM, "Or with a block that ends in `return VALUE`: `for each ITEM in LIST { … }`."),
    "ON": ("E0109", REACTION_FORM, "Events are error, item_error, reject, decline and expiry."),
    "REQUIRE": (
        "E0122",
        'A condition is written `require CONDITION else "message"`.',
        "The message tells the caller why.",
    ),
    "IF": ("E0122", "A choice is written `if CONDITION then A else B`.", "For more than two write `else if`."),
    "TYPE": ("E0122", "A type is written `type NAME = TYPE`.", ""),
    "KIND": ("E0122", "A kind is written `kind NAME = TYPE`.", ""),
    "LET": ("E0122", "A value is written `let NAME = VALUE`.", ""),
    "INPUT": ("E0122", "An input is written `input NAME: TYPE`, with `= VALUE` behind it if it has a default.", ""),
    "OUTPUT": ("E0122", "An output is written `output = VALUE`, or `output TYPE = VALUE`.", ""),
    "CHAIN": ("E0122", "A chain is written `chain NAME { … }`.", "Its inputs stand inside: `input repo: string`."),
    "SECTION": ("E0122", "A section is written `section NAME { … }`.", ""),
    "DEFAULTS": ("E0122", "Defaults are written `defaults { … }`.", ""),
    "TEST": ("E0122", 'A test is written `test "what it shows" { … }`.', ""),
    "TOOL": ("E0122", "A tool is written `tool NAME returns TYPE { … }`.", ""),
    "VERIFY": ("E0122", "A check is written `verify CALL expect CONDITION`.", ""),
    "GIVEN": ("E0122", "A made-up answer is written `given TOOL returns VALUE`.", ""),
}


_OF_STEPS: Final = ("many{chain_member}", "many{section_member}", "many{clause}")

_SEPARATED: Final = {"LPAR": "Arguments", "LBRACE": "Fields", "LSQB": "Items"}


def missing(place: Situation, kind: str) -> Diagnostic:
    """One token of this kind would mend it."""
    before = place.previous
    here = Span(place.source, before.end, before.end) if place.at else place.span(place.token)
    what = wanted(kind)
    if kind in ("BAD_EXPR", "BAD_TYPE"):
        return expected_value(place) if kind == "BAD_EXPR" else expected_type(place)
    message = f"I miss {what} after {said(before)}." if place.at else f"I miss {what} here."
    code, helps = {"DURATION": "E0104", "STRING": "E0103"}.get(kind, "E0100"), _why(place, kind)
    symbols = (place.entered(2), place.entered(1))
    if kind in ("EACH", "DO") or (kind == "IN" and "EACH" in symbols):
        code, helps = "E0105", (LOOP_FORM,)
    elif kind == "FROM":
        code, helps = "E0101", (IMPORT_FORM,)
    elif kind == "EQUAL" and _innermost(place) == "STEP":
        code, helps = "E0111", (STEP_FORM,)
    opener = place.opener(kind)
    secondary = (Label(place.span(opener), "opened here"),) if opener is not None else ()
    fixes: tuple[Fix, ...] = ()
    if kind in SPELLING:
        sign = SPELLING[kind]
        text = sign if not sign.isalpha() else f" {sign}"
        text = f" {sign}" if kind in ("EQUAL", "LBRACE") else f"{sign} " if kind == "COLON" and _tight(place) else text
        fixes = (Fix(f"Insert `{sign}`", (Edit(here, text),)),)
    return Diagnostic(code=code, message=message, span=here, secondary=secondary, helps=helps, fixes=fixes)


def surplus(place: Situation) -> Diagnostic:
    """Leaving the token out would mend it."""
    if place.token.kind == "COMMA" and place.block():
        span = place.span(place.token)
        return Diagnostic(
            code="E0122",
            message="Nothing separates clauses and declarations.",
            span=span,
            helps=("Remove the `,`.",),
            fixes=(Fix("Remove the `,`", (Edit(span, ""),)),),
        )
    return unfit_member(place) or Diagnostic(
        code="E0122", message=f"{_capital(said(place.token))} does not belong here.", span=place.span(place.token)
    )


_ALIKE: Final = frozenset(("COLON", "EQUAL", "ARROW"))
"""Signs that are taken for each other; where another sign stands, nobody knows what was meant."""


def instead(place: Situation, kind: str) -> Diagnostic:
    """Another token in its place would mend it."""
    token = place.token
    helps = _why(place, kind)
    fixes: tuple[Fix, ...] = ()
    if kind in SPELLING and {kind, token.kind} <= _ALIKE:
        sign = SPELLING[kind]
        fixes = (Fix(f"Write `{sign}`", (Edit(place.span(token), sign),)),)
    return Diagnostic(
        code="E0122",
        message=f"{_capital(said(token))} stands where I expected {wanted(kind)}.",
        span=place.span(token),
        helps=helps,
        fixes=fixes,
    )


def misspelt(place: Situation, word: str) -> Diagnostic:
    """A word that is almost one that fits."""
    token = place.token
    block = BLOCKS.get(place.block())
    return Diagnostic(
        code=block.code if block else "E0122",
        message=f"{block.where if block else 'Here'} I do not know `{token.text}`.",
        span=place.span(token),
        helps=(f"Did you mean `{word}`?",),
        fixes=(Fix(f"Write `{word}`", (Edit(place.span(token), word),)),),
    )


def lost(place: Situation) -> Diagnostic:
    """No single token mends it; what follows is skipped."""
    if "BAD_TYPE" in place.allowed:
        return expected_type(place)
    if "BAD_EXPR" in place.allowed and place.entered() != "LBRACE":
        return expected_value(place)
    member = unfit_member(place)
    if member is not None:
        return member
    form = _FORMS.get(_innermost(place))
    if form is not None:
        code, message, help_ = form
        return Diagnostic(code=code, message=message, span=place.gap(), helps=(help_,) if help_ else ())
    span = place.span(place.token)
    if place.entered() in ("LBRACE", "COMMA") and "STRING" in place.allowed:
        return Diagnostic(code="E0112", message="A field is written `name: value`.", span=span)
    return Diagnostic(
        code="E0122", message=f"I cannot read {said(place.token)} here.", span=span, helps=_possible(place)
    )


def expected_value(place: Situation) -> Diagnostic:
    return Diagnostic(
        code="E0107", message=f"I expected a value here{_but(place)}.", span=place.gap(), helps=_value_help(place)
    )


def expected_type(place: Situation) -> Diagnostic:
    return Diagnostic(
        code="E0102",
        message=f"I expected a type here{_but(place)}.",
        span=place.gap(),
        helps=("For example `string`, `list<string>` or `{ name: string }`.",),
    )


def unfit_member(place: Situation) -> Diagnostic | None:
    """Something that is no member of the block that it stands in; None within an expression."""
    token = place.token
    block = BLOCKS.get(place.block())
    after_block = place.previous.kind in ("RBRACE", "LBRACE")
    closes = token.kind in ("RBRACE", END)
    if block is None or not (place.first_on_line(place.at) or after_block or closes):
        return None
    if closes:
        message = f"{block.where} something is missing before {said(token)}."
        return Diagnostic(code=block.code, message=message, span=place.gap(), helps=(block.help,))
    help_ = block.help
    ours = _OTHER_WORDS.get(token.text)
    close = close_word(place)
    if close is not None:
        help_ = f"Did you mean `{close}`?"
    elif ours is not None and place.fits(ours.upper()):
        help_ = f"It is called `{ours}` here. {block.help}"
    elif token.text in _HINTS and place.block() in _OF_STEPS:
        help_ = _HINTS[token.text]
    return Diagnostic(
        code=block.code,
        message=f"{block.where} there is no place for {said(token)}.",
        span=place.span(token),
        helps=(help_,),
    )


def close_word(place: Situation) -> str | None:
    """The word of the language that fits here and is spelt almost like the one that stands here."""
    if place.token.kind != "NAME":
        return None
    words = sorted(SPELLING[kind] for kind in place.allowed if kind in SOFT_KINDS)
    found = get_close_matches(place.token.text.lower(), words, n=1, cutoff=0.75)
    return found[0] if found else None


def nested(span: Span) -> Diagnostic:
    """Nested deeper than later stages follow."""
    return Diagnostic(
        code="E0118",
        message=f"This is nested more than {MOST_LEVELS} levels deep.",
        span=span,
        helps=("Give the inner parts names with `let`.",),
    )


def _innermost(place: Situation) -> str:
    """The word of `_FORMS` that opened what is being read, if only names and `=` came after it."""
    for count in range(1, min(8, len(place.states))):
        symbol = place.entered(count)
        if symbol in _FORMS:
            return symbol
        if symbol.startswith("many{") or symbol in ("LBRACE", "LPAR", "LSQB"):
            return ""
    return ""


def _why(place: Situation, kind: str) -> tuple[str, ...]:
    if kind == "COMMA":
        symbols = (place.entered(count) for count in range(1, len(place.states)))
        around = next((symbol for symbol in symbols if symbol in _SEPARATED or symbol.startswith("many{")), "")
        return (f"{_SEPARATED.get(around, 'They')} are separated by commas.",)
    if kind == "COLON":
        return ("A name and what belongs to it are written `name: …`.",)
    if kind in ("THEN", "ELSE"):
        return ("A choice is written `if CONDITION then A else B`.",)
    return ()


def _tight(place: Situation) -> bool:
    """Whether the next token follows without a blank."""
    return place.previous.end == place.token.start


def _but(place: Situation) -> str:
    token = place.token
    if token.kind == END or place.first_on_line(place.at):
        return f", after {said(place.previous)}" if place.at else ""
    return f", not {said(token)}"


def _value_help(place: Situation) -> tuple[str, ...]:
    token = place.token
    if token.kind == "SLASH":
        return ("Comments start with `//`.",)
    if token.kind in SOFT_KINDS or token.kind == "NAME" or token.kind == END:
        return ()
    return ('For example `12`, `"text"`, `issue.title` or `[1, 2]`.',)


def _possible(place: Situation) -> tuple[str, ...]:
    """At most five things that could stand here."""
    kinds = [kind for kind in place.allowed if kind not in ("BAD_EXPR", "BAD_TYPE", "TEXT_OPEN", END)]
    if "NAME" in kinds:
        kinds = [kind for kind in kinds if kind not in SOFT_KINDS]
    if not 0 < len(kinds) <= 5:
        return ()
    words = sorted(wanted(kind) for kind in kinds)
    return (f"Here I know {' or '.join(words)}.",)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
