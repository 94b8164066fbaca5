"""The mutation run in short; `python -m tests.mutation` is the long form."""

import pytest

from dsl.render import render
from tests.mutation.mutate.edit import Subject
from tests.mutation.mutate.rules import RULES, mutants
from tests.mutation.table import Table, sample
from tests.mutation.trial import good, subjects, try_out

MUTANTS = 12 * len(RULES)
PROGRAMS = subjects()


@pytest.mark.parametrize("subject", PROGRAMS, ids=lambda each: each.name)
def test_the_programs_are_good(subject: Subject):
    diagnostics, verdict = good(subject, runs=30, seed=7, executions=4)
    assert [render(each) for each in diagnostics] == []
    assert verdict.shape is None, verdict.shape.message
    assert verdict.finished > 5


def test_mutants_are_the_same_for_the_same_seed():
    def drawn(seed: int) -> list[str]:
        return [mutation.apply(subject.text) for subject, mutation in mutants(PROGRAMS, len(RULES), seed)]

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


def test_what_faults_is_rejected_at_its_place():
    drawn = mutants(PROGRAMS, MUTANTS, seed=11)
    table = Table([try_out(subject, mutation, runs=15, seed=11, executions=2) for subject, mutation in drawn])
    assert "\n".join(sample(each) for each in (*table.crashes, *table.unsound, *table.mishaps)) == ""
    assert len(table.caught) > MUTANTS / 3
    assert table.placed >= 0.95, "\n".join(sample(each) for each in table.misplaced)
    assert table.pointed >= 0.93, "\n".join(sample(each) for each in table.unpointed)
