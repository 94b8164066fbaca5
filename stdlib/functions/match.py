"""Functions that look for patterns in texts, and the machine that runs them.

No pattern can hang: the machine looks at each character once with every state of the program, and a call that needs
more than STEP_LIMIT looks is ended with a fault.
"""

from __future__ import annotations

from typing import Final

from .entry import Family, FunctionFault, Spend
from .pattern import Anchor, Instruction, Jump, One, Program, Save, compile_pattern

MATCH: Final = Family("Patterns")
STEP_LIMIT: Final = 3_000_000
"""Most looks (a state of the program at a position of the text) in one call: a second or two."""

Slots = tuple[int | None, ...]


class Search:
    """One text, one program; looks from position to position, never more than STEP_LIMIT steps in all."""

    def __init__(self, program: Program, text: str, spend: Spend) -> None:
        self.program = program
        self.text = text
        self.spend = spend
        self.steps = 0

    def find(self, start: int) -> Slots | None:
        """Start and end of every group of the first match at or after `start`, as `re` would choose it."""
        code, text = self.program.instructions, self.text
        empty: Slots = (None,) * (2 * self.program.groups + 2)
        found: Slots | None = None
        states: list[tuple[int, Slots]] = []
        before = self.steps
        for at in range(start, len(text) + 1):
            seen: set[int] = set()
            ready: list[tuple[int, Slots]] = []
            for pc, slots in states:
                self._follow(pc, slots, at, seen, ready)
            if found is None:
                self._follow(0, empty, at, seen, ready)
            states = []
            for pc, slots in ready:
                if pc == len(code):
                    found = slots
                    break  # what comes later in the list matters less than this match
                instruction = code[pc]
                if at < len(text) and isinstance(instruction, One) and instruction.test(text[at]):
                    states.append((pc + 1, slots))
            if not states and found is not None:
                break
        self.spend(self.steps - before)
        return found

    def _follow(self, pc: int, slots: Slots, at: int, seen: set[int], ready: list[tuple[int, Slots]]) -> None:
        """Adds the states that are reached from `pc` without taking a character, in order of preference."""
        code = self.program.instructions
        waiting = [(pc, slots)]
        while waiting:
            pc, slots = waiting.pop()
            if pc in seen:
                continue
            seen.add(pc)
            self.steps += 1
            instruction: Instruction | None = code[pc] if pc < len(code) else None
            if isinstance(instruction, Jump):
                waiting.extend((target, slots) for target in reversed(instruction.targets))
            elif isinstance(instruction, Save):
                waiting.append((pc + 1, (*slots[: instruction.slot], at, *slots[instruction.slot + 1 :])))
            elif isinstance(instruction, Anchor):
                if self._holds(instruction.kind, at):
                    waiting.append((pc + 1, slots))
            else:
                ready.append((pc, slots))
        if self.steps > STEP_LIMIT:
            raise FunctionFault("The text is too long for this pattern.", "result_too_large")

    def _holds(self, kind: str, at: int) -> bool:
        text = self.text
        match kind:
            case "start":
                return at == 0
            case "end":
                return at == len(text)
            case "line_start":
                return at == 0 or text[at - 1] == "\n"
            case "line_end":
                return at == len(text) or text[at] == "\n"
        border = (at > 0 and _is_word(text[at - 1])) is not (at < len(text) and _is_word(text[at]))
        return border is (kind == "word")

    def all(self) -> list[Slots]:
        """Every match, from left to right, none overlapping another."""
        matches: list[Slots] = []
        at = 0
        while at <= len(self.text):
            slots = self.find(at)
            if slots is None:
                break
            matches.append(slots)
            start, end = slots[0], slots[1]
            assert start is not None
            assert end is not None
            at = end if end > start else end + 1
        return matches

    def group(self, slots: Slots, number: int) -> str | None:
        start, end = slots[2 * number], slots[2 * number + 1]
        return None if start is None or end is None else self.text[start:end]

    def named(self, slots: Slots) -> dict[str, str | None]:
        return {name: self.group(slots, number) for name, number in self.program.names.items()}


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


@MATCH.function(
    "matches(string, string) -> boolean",
    "Whether the pattern is found anywhere in the text; `^` and `$` tie it to its ends.",
    ('matches("al-2291", "^al-\\\\d+$")', True),
    ('matches("HIGH", "(?i)high|critical")', True),
    ('matches("low", "^h")', False),
    metered=True,
)
def matches(text: str, pattern: str, *, spend: Spend) -> bool:
    return Search(compile_pattern(pattern), text, spend).find(0) is not None


@MATCH.function(
    "find(string, string) -> string?",
    "The first part of the text that the pattern matches, null where there is none.",
    ('find("see al-2291 and al-7", "al-\\\\d+")', "al-2291"),
    ('find("nothing", "\\\\d")', None),
    metered=True,
)
def find(text: str, pattern: str, *, spend: Spend) -> str | None:
    search = Search(compile_pattern(pattern), text, spend)
    slots = search.find(0)
    return None if slots is None else search.group(slots, 0)


@MATCH.function(
    "find_all(string, string) -> list<string>",
    "Every part of the text that the pattern matches, from left to right.",
    ('find_all("a1 b22", "[0-9]+")', ["1", "22"]),
    metered=True,
)
def find_all(text: str, pattern: str, *, spend: Spend) -> list[str]:
    search = Search(compile_pattern(pattern), text, spend)
    return [search.group(slots, 0) or "" for slots in search.all()]


@MATCH.function(
    "capture(string, string) -> map<string?>?",
    "The named groups of the first match, null for one that took no part; null where nothing matches.",
    (
        'capture("v1.20", "v(?P<major>\\\\d+)\\\\.(?P<minor>\\\\d+)(?P<tag>-\\\\w+)?")',
        {"major": "1", "minor": "20", "tag": None},
    ),
    ('capture("none", "(?P<n>\\\\d)")', None),
    metered=True,
)
def capture(text: str, pattern: str, *, spend: Spend) -> dict[str, str | None] | None:
    search = Search(compile_pattern(pattern), text, spend)
    slots = search.find(0)
    return None if slots is None else search.named(slots)


@MATCH.function(
    "capture_all(string, string) -> list<map<string?>>",
    "The named groups of every match, from left to right.",
    ('capture_all("a=1 b=2", "(?P<k>\\\\w)=(?P<v>\\\\d)")', [{"k": "a", "v": "1"}, {"k": "b", "v": "2"}]),
    metered=True,
)
def capture_all(text: str, pattern: str, *, spend: Spend) -> list[dict[str, str | None]]:
    search = Search(compile_pattern(pattern), text, spend)
    return [search.named(slots) for slots in search.all()]
