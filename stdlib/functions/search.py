"""The machine that runs the programs of patterns.

No pattern can hang: the machine looks at each character once with every state of the program, and a search that needs
more than STEP_LIMIT looks is ended with a fault.
"""

from __future__ import annotations

from typing import Final

from .entry import FunctionFault, Spend
from .pattern import Anchor, Instruction, Jump, One, Program, Save

STEP_LIMIT: Final = 3_000_000
"""Most looks (a state of the program at a position of the text) in one call: a second or two."""

Slots = tuple[int | None, ...]


class Search:
    """One text, one program; looks from position to position, never more than `limit` steps in all."""

    def __init__(self, program: Program, text: str, spend: Spend, limit: int = STEP_LIMIT) -> None:
        self.program = program
        self.text = text
        self.spend = spend
        self.limit = limit
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
        if self.steps > self.limit:
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
