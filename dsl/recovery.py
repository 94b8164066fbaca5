"""Reading on after a syntax mistake.

The careful way through a file that has mistakes: before a token is taken, its states are tried on a copy, so that at
a mistake nothing has been reduced that would hide what was possible. A mistake is mended as something known
(`dsl.mend`), else by putting in, leaving out or replacing one token if the text then goes on well, else by skipping to
a token that some open rule can take.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from dsl import syntax_messages as say
from dsl.automaton import fits
from dsl.build import Builder
from dsl.diagnostics import Diagnostic, Edit, Fix
from dsl.lexer import Lexed
from dsl.mend import MENDS, name_of, reserved_word
from dsl.reduce import MOST_STATES, reductions
from dsl.situation import Situation
from dsl.source import Span
from dsl.table import table
from dsl.tokens import END, RESERVED_KINDS, Token, words
from dsl.tree import Item

INSERTED: Final[tuple[str, ...]] = ("COMMA", "COLON", "EQUAL", "RPAR", "RSQB", "RBRACE", "LBRACE", "LPAR", "GT")
CLOSING: Final = ("RPAR", "RSQB", "RBRACE", "GT")
CONNECTING: Final = ("EACH", "IN", "DO", "FROM", "THEN", "ELSE", "EXPECT", "FOR")
VALUES: Final[tuple[str, ...]] = ("BAD_EXPR", "BAD_TYPE", "NAME", "DURATION", "INT", "STRING")
GOOD_ENOUGH: Final = 3
"""So many tokens must fit after a repair, or the end of the file be reached."""
MOST_REPAIRS: Final = 200
QUIET: Final = 3
"""After tokens were skipped, what is wrong within so many tokens is thought to follow from it."""

TOP: Final = frozenset(("IMPORT", "TYPE", "KIND", "CHAIN", "PRIVATE", "TEST"))
SYNC: Final = TOP | frozenset(
    words(
        """
    LET DEFAULTS TOOL TITLE VERSION GROUPS STAGES USE_WHEN NOT_WHEN EXAMPLE OWNER EMPTY FAILS DEPRECATED
    EFFECTS SCOPES BUDGET REQUIRE INPUT ADAPTER OUTPUT SECTION STEP WHEN AFTER TIMEOUT RETRY PARALLEL UNDO
    KEY RECEIPT RECONCILE VERIFY ANY_ORDER BY SHOW ON RETURN SUMMARY EXPIRES GIVEN AT CALL EXPECT RUN STDIN
    PARSE COST
    """
    )
)
OPENERS: Final = frozenset(("LPAR", "LSQB", "LBRACE", "QLSQB", "INTERP"))
CLOSERS: Final = frozenset(("RPAR", "RSQB", "RBRACE", "INTERP_END"))


class Recovery:
    """One careful reading of a file. `complete` tells afterwards whether everything came into the tree."""

    def __init__(self, lexed: Lexed, builder: Builder) -> None:
        self.grammar = table()
        self.lexed = lexed
        self.builder = builder
        self.source = builder.source
        self.rules = reductions(self.grammar, builder)
        self.tokens = _quoted_labels(lexed.tokens, builder)
        self.states = [self.grammar.start]
        self.values: list[Any] = []
        self.at = 0
        self.quiet = 0
        self.ended = lexed.open_end
        self.complete = True

    def run(self) -> tuple[Item, ...]:
        repairs = 0
        while True:
            token = self.tokens[self.at]
            if fits(self.grammar, self.states, token.kind) and not self.begins_anew(token):
                if self.take(token.kind, token):
                    items: tuple[Item, ...] = self.values[-1]
                    return items
                self.at += 1
                self.quiet = max(self.quiet - 1, 0)
                if len(self.states) > MOST_STATES:
                    self.builder.diagnostics = [say.nested(Span(self.source, token.start, token.end))]
                    break
                continue
            repairs += 1
            if repairs > MOST_REPAIRS:
                break
            place = self.place()
            if not (self.mend(place) or self.repair(place)):
                self.skip(place)
        self.complete = False
        return ()

    def take(self, kind: str, token: Token) -> bool:
        """Reduce and shift for a token that is known to fit; True at the end of the file."""
        rows, states, values = self.grammar.rows, self.states, self.values
        while True:
            row = rows[states[-1]]
            action = row.get(kind)
            if action is None:
                action = row["NAME"]
            if action >= 0:
                states.append(action)
                values.append(token)
                return False
            origin, length, build, holes = self.rules[-1 - action]
            parts = values[len(values) - length :]
            del values[len(values) - length :], states[len(states) - length :]
            for hole in holes:
                parts.insert(hole, None)
            values.append(parts[0] if build is None else build(*parts))
            states.append(rows[states[-1]][origin])
            if states[-1] == self.grammar.end and kind == END:
                return True

    def report(self, diagnostic: Diagnostic) -> None:
        """At the end of the file one message is enough, and none where a text ran on to it."""
        at_end = self.tokens[self.at].kind == END
        if not self.quiet and not (at_end and self.ended):
            self.builder.diagnostics.append(diagnostic)
        self.ended = self.ended or at_end

    # -- known mistakes

    def mend(self, place: Situation) -> bool:
        for mend in MENDS:
            mended = mend(place)
            if mended is None:
                continue
            if mended.diagnostic is not None:
                self.report(mended.diagnostic)
                self.complete = False
            self.tokens[self.at : self.at + mended.skip] = mended.tokens
            return True
        return False

    # -- one token

    def begins_anew(self, token: Token) -> bool:
        """Whether a word that could only be a name here in truth begins the next clause.

        As `step` does where `let x =` has nothing behind it and the next line is `step y = …`.
        """
        if token.kind not in SYNC or fits(self.grammar, self.states, token.kind, as_name=False):
            return False
        place = self.place()
        return place.first_on_line(self.at) and place.ahead(()) < GOOD_ENOUGH

    def place(self) -> Situation:
        return Situation(self.source, self.grammar, self.states, self.values, self.tokens, self.at)

    def repair(self, place: Situation) -> bool:
        """Put in, leave out or replace one token, whichever goes on best; inserting is the mildest."""
        token = place.token
        starts = place.first_on_line(self.at)
        inside_block = bool(place.block())
        inserted = [kind for kind in INSERTED if kind in place.allowed]
        if starts and inside_block:
            # All before it is finished: only a bracket can be missing.
            inserted = [kind for kind in inserted if kind in CLOSING]
        if not inside_block:
            inserted += [kind for kind in CONNECTING if kind in place.allowed]
        if "PLUS" in place.allowed:
            # A value stands before it: no operator is put in, only what belongs to the form around it.
            inserted = [kind for kind in inserted if kind not in ("GT", "IN", "LPAR")]
        values = [kind for kind in VALUES if kind in place.allowed]
        tries = [(place.ahead((kind,)), "insert", kind) for kind in (*inserted, *values)]
        if token.kind != END and not (starts and token.kind in SYNC):
            close = say.close_word(place)
            if close is not None:
                tries.append((max(place.ahead((close.upper(),), 1), GOOD_ENOUGH) + 1, "misspelt", close.upper()))
            tries += [(place.ahead((kind,), 1) - 1, "replace", kind) for kind in values[:2]]
            tries.append((place.ahead((), 1) - 1, "delete", ""))
            tries += [(place.ahead((kind,), 1) - 2, "replace", kind) for kind in (*inserted, *values[2:])]
        best, how, kind = max(tries, key=lambda found: found[0], default=(0, "", ""))
        if best < GOOD_ENOUGH:
            return False
        self.apply(place, how, kind)
        return True

    def apply(self, place: Situation, how: str, kind: str) -> None:
        token, before = place.token, place.previous
        self.complete = False
        if how == "insert":
            opener = place.opener(kind)
            if kind == "COMMA" and self.semicolon(before.end, token.start):
                pass
            elif opener is None or opener.text:
                # The partner of a bracket that was put in goes without saying.
                self.report(say.missing(place, kind))
            self.tokens.insert(self.at, Token(kind, "", before.end, before.end))
        elif how == "delete":
            self.report(say.surplus(place))
            del self.tokens[self.at]
        else:
            self.report(say.misspelt(place, kind.lower()) if how == "misspelt" else say.instead(place, kind))
            word = kind.lower() if how == "misspelt" else "1" if kind == "INT" else ""
            self.tokens[self.at] = Token(kind, word, token.start, token.end)

    def semicolon(self, start: int, end: int) -> bool:
        """Whether a `;` that stands here was reported: what was meant is a comma."""
        found = self.lexed.diagnostics
        for at, each in enumerate(found):
            if each.code == "E0006" and each.span and start <= each.span.start < end:
                fix = Fix("Write `,`", (Edit(each.span, ","),))
                found[at] = replace(each, helps=("Commas separate what stands in brackets.",), fixes=(fix,))
                return True
        return False

    # -- many tokens

    def skip(self, place: Situation) -> None:
        """Skip to a token at which an open rule can go on, dropping what was begun inside it."""
        self.report(say.lost(place))
        self.complete = False
        depth = 0
        for at in range(self.at, len(self.tokens)):
            kind = self.tokens[at].kind
            first = place.first_on_line(at)
            if first and kind in TOP and self.source.position(self.tokens[at].start)[1] == 1:
                depth = 0
            stops = (first and kind in SYNC) or kind in CLOSERS or kind == "COMMA"
            if (kind == END or (not depth and stops)) and self.fall_back(kind, at):
                self.at = at
                self.quiet = QUIET
                return
            if kind in OPENERS:
                depth += 1
            elif kind in CLOSERS:
                depth = max(depth - 1, 0)
        raise AssertionError("the end of the file fits somewhere")

    def fall_back(self, kind: str, at: int) -> bool:
        """Cut the stack to the highest place where this kind fits, with a bad value put in if need be."""
        inner = kind in CLOSERS or kind == "COMMA"
        for height in range(len(self.states), 0, -1):
            states = self.states[:height]
            for filler in ((), ("BAD_EXPR",), ("BAD_TYPE",)):
                if fits(self.grammar, states, *filler, kind, as_name=False):
                    del self.states[height:], self.values[height - 1 :]
                    for bad in filler:
                        start = self.tokens[self.at].start
                        self.take(bad, Token(bad, "", start, max(start, self.tokens[at - 1].end if at else start)))
                    return True
            entered = self.grammar.entered[states[-1]]
            if inner and entered in OPENERS and not (kind == "RBRACE" and entered != "LBRACE"):
                return False
        return False


def _quoted_labels(tokens: Sequence[Token], builder: Builder) -> list[Token]:
    """`(if: 1)`, `{ not: 2 }`: a reserved word before a colon can only be meant as a name."""
    out = list(tokens)
    for at in range(1, len(out) - 1):
        token = out[at]
        if (
            token.kind in RESERVED_KINDS
            and out[at + 1].kind == "COLON"
            and out[at - 1].kind in ("LPAR", "LBRACE", "COMMA")
        ):
            builder.diagnostics.append(reserved_word(token, builder.span(token), True))
            out[at] = name_of(token, True)
    return out
