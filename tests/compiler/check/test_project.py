"""Chains in the order in which they call each other."""

from compiler.lower import lower
from tests.compiler.world import checked


def test_many_chains_may_call_each_other_in_a_row():
    chains = [f"private chain c{n} {{ step s = c{n + 1}()  output integer = s }}" for n in range(1, 1500)]
    ends = ["chain c0 { step s = c1()  output integer = s }", "private chain c1500 { output integer = 1 }"]
    program, found = checked("\n".join([*chains, *ends]))
    assert found == []
    assert len(lower(program)[0].chains) == 1501


def test_a_circle_of_chains_is_told_with_its_way():
    text = "\n".join(f"chain c{n} {{ step s = c{(n + 1) % 3}()  output json = s }}" for n in range(3))
    found = checked(f"{text}\nchain before {{ step s = c0()  output json = s }}")[1]
    assert [(each.code, each.message) for each in found] == [("E0309", "`c0` calls itself: c0 → c1 → c2 → c0.")]
