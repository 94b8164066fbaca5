"""Text → tree. `parse` never raises, whatever the text."""

from __future__ import annotations

from typing import Any, Final, get_args

from dsl.build import Builder
from dsl.diagnostics import Diagnostic, Edit, Fix, Sink
from dsl.lexer import lex
from dsl.reduce import MOST_LEVELS, MOST_STATES, reductions
from dsl.source import Source, Span
from dsl.table import Table, table
from dsl.tokens import END, SOFT_KINDS, Token
from dsl.tree import Expr, File, Item, Node, Type
from dsl.tree.walk import children

_NESTED: Final = frozenset((*get_args(Expr), *get_args(Type)))


def parse(source: Source, sink: Sink) -> File:
    """The tree of a source; what is wrong with it goes to `sink`, with the fixes that are certain (`dsl.certain`).

    With mistakes the tree holds what could be read; `File.complete` is False where something was skipped.
    """
    file, found = _parse(source)
    if any(each.fixes for each in found):
        from dsl.certain import certain  # not loaded for files without mistakes

        found = certain(source, found, lambda text: len(_parse(text)[1]))
    sink.extend(found)
    return file


def _parse(source: Source) -> tuple[File, list[Diagnostic]]:
    lexed = lex(source)
    builder = Builder(source, dict(lexed.docs))
    items: tuple[Item, ...] | None = read(lexed.tokens, builder)
    complete = True
    if items is None:
        from dsl.recovery import Recovery  # not loaded for files without mistakes

        builder = Builder(source, dict(lexed.docs))
        recovery = Recovery(lexed, builder)
        items = recovery.run()
        complete = recovery.complete
    for lines in builder.docs.values():
        builder.diagnostics.append(_misplaced(lines, source))
    comments = tuple(lexed.comments)
    file = File(0, len(source.text), source, items, comments, complete and not lexed.open_end)
    deep = _too_deep(file)
    if deep is not None:
        from dsl.syntax_messages import nested

        span = Span(source, deep.start, deep.end)
        builder.diagnostics.append(nested(span))
        file = File(0, len(source.text), source, (), comments, False)
    return file, [*lexed.diagnostics, *builder.diagnostics]


def read(tokens: list[Token], builder: object) -> Any:
    """What the builder's methods, one for each alias of the grammar, make of words without syntax mistakes, else None.

    This is the loop that has to be fast.
    """
    grammar = table()
    rows, end = grammar.rows, grammar.end
    rules, ways = reductions(grammar, builder), grammar.ways
    states = [grammar.start]
    values: list[Any] = []
    row = rows[grammar.start]
    for token in tokens:
        kind = token[0]
        while True:
            action = row.get(kind)
            if action is None:
                if kind not in SOFT_KINDS or "NAME" not in row:
                    return None
                action = row["NAME"]
            if action >= 0:
                states.append(action)
                values.append(token)
                row = rows[action]
                break
            origin, length, build, holes = rules[-1 - action]
            if build is None:
                # A single value that is handed on changes the state only.
                way = (states[-2], action, kind)
                state = ways.get(way, -1)
                if state < 0:
                    state = ways[way] = _handed_on(grammar, *way)
                states[-1] = state
            elif length == 1 and not holes:
                values[-1] = build(values[-1])
                states[-1] = state = rows[states[-2]][origin]
            elif length:
                parts = values[-length:]
                for place in holes:
                    parts.insert(place, None)
                del values[-length:], states[-length:]
                values.append(build(*parts))
                state = rows[states[-1]][origin]
                states.append(state)
            else:
                values.append(build())
                state = row[origin]
                states.append(state)
            if state == end and kind == END:
                return values[-1]
            row = rows[state]
        if len(states) > MOST_STATES:
            return None
    return None


def _handed_on(grammar: Table, below: int, action: int, kind: str) -> int:
    """The state in which a value is not handed on any more before a word of this kind.

    `1` alone is a product, a sum, a comparison…: where it ends depends on nothing but the state below it and the word.
    """
    rows, rules = grammar.rows, grammar.rules
    while True:
        state = rows[below][rules[-1 - action][0]]
        row = rows[state]
        next_action = row.get(kind, row.get("NAME") if kind in SOFT_KINDS else None)
        if state == grammar.end or next_action is None or next_action >= 0 or rules[-1 - next_action][2]:
            return state
        action = next_action


def _too_deep(file: File) -> Node | None:
    """A node that lies too deep. A subtree is entered only where its text is long enough to hold that many levels."""
    waiting: list[tuple[Node, int]] = [(item, 0) for item in file.items]
    while waiting:
        node, depth = waiting.pop()
        if depth > MOST_LEVELS:
            return node
        if depth + node.end - node.start > MOST_LEVELS:
            waiting.extend((child, depth + (type(child) in _NESTED)) for child in children(node))
    return None


def _misplaced(lines: list[Token], source: Source) -> Diagnostic:
    return Diagnostic(
        code="E0117",
        message="A `///` line describes the declaration below it, and below this one is none.",
        span=Span(source, lines[0].start, lines[-1].end),
        helps=("Write `//` for a comment.",),
        fixes=(Fix("Write `//`", tuple(Edit(Span(source, line.start, line.start + 3), "//") for line in lines)),),
    )
