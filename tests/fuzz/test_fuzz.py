"""A short campaign, and proof that a campaign would find what it looks for."""

import time
from random import Random

import pytest

from tests.fuzz.campaign import run
from tests.fuzz.inputs import make
from tests.fuzz.shrink import shrink
from tests.fuzz.towers import tower
from tests.fuzz.trial import attempt


def test_random_inputs_neither_raise_nor_hang():
    result = run(seed=0, places=range(400))
    assert result.found == {}, result.told()
    assert set(result.tried) == {"bytes", "soup", "walk", "mutant", "tower"}


def test_an_input_is_the_same_for_the_same_numbers():
    assert [make(3, place) for place in range(40)] == [make(3, place) for place in range(40)]
    assert len({make(3, place)[1] for place in range(40)}) > 30
    assert tower(Random(1)) == tower(Random(1))


def test_an_exception_is_found_told_and_made_smaller():
    def action(given: str | bytes) -> None:
        if isinstance(given, str) and "import" in given and "{" in given:
            raise KeyError("import")

    result = run(0, range(300), action)
    (found,) = result.found.values()
    assert found.count > 1
    assert sorted(found.smallest) == sorted("import{")
    assert found.failure.what == "KeyError: 'import'"
    assert found.failure.where[-1].startswith("tests/fuzz/test_fuzz.py:")
    assert repr(found.smallest) in result.told()


def test_an_endless_loop_is_found():
    def action(given: str | bytes) -> None:
        while b"!" in given if isinstance(given, bytes) else "!" in given:
            time.process_time()

    assert attempt("a", action, 0.05) is None
    failure = attempt("a!", action, 0.05)
    assert failure is not None
    assert failure.group == ("Slow", "")


@pytest.mark.parametrize(
    ("given", "bad", "smallest"),
    [
        ("one\ntwo three\nfour\n", "three", "three"),
        (b"\x00\x01\x02\x03\x04", b"\x02", b"\x02"),
        ("same", "", ""),
    ],
)
def test_the_smallest_input_is_what_the_failure_needs(given: str | bytes, bad: str | bytes, smallest: str | bytes):
    assert shrink(given, lambda trial: bad in trial) == smallest  # type: ignore[operator]


def test_only_so_many_trials_are_made():
    trials: list[str | bytes] = []

    def fails(trial: str | bytes) -> bool:
        trials.append(trial)
        return False

    shrink("a\n" * 100, fails, most=3)
    assert len(trials) == 3
