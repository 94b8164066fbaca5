"""What became of the tools, as tables of plain text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tests.tools.specifications import Corpus
from tests.tools.trial import KINDS, Outcome

WHOLE = "typed as a whole"


def reasons(corpus: Corpus) -> Counter[str]:
    """How many tools are typed, typed with a part that is left to run time, or refused, and why."""
    found: Counter[str] = Counter()
    for tool in corpus.tools:
        if tool.refused is not None:
            found[f"refused, {tool.refused[0]}: {tool.refused[1]}"] += 1
        elif tool.notes or tool.result_notes:
            whys = sorted({note.why for note in (*tool.notes, *tool.result_notes)})
            found[f"typed, with a part that is checked at run time only: {'; '.join(whys)}"] += 1
        else:
            found[WHOLE] += 1
    return found


def imports(corpus: Corpus) -> str:
    named = sum(tool.alias != tool.name for tool in corpus.tools)
    lines = [f"{count:6}  {why}" for why, count in reasons(corpus).most_common()]
    told = f"{len(corpus.tools)} tools of {len(corpus.sources)} sources, {named} with a name that is no identifier"
    return "\n".join([told, *lines])


def calls(outcomes: Sequence[Outcome]) -> str:
    """Arguments that fit, then faulty ones by kind."""
    fitting = sum(each.accepted + len(each.refused) for each in outcomes)
    accepted = sum(each.accepted for each in outcomes)
    lines = [f"{fitting} calls with arguments that fit: {accepted} accepted", ""]
    lines.append(f"{'faulty arguments':20}{'calls':>8}{'rejected':>10}{'left to run time':>18}{'missed':>8}")
    for kind in (*KINDS, ""):
        seeded = sum(sum(each.seeded.values()) if not kind else each.seeded.get(kind, 0) for each in outcomes)
        missed = sum(kind in ("", fault.kind) for each in outcomes for fault in each.missed)
        left = sum(kind in ("", fault.kind) for each in outcomes for fault in each.left_to_run_time)
        lines.append(f"{kind or 'all':20}{seeded:8}{seeded - missed:10}{left:18}{missed - left:8}")
    return "\n".join(lines)
