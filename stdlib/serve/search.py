"""Search among tools by words: BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009) over
weighted fields, as in its variant BM25F: the counts of a word in all fields are added up before they are weighed."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

SATURATION: Final = 1.2
"""How soon further occurrences of a word stop to count (`k1`)."""

LENGTH: Final = 0.75
"""How much a long text is held against a tool (`b`)."""

_RUN: Final = re.compile(r"[^\W_]+")
_UNSPACED: Final = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
"""Scripts without blanks between words: searched by pairs of characters."""


@dataclass(frozen=True, slots=True)
class Field:
    """A text of a tool and how much its words count."""

    text: str
    weight: float = 1.0


class Index:
    """Names with their fields. Equal scores keep the order of the names as they came."""

    def __init__(self, documents: Mapping[str, Sequence[Field]]) -> None:
        counts = {name: _counted(fields) for name, fields in documents.items()}
        lengths = {name: sum(found.values()) for name, found in counts.items()}
        usual = (sum(lengths.values()) / len(lengths) if lengths else 0.0) or 1.0
        self._holders: dict[str, list[tuple[str, float]]] = {}
        for name, found in counts.items():
            norm = SATURATION * (1 - LENGTH + LENGTH * lengths[name] / usual)
            for word, count in found.items():
                self._holders.setdefault(word, []).append((name, count * (SATURATION + 1) / (count + norm)))
        self._order = {name: place for place, name in enumerate(documents)}

    def find(self, query: str, most: int) -> list[str]:
        """The names that fit best, best first; only such that share a word with the query."""
        scores: dict[str, float] = {}
        asked = dict.fromkeys(words(query))
        for word in [word for word in asked if word not in _WITHOUT_MEANING] or asked:
            holders = self._holders.get(word, ())
            rarity = math.log(1 + (len(self._order) - len(holders) + 0.5) / (len(holders) + 0.5))
            for name, weight in holders:
                scores[name] = scores.get(name, 0.0) + rarity * weight
        return sorted(scores, key=lambda name: (-scores[name], self._order[name]))[:most]


def words(text: str) -> Iterator[str]:
    """The words of a text in their basic form: `getIssues`, `get_issues` and `Get issues` are the same two."""
    for run in _RUN.findall(unicodedata.normalize("NFKC", text)):
        start = 0
        for unspaced in _UNSPACED.finditer(run):
            yield from _spaced(run[start : unspaced.start()])
            yield from _pairs(unspaced[0])
            start = unspaced.end()
        yield from _spaced(run[start:])


def _counted(fields: Iterable[Field]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for field in fields:
        for word in words(field.text):
            counts[word] += field.weight  # type: ignore[assignment]
    return counts


def _spaced(run: str) -> Iterator[str]:
    start = 0
    for at in range(1, len(run)):
        after = run[at + 1 : at + 2]
        if run[at].isupper() and (not run[at - 1].isupper() or after.islower()):
            yield _basic(run[start:at])
            start = at
    if run[start:]:
        yield _basic(run[start:])


def _pairs(run: str) -> Iterator[str]:
    yield from (run[at : at + 2] for at in range(max(len(run) - 1, 1)))


def _basic(word: str) -> str:
    """Without upper case, and for English without the commonest endings: what differs in nothing else is one word."""
    word = word.casefold()
    if len(word) < 4 or not word.isascii():
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending, least in (("ing", 6), ("ed", 5)):
        if word.endswith(ending) and len(word) >= least:
            word = word[: -len(ending)]
            if word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


_EVERYWHERE: Final = """
    a about all also am an and any are as at be been but by can could did do does for from had has have her here
    him his how i if in into is it its just like may me my need of on or our out please she should so some than
    that the their them then there these they this those to too up us want was we were what when where which who
    why will with would you your
"""
_WITHOUT_MEANING: Final = frozenset(_basic(word) for word in _EVERYWHERE.split())
"""English words that stand in every request and say nothing about which tool is meant."""
