"""The outcomes as tables of plain text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tests.graphs.faults import KINDS
from tests.graphs.trial import Outcome


def as_they_are(outcomes: Sequence[Outcome]) -> str:
    """By origin: how many graphs compile, beside what the oracle says of them; then the reasons of the rest."""
    origins = list(dict.fromkeys(outcome.graph.origin for outcome in outcomes))
    rows = [_counts(origin, [o for o in outcomes if o.graph.origin == origin]) for origin in origins]
    rows.append(_counts("all", outcomes))
    accepted = sum(outcome.accepted for outcome in outcomes)
    fitting = [outcome for outcome in outcomes if not outcome.contradicts]
    lines = [
        _table(["graphs", "number", "compile", *_HEADS], rows),
        "",
        f"{accepted} of {len(outcomes)} compile ({_percent(accepted, len(outcomes))}); of the {len(fitting)} that do "
        f"not contradict their specifications {_percent(sum(o.accepted for o in fitting), len(fitting))}.",
        "",
        _means(outcomes),
        "",
        _reasons([outcome for outcome in outcomes if not outcome.accepted]),
    ]
    return "\n".join(lines)


def with_faults(outcomes: Sequence[Outcome]) -> str:
    """By kind of fault: the confusion table, codes and carets."""
    rows = []
    codes = []
    for kind in KINDS:
        mine = [outcome for outcome in outcomes if outcome.kind == kind]
        rows.append(_counts(kind, mine, with_accepted=False))
        found = [outcome for outcome in mine if outcome.contradicts and not outcome.accepted]
        carets = Counter(outcome.caret for outcome in found)
        several = sum(len(outcome.errors) > 1 for outcome in found)
        first = Counter(outcome.errors[0].code for outcome in found).most_common()
        named = ", ".join(f"{code} {number}" for code, number in first)
        codes.append([kind, carets["exact"], carets["same place"], carets["elsewhere"], several, named])
    rows.append(_counts("all", outcomes, with_accepted=False))
    heads = ["rejected faults", "caret exact", "same place", "elsewhere", "several errors", "first code"]
    return "\n".join([_table(["fault", "number", *_HEADS], rows), "", _table(heads, codes)])


_HEADS = ["contradicts: rejected", "accepted", "fits: accepted", "rejected", "undecided: accepted", "rejected"]


def _counts(name: str, outcomes: Sequence[Outcome], with_accepted: bool = True) -> list[object]:
    counted = Counter((_group(outcome), outcome.accepted) for outcome in outcomes)
    accepted = [sum(outcome.accepted for outcome in outcomes)] if with_accepted else []
    return [
        name,
        len(outcomes),
        *accepted,
        counted["contradicts", False],
        counted["contradicts", True],
        counted["fits", True],
        counted["fits", False],
        counted["undecided", True],
        counted["undecided", False],
    ]


def _group(outcome: Outcome) -> str:
    return "contradicts" if outcome.contradicts else "fits" if outcome.decided else "undecided"


def _means(outcomes: Sequence[Outcome]) -> str:
    """What the chains that compile needed beyond the graphs' own words."""
    accepted = [outcome for outcome in outcomes if outcome.accepted]
    needed = Counter(mean for outcome in accepted for mean in outcome.graph.means)
    rows: list[list[object]] = [["nothing more", sum(not outcome.graph.means for outcome in accepted)]]
    rows += [[mean, number] for mean, number in sorted(needed.items(), key=lambda each: (-each[1], each[0]))]
    return _table(["written beyond the graph", "graphs"], rows)


def _reasons(rejected: Sequence[Outcome]) -> str:
    rows: dict[tuple[str, str], list[str]] = {}
    for outcome in rejected:
        reason = (
            " + ".join(dict.fromkeys(kind for kind, _ in outcome.verdict.reasons)) or "none: the compiler's mistake"
        )
        codes = ", ".join(dict.fromkeys(error.code for error in outcome.errors))
        rows.setdefault((reason, codes), []).append(outcome.graph.id)
    ordered = sorted(rows.items(), key=lambda each: (-len(each[1]), each[0]))
    return _table(["why rejected", "codes", "graphs", ""], [[*key, len(ids), ", ".join(ids)] for key, ids in ordered])


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    written = [list(heads), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in written) for i in range(len(heads))]
    lines = []
    for row in written:
        cells = [
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        cells[-1] = row[-1] if not row[-1].isdigit() else cells[-1]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
