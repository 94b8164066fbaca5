"""Values that were read a short while ago."""

from __future__ import annotations

from dataclasses import replace

from stdlib.runtime.result import NOTHING
from stdlib.runtime.store.handles import Handle
from stdlib.runtime.store.recent import Recent

SMALL = Handle("h", "rows", "", 20, None, 0.0)


def test_the_longest_unused_one_makes_room():
    recent = Recent(room=100)
    for name in "abcde":
        recent.add(name, SMALL, name)
    assert recent.get("a", SMALL) == "a"
    recent.add("f", SMALL, "f")
    assert [recent.get(name, SMALL) for name in "abcdef"] == ["a", NOTHING, "c", "d", "e", "f"]


def test_the_same_value_again_takes_no_room():
    recent = Recent(room=100)
    for name in "abbbbbbb":
        recent.add(name, SMALL, name)
    assert recent.get("a", SMALL) == "a"


def test_one_value_does_not_take_all_the_room():
    recent = Recent(room=100)
    recent.add("a", SMALL, "a")
    recent.add("b", replace(SMALL, bytes=26), "b")
    assert (recent.get("a", SMALL), recent.get("b", SMALL)) == ("a", NOTHING)


def test_the_media_type_counts():
    recent = Recent()
    recent.add("a", SMALL, [1])
    assert recent.get("a", replace(SMALL, media="text/plain")) is NOTHING
