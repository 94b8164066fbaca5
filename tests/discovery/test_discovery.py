"""The search over real tools and requests: every fifth request of the corpus."""

from tests.corpus import load
from tests.discovery.quality import recall, rows


def test_recall_counts_needs_that_are_met():
    assert recall(["a", "b"], [["a"], ["c", "b"]]) == 1
    assert recall(["a", "b"], [["a"], ["c"]]) == 0.5
    assert recall([], [["a"]]) == 0


def test_the_first_five_hold_most_of_what_is_needed():
    """`python -m tests.discovery` measures all of them."""
    whole = rows(load("retrieval.jsonl")[::5], load("retrieval_tools.jsonl"))[-1]
    assert whole.ours > 0.68
    assert whole.ours > 2.2 * whole.trivial
