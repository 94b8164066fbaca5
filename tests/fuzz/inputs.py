"""Inputs, each made from two numbers: the seed of a campaign and the input's place in it."""

from collections.abc import Callable
from random import Random
from typing import get_args

from dsl import tree
from dsl.automaton import acceptable, advance
from dsl.diagnostics import Sink
from dsl.parser import parse
from dsl.source import Source
from dsl.table import table
from dsl.tokens import BAD_KINDS, END, SPELLING
from dsl.tree.walk import children
from tests.fuzz.pieces import EXTREMES, NAMES, ODDITIES, VALUES, VOCABULARY, fragments, programs, tokens
from tests.fuzz.towers import tower

_LONGEST = 6000
"""Characters of a mutant or a soup; longer ones only cost time."""


def make(seed: int, place: int) -> tuple[str, str | bytes]:
    """What sort of input it is, and the input."""
    chance = Random(f"{seed}:{place}")
    sort = chance.choices(tuple(_SORTS), tuple(weight for weight, _ in _SORTS.values()))[0]
    return sort, _SORTS[sort][1](chance)


def random_bytes(chance: Random) -> bytes:
    """Any bytes, or such that more of them are text: ASCII, signs, valid UTF-8."""
    length = chance.choice((chance.randrange(8), chance.randrange(40), chance.randrange(300)))
    style = chance.randrange(4)
    if style == 0:
        return chance.randbytes(length)
    if style == 1:
        return bytes(chance.choice(b'\n\r\t "\\$' + bytes(range(32, 127))) for _ in range(length))
    if style == 2:
        return bytes(chance.choice(b'""${}{}[]()<>|?.!=,:/\'#\\\n a1') for _ in range(length))
    codes = (chance.choice((0x80, 0x800, 0xD7FF, 0x10FFFF)) for _ in range(length))
    return "".join(chr(chance.randint(0, most)) for most in codes).encode(errors="ignore")


def soup(chance: Random) -> str:
    """Words of the language and oddities in any order."""
    between = chance.choice((" ", " ", "", "\n"))
    odd = chance.choice((0.02, 0.2))
    length = chance.choice((6, 30, 120))
    return between.join(_piece(chance, odd) for _ in range(chance.randrange(length)))


def walk(chance: Random) -> str:
    """A text that the grammar takes, whatever it means: every word is one that can come next. Most come to an end."""
    grammar = table()
    states = [grammar.start]
    words: list[str] = ['import github from mcp "github" ' * chance.randrange(2)]
    length = chance.choice((20, 60, 150))
    for number in range(length + 100):
        kinds = sorted(acceptable(grammar, states) - set(BAD_KINDS))
        if kinds == [END] or (END in kinds and (number > length or chance.random() < 0.1)):
            break
        kinds = [kind for kind in kinds if kind != END]
        # Without a preference for these a walk only goes deeper.
        closing = [kind for kind in kinds if kind in _CLOSING] or [kind for kind in kinds if kind in _PLAIN]
        kind = chance.choice(closing if closing and chance.random() < (0.4 if number < length else 0.95) else kinds)
        advance(grammar, states, kind)
        words.append(_spelled(chance, kind))
    return "".join(words)


def mutant(chance: Random) -> str:
    """A program with one to four accidents."""
    text = chance.choice(programs() if chance.random() < 0.1 else fragments())
    for _ in range(chance.choice((1, 1, 2, 4))):
        text = chance.choice(_ACCIDENTS)(chance, text)[:_LONGEST]
    return text


def _piece(chance: Random, odd: float) -> str:
    return chance.choice(ODDITIES if chance.random() < odd else VOCABULARY)


def _spelled(chance: Random, kind: str) -> str:
    """A word of a kind, with blanks where they are no part of a text."""
    if kind in SPELLING:
        return f" {SPELLING[kind]} "
    if kind in ("TEXT_OPEN", "TEXT_CLOSE"):
        return '"'
    plain = {"TEXT_PART": "some text", "INTERP": "${", "INTERP_END": "}", "DURATION": " 20s ", "SIZE": " 5MB "}
    if kind in plain:
        return plain[kind]
    if kind == "STRING":
        return f" {chance.choice([value for value in VALUES if value[0] == chr(34) and '$' not in value])} "
    if kind == "INT":
        return f" {chance.choice((0, 1, 7, 10**20))} "
    return " 2.5 " if kind == "FLOAT" else f" {chance.choice(NAMES)} "


def _drop(chance: Random, text: str) -> str:
    start, end = _some_tokens(chance, text, 3)
    return text[:start] + text[end:]


def _repeat(chance: Random, text: str) -> str:
    start, end = _some_tokens(chance, text, 8)
    return text[:end] + f" {text[start:end]}" * chance.choice((1, 1, 3, 40)) + text[end:]


def _replace(chance: Random, text: str) -> str:
    start, end = _some_tokens(chance, text, 1)
    return text[:start] + _piece(chance, 0.2) + text[end:]


def _insert(chance: Random, text: str) -> str:
    at = _some_tokens(chance, text, 1)[0]
    return f"{text[:at]} {_piece(chance, 0.3)} {text[at:]}"


def _swap(chance: Random, text: str) -> str:
    """Two tokens of the program change places."""
    first, second = sorted((_some_tokens(chance, text, 1), _some_tokens(chance, text, 1)))
    if first[1] > second[0]:
        return text
    a, b = text[slice(*first)], text[slice(*second)]
    return text[: first[0]] + b + text[first[1] : second[0]] + a + text[second[1] :]


def _borrow(chance: Random, text: str) -> str:
    """Words of another program in the place of some of this one."""
    other = chance.choice(fragments())
    start, end = _some_tokens(chance, text, 4)
    return text[:start] + other[slice(*_some_tokens(chance, other, 12))] + text[end:]


def _scratch(chance: Random, text: str) -> str:
    """One character is lost, doubled or another one."""
    at = chance.randrange(len(text) + 1)
    return text[:at] + chance.choice(("", text[at : at + 1] * 2, _piece(chance, 0.5)[:1])) + text[at + 1 :]


def _rename(chance: Random, text: str) -> str:
    """A token becomes another one of its kind: the program still parses."""
    found = [token for token in tokens(text) if token.kind in _OPEN_KINDS]
    if not found:
        return text
    token = chance.choice(found)
    others = [other.text for other in found if other.kind == token.kind]
    new = chance.choice(EXTREMES[token.kind] if token.kind in EXTREMES and chance.random() < 0.4 else others)
    return text[: token.start] + new + text[token.end :]


def _transplant(chance: Random, text: str) -> str:
    """A part of the tree becomes another one of its family, from here or from elsewhere."""
    source = text if chance.random() < 0.5 else chance.choice(fragments())
    family = chance.choice(_FAMILIES)
    places, grafts = _parts(text, family), _parts(source, family)
    if not places or not grafts:
        return text
    old, new = chance.choice(places), chance.choice(grafts)
    return text[: old.start] + source[new.start : new.end] + text[old.end :]


def _parts(text: str, family: tuple[type, ...]) -> list[tree.Node]:
    found: list[tree.Node] = []
    waiting: list[tree.Node] = [parse(Source("", text), Sink())]
    while waiting:
        node = waiting.pop()
        waiting += children(node)
        if isinstance(node, family):
            found.append(node)
    return found


def _cut(chance: Random, text: str) -> str:
    return text[: chance.randrange(len(text) + 1)]


def _some_tokens(chance: Random, text: str, most: int) -> tuple[int, int]:
    """Where some neighbouring tokens start and end."""
    found = tokens(text)
    if not found:
        return 0, 0
    first = chance.randrange(len(found))
    last = min(len(found) - 1, first + chance.randrange(most))
    return found[first].start, found[last].end


_CLOSING = frozenset(("RPAR", "RSQB", "RBRACE", "INTERP_END", "TEXT_CLOSE", "NAME", "INT"))
_PLAIN = frozenset(("STRING", "TRUE", "NULL", "EQUAL", "OUTPUT", "COLON"))
_OPEN_KINDS = frozenset(("NAME", "INT", "FLOAT", "STRING", "DURATION", "SIZE", "TEXT_PART", "TRUE", "FALSE", "NULL"))
_FAMILIES = (*[get_args(tree.Expr)] * 3, get_args(tree.Type), get_args(tree.Clause), get_args(tree.ChainMember))
_ACCIDENTS = (
    *(_drop, _repeat, _insert, _cut, _scratch, _replace, _replace, _swap, _borrow, _borrow),
    *([_rename] * 10),
    *([_transplant] * 10),
)
_SORTS: dict[str, tuple[int, Callable[[Random], str | bytes]]] = {
    "bytes": (25, random_bytes),
    "soup": (25, soup),
    "walk": (19, walk),
    "mutant": (30, mutant),
    "tower": (1, tower),
}
