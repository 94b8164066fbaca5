"""Which processes live."""

from __future__ import annotations

import fcntl
from pathlib import Path

from stdlib.runtime.store.sqlite.instance import Instance


def test_who_has_entered_lives_until_it_leaves(tmp_path: Path):
    one, two = Instance.enter(tmp_path), Instance.enter(tmp_path)
    assert one.id != two.id
    assert [one.is_alive(two.id), two.is_alive(one.id), one.is_alive(one.id)] == [True, True, True]
    one.leave()
    one.leave()
    assert [two.is_alive(one.id), one.is_alive(one.id), one.is_alive(two.id)] == [False, False, True]
    two.leave()
    assert list(tmp_path.iterdir()) == []


def test_the_unknown_are_dead(tmp_path: Path):
    one = Instance.enter(tmp_path)
    assert not one.is_alive("never")
    one.leave()


def test_two_may_look_at_the_same_time(tmp_path: Path):
    one = Instance.enter(tmp_path)
    (tmp_path / "dead").touch()
    with (tmp_path / "dead").open() as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        assert not one.is_alive("dead")
    one.leave()


def test_the_files_of_the_dead_go_and_those_of_the_living_stay(tmp_path: Path):
    one, two = Instance.enter(tmp_path), Instance.enter(tmp_path)
    (tmp_path / "dead").touch()
    (tmp_path / "open.lock").touch()
    one.sweep()
    assert {each.name for each in tmp_path.iterdir()} == {one.id, two.id, "open.lock"}
    one.leave()
    two.leave()
