"""The results of many trials: the confusion table, what breaks a promise, what is stricter than need be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from textwrap import indent

from dsl.render import render
from tests.mutation.trial import Trial

Pick = Callable[[Trial], bool]


class Table:
    def __init__(self, trials: Sequence[Trial]) -> None:
        self.trials = trials
        parsed = [each for each in trials if each.parses and not each.crash]
        self.crashes = [each for each in trials if each.crash]
        self.unsound = [each for each in parsed if each.accepted and each.faults]
        self.caught = [each for each in parsed if not each.accepted and each.faults]
        self.misplaced = [each for each in self.caught if not (each.on_the_line or each.where_it_fails)]
        self.unpointed = [each for each in self.caught if _pointer(each) == "neither"]
        self.strict = [each for each in parsed if not each.accepted and not each.faults]
        self.accepted = [each for each in parsed if each.accepted and not each.faults]
        self.mishaps = [each for each in trials if each.mishap]
        self.unread = [each for each in trials if not each.parses and not each.crash]

    @property
    def kept(self) -> bool:
        """Whether no promise is broken: no exception, nothing accepted that faults."""
        return not (self.crashes or self.unsound or self.mishaps)

    @property
    def placed(self) -> float:
        """The share of caught mutants whose message stands at the change or where the fault comes up."""
        return 1 - len(self.misplaced) / len(self.caught) if self.caught else 1

    @property
    def pointed(self) -> float:
        """The share of caught mutants where the caret or a label of a message stands on a line that was changed."""
        return 1 - len(self.unpointed) / len(self.caught) if self.caught else 1

    def text(self) -> Iterator[str]:
        """The tables."""
        yield f"{len(self.trials)} mutants"
        yield ""
        yield f"{'':24}{'fits':>10}{'by design':>12}{'shape fault':>13}"
        yield f"{'accepted':24}{self._row(self.accepted, self.unsound)}"
        yield f"{'rejected':24}{self._row(self.strict, self.caught)}"
        yield f"{'does not parse':24}{len(self.unread):>10}"
        yield f"{'traceback':24}{len(self.crashes):>10}"
        yield f"{'fault in the runtime':24}{len(self.mishaps):>10}   (accepted, then arguments refused or internal)"
        yield ""
        yield "by design: some runs end at `!`, `as`, a require, a division by 0, a call that fails"
        yield ""
        on_line = sum(each.on_the_line for each in self.caught)
        yield f"of the rejected with a shape fault: {len(self.caught)}"
        yield f"  {_share(on_line, len(self.caught))} have the caret of a message on a line that was changed"
        pointed = len(self.caught) - len(self.unpointed)
        yield f"  {_share(pointed, len(self.caught))} have the caret or a label there"
        placed = len(self.caught) - len(self.misplaced)
        yield f"  {_share(placed, len(self.caught))} have the caret there or where the fault comes up"
        read = [each for each in self.unread if each.on_the_line]
        yield f"of those that do not parse {_share(len(read), len(self.unread))} have a message on a changed line"
        rejected = [*self.caught, *self.strict, *self.unread]
        errors = Counter(min(len(each.errors), 4) for each in rejected)
        counted = ", ".join(f"{count}{'+' if count == 4 else ''}: {errors[count]}" for count in sorted(errors))
        yield f"errors a rejected mutant: {counted}"
        yield ""
        yield from self._by_kind()
        yield ""
        yield "rejected, but never a shape fault:"
        for code, count in Counter(_codes(each) for each in self.strict).most_common():
            yield f"  {count:>5}  {code}"

    def _row(self, calm: Sequence[Trial], faulting: Sequence[Trial]) -> str:
        design = sum(each.verdict is not None and each.verdict.finished == 0 for each in calm)
        return f"{len(calm) - design:>10}{design:>12}{len(faulting):>13}"

    def _by_kind(self) -> Iterator[str]:
        columns = ("unread", "caught", "misplaced", "strict", "accepted", "unsound")
        yield f"{'kind':20}" + "".join(f"{name:>11}" for name in columns)
        for kind in sorted({each.mutation.kind for each in self.trials}):
            counts = (sum(each.mutation.kind == kind for each in getattr(self, name)) for name in columns)
            yield f"{kind:20}" + "".join(f"{count:>11}" for count in counts)

    def places(self) -> Iterator[str]:
        """What points at a changed line, by kind of mutation and by codes: the caret, only a label, or neither."""
        columns = ("caret", "label", "neither")
        for title, named in (("kind", lambda each: each.mutation.kind), ("codes", _codes)):
            yield f"{title:32}" + "".join(f"{name:>9}" for name in columns)
            counts = Counter((named(each), _pointer(each)) for each in self.caught)
            names = sorted({name for name, _ in counts}, key=lambda name: (-counts[name, "neither"], name))
            for name in names:
                yield f"{name:32}" + "".join(f"{counts[name, column]:>9}" for column in columns)
            yield ""

    def samples(self, most: int, unpointed: bool = False) -> Iterator[str]:
        """The broken promises in full, and one mutant for every code that is only strictness.

        `unpointed`: also those where nothing points at the change.
        """
        for title, trials in (
            ("TRACEBACK", self.crashes),
            ("ACCEPTED, BUT FAULTS", self.unsound),
            ("ACCEPTED, BUT THE RUNTIME FAULTS", self.mishaps),
            ("MESSAGE ELSEWHERE", self.misplaced),
            ("NOTHING POINTS AT THE CHANGE", self.unpointed if unpointed else []),
        ):
            for trial in trials[:most]:
                yield f"--- {title}: {sample(trial)}"
        seen: set[str] = set()
        for trial in self.strict:
            if _codes(trial) not in seen:
                seen.add(_codes(trial))
                yield f"--- ONLY STRICT: {sample(trial)}"


def _codes(trial: Trial) -> str:
    return " ".join(sorted({each.code for each in trial.errors}))


def _pointer(trial: Trial) -> str:
    return "caret" if trial.on_the_line else "label" if trial.labelled else "neither"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole if whole else 100:.1f} %"


def sample(trial: Trial) -> str:
    """A mutant with what was said about it and what goes wrong."""
    before, after = trial.subject.text.splitlines(), trial.text.splitlines()
    lines = [f"{trial.subject.name}, {trial.mutation.kind}: {trial.mutation.what}", *_difference(before, after)]
    if trial.crash:
        lines.append(trial.crash)
    for each in trial.errors[:3]:
        lines.append(indent(render(each), "    "))
    if trial.verdict is not None and trial.verdict.shape is not None:
        fault = trial.verdict.shape
        at = trial.text.count("\n", 0, fault.node.start) + 1
        place = trial.text[fault.node.start : fault.node.end].split("\n")[0][:60]
        lines.append(f"  fault in run {trial.verdict.runs}, line {at}, `{place}`: {fault.message}")
    if trial.mishap:
        lines.append(f"  runtime: {trial.mishap}")
    return "\n".join(lines) + "\n"


def _difference(before: Iterable[str], after: Iterable[str]) -> Iterator[str]:
    from difflib import unified_diff

    for line in list(unified_diff(list(before), list(after), lineterm="", n=0))[2:]:
        yield f"    {line}"
