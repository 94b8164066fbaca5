"""Which clauses go where, and what stands in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from compiler.check.scope import Scope
from compiler.check.settings import RETRY, check_wait, settings
from compiler.types.report import did_you_mean, mended, near
from dsl import tree
from stdlib.values.faults import FAULTS

Place = Literal["call", "each", "block", "approve", "ask", "section", "defaults"]
"""Where clauses stand; `each` is `for each … do`, `block` is `for each … { … }`."""

MOST_RETRIES = 100

EVENTS = ("error", "item_error", "reject", "decline", "expiry")

_CALLS: tuple[Place, ...] = ("call", "each", "block")
_STEPS: tuple[Place, ...] = (*_CALLS, "approve", "ask")

# Clause → (keyword, where it makes sense, what it is about).
_RULES: dict[type, tuple[str, tuple[Place, ...], str]] = {
    tree.When: ("when", (*_STEPS, "section"), "on a step or a section"),
    tree.After: ("after", (*_STEPS, "section"), "on a step or a section"),
    tree.Timeout: ("timeout", (*_STEPS, "section", "defaults"), "on a step"),
    tree.Retry: ("retry", (*_CALLS, "section", "defaults"), "on a step that calls something"),
    tree.Parallel: ("parallel", ("each", "block", "section", "defaults"), "on a `for each` step"),
    tree.Undo: ("undo", ("call", "each"), "on a step that calls something"),
    tree.Key: ("key", ("call", "each"), "on a step that calls a tool"),
    tree.Receipt: ("receipt", ("call", "each"), "on a step that calls a tool"),
    tree.Reconcile: ("reconcile", ("call", "each"), "on a step that calls a tool"),
    tree.Verify: ("verify", ("call", "each"), "on a step that calls a tool"),
    tree.AnyOrder: ("any_order", ("section",), "on a section"),
    tree.By: ("by", ("approve",), "on an `approve` step"),
    tree.Show: ("show", ("approve",), "on an `approve` step"),
}
_EVENT_PLACES: dict[str, tuple[tuple[Place, ...], str]] = {
    "error": ((*_CALLS, "section", "defaults"), "on a step that calls something"),
    "item_error": (("each", "block"), "on a `for each` step"),
    "reject": (("approve",), "on an `approve` step"),
    "decline": (("ask",), "on an `ask` step"),
    "expiry": (("approve", "ask"), "on an `approve` or `ask` step"),
}


def place_of(step: tree.Step) -> Place:
    match step.action:
        case tree.CallAction():
            return "call"
        case tree.EachCall():
            return "each"
        case tree.EachBlock():
            return "block"
        case tree.ApproveAction():
            return "approve"
        case tree.AskAction():
            return "ask"


def check_places(scope: Scope, clauses: Sequence[tree.Clause], place: Place) -> None:
    """Every clause where it makes sense; settings, names of events and counts."""
    report = scope.report
    for clause in clauses:
        if isinstance(clause, tree.On):
            _event(scope, clause, place)
            continue
        word, places, where = _RULES[type(clause)]
        at = tree.Node(clause.start, clause.start + len(word))
        if place not in places:
            report("E0503", at, f"`{word}` only makes sense {where}.", helps=_instead(word, place))
        elif isinstance(clause, tree.Retry):
            settings(report, "retry", clause.settings, RETRY)
            if clause.count < 1:
                message = "`retry` says how many further attempts there are: at least 1."
                report("E0503", clause, message, helps="Leave it out where nothing is tried again.")
            elif clause.count > MOST_RETRIES:
                message = f"A step is tried again at most {MOST_RETRIES} times."
                report("E0506", clause, message, helps="Wait longer between attempts: `retry 5 (wait: 10s)`.")
        elif isinstance(clause, tree.Timeout):
            check_wait(report, "`timeout`", clause.duration)
        elif isinstance(clause, tree.Parallel) and clause.count < 1:
            report("E0503", clause, "`parallel` says how many items run at once: at least 1.")


def _instead(word: str, place: Place) -> str:
    if word == "parallel":
        return "Steps that do not wait for each other already run at the same time."
    if word == "any_order":
        return "Put the steps that need no order into a `section` and write it there."
    if word == "show" and place == "ask":
        return 'Say it in the question: `ask "… ${VALUE}" for { … }`.'
    if place == "block":
        return "Write it on the step inside the block."
    if place == "defaults":
        return "`defaults` holds `timeout`, `retry`, `parallel` and `on error`."
    if word == "retry" and place in ("approve", "ask"):
        return "Say what happens instead: `on expiry …`."
    return ""


def _event(scope: Scope, clause: tree.On, place: Place) -> None:
    event = clause.event.text
    if event not in _EVENT_PLACES:
        fault = "Every fault of a step is the event `error`: write `on error …`." if event in FAULTS else ""
        hint = (
            fault or did_you_mean(event, EVENTS) or "There are `error`, `item_error`, `reject`, `decline` and `expiry`."
        )
        known = near(event, EVENTS)
        fixes = (scope.report.replace(clause.event, known),) if known else ()
        scope.report("E0504", clause.event, f"There is no event `{event}`.", helps=hint, fixes=fixes)
        return
    places, where = _EVENT_PLACES[event]
    if place not in places:
        hint = "A failing step has the event `error`." if event == "item_error" and place == "call" else ""
        scope.report("E0503", clause.event, f"`on {event}` only makes sense {where}.", helps=hint)


def check_after(scope: Scope, clauses: Sequence[tree.Clause], loops: tuple[str, ...] = ()) -> None:
    """`after` takes steps and sections that can be seen here."""
    chain = scope.chain
    assert chain is not None, "clauses stand in chains"
    symbols = chain.names.symbols
    for clause in clauses:
        if not isinstance(clause, tree.After):
            continue
        for name in clause.names:
            symbol = symbols.get(name.text)
            if symbol is not None and symbol.kind in ("step", "section") and symbol.loops in ((), loops):
                chain.used.add(name.text)
                continue
            if symbol is not None and symbol.kind in ("step", "section"):
                message = f"`{name.text}` lives inside the loop `{symbol.loops[-1]}`."
                hint = f"Wait for the whole loop: `after {symbol.loops[0]}`."
            elif symbol is not None:
                message = f"`{name.text}` is {symbol.word}: `after` waits for steps and sections."
                hint = "Inputs and lets need no waiting."
            else:
                message = f"There is no step or section `{name.text}`."
                hint = mended(name.text, (n for n, s in symbols.items() if s.kind in ("step", "section")), "There are")
            scope.report("E0300", name, message, helps=hint)
