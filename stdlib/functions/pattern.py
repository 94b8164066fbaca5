"""Patterns for texts: reading them, and the small programs that match them.

The syntax is the part of Python's `re` that can be matched in time linear in the text: literals, `.`, classes,
`\\d \\w \\s \\b` and their negations, groups (numbered, named, `(?:…)`), alternation, greedy and lazy repeats, `^ $ \\A
\\Z`, and the flags `(?ims)` at the start. There are no back references and no look-around. `$` is the very end of
the text, or of a line with `m`.

`compile_pattern` gives a program for the machine of Pike (R. Cox, "Regular Expression Matching: the Virtual Machine
Approach"); `stdlib.functions.search` runs it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from .entry import FunctionFault

PATTERN_LIMIT: Final = 1_000
"""Most characters of a pattern."""
PROGRAM_LIMIT: Final = 2_000
"""Most instructions of a program; counted repeats are written out."""
_NESTING: Final = 50

Test = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class One:
    """Takes one character."""

    test: Test


@dataclass(frozen=True, slots=True)
class Jump:
    """Goes on at the first target or, if that fails, at the next."""

    targets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Save:
    """Notes the position in a slot: 2n is the start of group n, 2n + 1 its end."""

    slot: int


@dataclass(frozen=True, slots=True)
class Anchor:
    """`start end line_start line_end word no_word`."""

    kind: str


Instruction = One | Jump | Save | Anchor
Node = Callable[[list[Instruction]], None]
"""A part of a pattern: appends its instructions."""


@dataclass(frozen=True, slots=True)
class Program:
    """`instructions` end in a match past their last one. `names` maps named groups to numbers, in order."""

    instructions: tuple[Instruction, ...]
    groups: int
    names: dict[str, int]


@lru_cache(maxsize=256)
def compile_pattern(text: str) -> Program:
    """Reads a pattern; raises FunctionFault with a sentence that says what is wrong with it."""
    if len(text) > PATTERN_LIMIT:
        raise FunctionFault(f"The pattern has more than {PATTERN_LIMIT:,} characters.")
    reader = _Reader(text)
    node = reader.whole()
    code: list[Instruction] = []
    _group(node, 0)(code)
    return Program(tuple(code), reader.groups, reader.names)


def _add(code: list[Instruction], instruction: Instruction) -> None:
    if len(code) >= PROGRAM_LIMIT:
        raise FunctionFault("The pattern is too large; its counted repeats are written out.")
    code.append(instruction)


def _one(instruction: Instruction) -> Node:
    return lambda code: _add(code, instruction)


def _sequence(nodes: list[Node]) -> Node:
    def emit(code: list[Instruction]) -> None:
        for node in nodes:
            node(code)

    return emit


def _group(node: Node, number: int) -> Node:
    return _sequence([_one(Save(2 * number)), node, _one(Save(2 * number + 1))])


def _either(options: list[Node]) -> Node:
    def emit(code: list[Instruction]) -> None:
        fork = len(code)
        _add(code, Jump(()))
        starts, exits = [], []
        for option in options:
            starts.append(len(code))
            option(code)
            exits.append(len(code))
            _add(code, Jump(()))
        code[fork] = Jump(tuple(starts))
        for at in exits:
            code[at] = Jump((len(code),))

    return emit


def _repeat(node: Node, least: int, most: int | None, greedy: bool) -> Node:
    def fork(into: int, past: int) -> Jump:
        return Jump((into, past) if greedy else (past, into))

    def emit(code: list[Instruction]) -> None:
        for _ in range(least):
            node(code)
        if most is None:
            start = len(code)
            _add(code, Jump(()))
            node(code)
            _add(code, Jump((start,)))
            code[start] = fork(start + 1, len(code))
            return
        forks = []
        for _ in range(most - least):
            forks.append(len(code))
            _add(code, Jump(()))
            node(code)
        for at in forks:
            code[at] = fork(at + 1, len(code))

    return emit


_CLASSES: Final[dict[str, Test]] = {"d": str.isdecimal, "s": str.isspace, "w": lambda c: c.isalnum() or c == "_"}
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a", "0": "\0"}
_ANCHORS: Final = {"A": "start", "Z": "end", "b": "word", "B": "no_word"}


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.groups = 0
        self.names: dict[str, int] = {}
        self.flags = ""
        self.depth = 0

    def fail(self, what: str) -> FunctionFault:
        return FunctionFault(f"The pattern is wrong at character {self.at + 1}: {what}.")

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def skip(self, text: str) -> bool:
        if not self.text.startswith(text, self.at):
            return False
        self.at += len(text)
        return True

    def until(self, end: str) -> str:
        stop = self.text.find(end, self.at)
        if stop < 0:
            raise self.fail(f"a `{end}` is missing")
        found, self.at = self.text[self.at : stop], stop + 1
        return found

    def whole(self) -> Node:
        if self.text.startswith("(?") and self.text[2:3] in tuple("ims"):
            self.at = 2
            self.flags = self.until(")")
            if set(self.flags) - set("ims"):
                raise self.fail("the flags are i, m and s")
        node = self.alternatives()
        if self.at < len(self.text):
            raise self.fail("this `)` closes nothing")
        return node

    def alternatives(self) -> Node:
        self.depth += 1
        if self.depth > _NESTING:
            raise self.fail("the groups are nested too deep")
        options = [self.sequence()]
        while self.skip("|"):
            options.append(self.sequence())
        self.depth -= 1
        return options[0] if len(options) == 1 else _either(options)

    def sequence(self) -> Node:
        nodes: list[Node] = []
        while self.peek() not in ("", "|", ")"):
            nodes.append(self.repeated())
        return _sequence(nodes)

    def repeated(self) -> Node:
        node = self.atom()
        bounds = self.bounds()
        if bounds is None:
            return node
        greedy = not self.skip("?")
        if self.peek() == "+" or (self.peek() in ("*", "?", "{") and self.bounds() is not None):
            raise self.fail("a repeat cannot be repeated; put it into `(?:…)`")
        return _repeat(node, *bounds, greedy)

    def bounds(self) -> tuple[int, int | None] | None:
        for sign, bounds in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self.skip(sign):
                return bounds
        if self.peek() != "{":
            return None
        start = self.at
        self.at += 1
        low, comma, high = self.until("}").partition(",") if "}" in self.text[self.at :] else ("x", "", "")
        if not all(part.isascii() and (part.isdigit() or not part) for part in (low, high)) or not low + high:
            self.at = start
            return None
        least = int(low or 0)
        most = (int(high) if high else None) if comma else least
        if max(least, most or 0) > PROGRAM_LIMIT or (most is not None and most < least):
            raise self.fail("the bounds of the repeat are wrong or too large")
        return least, most

    def atom(self) -> Node:
        sign = self.peek()
        self.at += 1
        match sign:
            case "(":
                return self.group()
            case "[":
                return _one(One(self.char_class()))
            case ".":
                dot_all = "s" in self.flags
                return _one(One(lambda c: dot_all or c != "\n"))
            case "^":
                return _one(Anchor("line_start" if "m" in self.flags else "start"))
            case "$":
                return _one(Anchor("line_end" if "m" in self.flags else "end"))
            case "*" | "+" | "?":
                self.at -= 1
                raise self.fail(f"there is nothing that `{sign}` could repeat; a plain one is written `\\{sign}`")
            case "\\":
                if self.peek() and self.peek() in _ANCHORS:
                    self.at += 1
                    return _one(Anchor(_ANCHORS[self.text[self.at - 1]]))
                escaped = self.escape()
                return _one(One(escaped if callable(escaped) else self.folded(_equals(escaped))))
        return _one(One(self.folded(_equals(sign))))

    def group(self) -> Node:
        number = None
        if self.skip("?P<"):
            name = self.until(">")
            if not (name.isidentifier() and name.isascii()) or name in self.names:
                raise self.fail("a group needs a name of its own, made of letters, digits and `_`")
            self.groups += 1
            number = self.names[name] = self.groups
        elif self.peek() == "?" and not self.skip("?:"):
            raise self.fail("look-around and other special groups are not served")
        elif self.text[self.at - 1] != ":":
            self.groups += 1
            number = self.groups
        node = self.alternatives()
        if not self.skip(")"):
            raise self.fail("a `)` is missing")
        return node if number is None else _group(node, number)

    def escape(self) -> Test | str:
        """After a backslash: a class of characters, or the character that is meant."""
        sign = self.peek()
        self.at += 1
        if sign and sign in "dsw":
            return _CLASSES[sign]
        if sign and sign in "DSW":
            inner = _CLASSES[sign.lower()]
            return lambda c: not inner(c)
        if sign in _ESCAPES:
            return _ESCAPES[sign]
        if sign and sign in "xu":
            digits = self.text[self.at : self.at + (2 if sign == "x" else 4)]
            if len(digits) == (2 if sign == "x" else 4) and all(d in "0123456789abcdefABCDEF" for d in digits):
                self.at += len(digits)
                return chr(int(digits, 16))
        if not sign or sign.isalnum():
            self.at -= 1
            raise self.fail(f"`\\{sign}` has no meaning here")
        return sign

    def char_class(self) -> Test:
        negated = self.skip("^")
        tests: list[Test] = []
        singles: set[str] = set()
        first = True
        while first or self.peek() != "]":
            first = False
            low = self.class_member()
            if callable(low):
                tests.append(low)
            elif self.peek() == "-" and self.text[self.at + 1 : self.at + 2] not in ("]", ""):
                self.at += 1
                high = self.class_member()
                if callable(high) or high < low:
                    raise self.fail("this range has no beginning or no end")
                tests.append(_between(low, high))
            else:
                singles.add(low)
        self.at += 1
        inside = self.folded(lambda c: c in singles or any(test(c) for test in tests))
        return lambda c: inside(c) is not negated

    def class_member(self) -> Test | str:
        sign = self.peek()
        if not sign:
            raise self.fail("a `]` is missing")
        self.at += 1
        if sign != "\\":
            return sign
        return "\b" if self.skip("b") else self.escape()

    def folded(self, test: Test) -> Test:
        if "i" not in self.flags:
            return test
        return lambda c: test(c) or test(c.lower()) or test(c.upper())


def _equals(sign: str) -> Test:
    return lambda c: c == sign


def _between(low: str, high: str) -> Test:
    return lambda c: low <= c <= high
