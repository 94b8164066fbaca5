"""The answers that a test gives: one after another for calls that fit, and which of them nothing asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from ..plan.model import Origin
from ..plan.scenario import Given
from ..values.equal import equal, identity
from .clean import excerpt

Target = tuple[str, ...]
"""What is answered for: `("tool", source, name)`, `("chain", id)` or `("step", name)`."""

_MOST_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class Ready:
    """A `given` with the values that its arguments and its answer have. Without arguments it fits every call."""

    given: Given
    arguments: dict[str, Any]
    value: Any


@dataclass(frozen=True, slots=True)
class Unasked:
    """A `given` that nothing asked for. `expected` and `found` are sentences' halves; `label` is what it is for.
    `called`: its target was called or asked all the same; `unfit`: by a call that found no answer."""

    given: Given
    label: str
    expected: str
    found: str
    called: bool
    unfit: bool


@dataclass(slots=True)
class _Series:
    """The answers for the same target and the same arguments, as they are written."""

    target: Target
    label: str
    answers: list[Ready] = field(default_factory=list)
    asked: int = 0

    @property
    def arguments(self) -> dict[str, Any]:
        return self.answers[0].arguments

    def next(self) -> Ready:
        """The next answer; the last one stays."""
        self.asked += 1
        return self.answers[min(self.asked, len(self.answers)) - 1]


@dataclass(frozen=True, slots=True)
class _Call:
    target: Target
    step: str
    sent: dict[str, Any]
    answered: Origin | None


class Givens:
    """All that a test gives. A series stands where its last answer stands, and the last series that fits counts."""

    def __init__(self) -> None:
        self._series: dict[object, _Series] = {}
        self._calls: list[_Call] = []

    def add(self, target: Target, label: str, ready: Ready) -> None:
        """In the order of the text."""
        key = (target, identity(ready.arguments))
        series = self._series.pop(key, None) or _Series(target, label)
        series.answers.append(ready)
        self._series[key] = series

    def ask(self, target: Target, step: str, sent: dict[str, Any]) -> Ready | None:
        """The answer to this call; None where nothing fits. `step`: what calls, by its path."""
        fitting = (s for s in reversed(self._series.values()) if s.target == target and fits(s.arguments, sent))
        series = next(fitting, None)
        ready = None if series is None else series.next()
        self._calls.append(_Call(target, step, sent, None if ready is None else ready.given.origin))
        return ready

    def unasked(self) -> list[Unasked]:
        """In the order of the text."""
        found = [each for series in self._series.values() for each in self._left(series)]
        return sorted(found, key=lambda each: (each.given.origin.line, each.given.origin.column))

    def _left(self, series: _Series) -> Iterator[Unasked]:
        what = "question by" if series.target[0] == "step" else "call of"
        calls = [call for call in self._calls if call.target == series.target]
        another = "another" if series.asked else "a"
        expected = f"{another} {what} {series.label} that this `given` answers"
        for ready in series.answers[series.asked :]:
            unfit = not series.asked and any(call.answered is None for call in calls)
            yield Unasked(ready.given, series.label, expected, _found(series, calls), bool(calls), unfit)


def _found(series: _Series, calls: list[_Call]) -> str:
    """What came in place of a call that asks for an answer."""
    if series.asked:
        return "there was 1" if series.asked == 1 else f"there were {series.asked}"
    if not calls:
        return "it was never asked" if series.target[0] == "step" else "it was never called"
    for call in calls:
        if call.answered is not None and fits(series.arguments, call.sent):
            return f"the one on line {call.answered.line} answered, since the last that fits counts"
    nearest = max(calls, key=lambda call: sum(_same(call, *wanted) for wanted in series.arguments.items()))
    differing = [
        f"`{name}` {excerpt(nearest.sent.get(name), _MOST_SHOWN)}, not {excerpt(value, _MOST_SHOWN)}"
        for name, value in series.arguments.items()
        if not _same(nearest, name, value)
    ]
    by = f", by `{nearest.step}`," if nearest.step else ""
    return f"the nearest{by} had {'; '.join(differing)}"


def fits(wanted: dict[str, Any], sent: dict[str, Any]) -> bool:
    """Whether a call has the wanted arguments; null stands for one that is left out, too."""
    return all(equal(sent.get(name), value) for name, value in wanted.items())


def _same(call: _Call, name: str, value: Any) -> bool:
    return equal(call.sent.get(name), value)
