"""Nodes are what frozen slotted dataclasses would be."""

import copy
import pickle
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from dsl import tree
from dsl.tree.node import NodeType

NAME = tree.Name(1, 2, "a")
KINDS: list[Any] = [kind for kind in vars(tree).values() if isinstance(kind, NodeType)]


def test_values_by_place_by_name_and_by_default():
    made = tree.Name(1, end=2, text="a")
    assert (made.start, made.end, made.text, made.quoted) == (1, 2, "a", False)
    assert tree.Name(1, 2, "a", True).quoted


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_takes_its_fields(kind: Any):
    fields = kind.__match_args__
    assert fields[:2] == ("start", "end")
    values = dict(zip(fields, range(len(fields)), strict=True))
    node = kind(**values)
    assert node == kind(*values.values())
    assert [getattr(node, field) for field in fields] == list(values.values())
    assert not hasattr(node, "__dict__")
    with pytest.raises(TypeError, match="missing"):
        kind()
    with pytest.raises(TypeError, match="unexpected"):
        kind(**values, colour=1)


def test_nodes_are_equal_when_kind_and_fields_are():
    assert tree.Name(1, 2, "a") == NAME
    assert hash(tree.Name(1, 2, "a")) == hash(NAME)
    assert tree.Name(1, 2, "b") != NAME
    assert tree.Integer(1, 2, 3) != tree.Duration(1, 2, 3)
    assert tree.Integer(1, 2, 3) != (1, 2, 3)


def test_nodes_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        NAME.text = "b"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del NAME.text
    with pytest.raises(FrozenInstanceError):
        NAME.colour = 1


def test_nodes_are_shown_copied_and_matched():
    assert repr(NAME) == "Name(start=1, end=2, text='a', quoted=False)"
    assert copy.deepcopy(NAME) == pickle.loads(pickle.dumps(NAME)) == NAME
    assert NAME.moved(3, 9) == tree.Name(3, 9, "a")
    match NAME:
        case tree.Name(start, _, text=text):
            assert (start, text) == (1, "a")
