"""The stable topological order."""

from hypothesis import given
from hypothesis import strategies as st

from compiler.graph.order import Circle, ordered


def test_names_without_needs_keep_their_order():
    assert ordered(["b", "a", "c"], {}) == (["b", "a", "c"], [])


def test_what_is_needed_comes_first():
    assert ordered(["a", "b", "c"], {"a": ["c"]}) == (["b", "c", "a"], [])


def test_each_circle_is_told_once():
    order, circles = ordered(["a", "b", "c", "d", "e"], {"a": ["b"], "b": ["a"], "c": ["c"], "d": ["a", "e"]})
    assert order == ["e", "a", "b", "c", "d"]
    assert circles == [Circle(("a", "b")), Circle(("c",))]


@given(st.integers(1, 8), st.data())
def test_the_order_respects_every_edge(size: int, data: st.DataObject):
    names = [f"n{i}" for i in range(size)]
    shuffled = data.draw(st.permutations(names))
    # Needs point from later to earlier in a hidden order, so there is no circle.
    needs = {name: data.draw(st.lists(st.sampled_from(shuffled[:i] or [""]))) for i, name in enumerate(shuffled)}
    needs = {name: [n for n in wanted if n] for name, wanted in needs.items()}
    order, circles = ordered(names, needs)
    assert circles == []
    assert sorted(order) == names
    place = {name: i for i, name in enumerate(order)}
    assert all(place[need] < place[name] for name, wanted in needs.items() for need in wanted)
