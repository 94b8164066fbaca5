"""The short form of `python -m tests.kills`."""

import os
import sys
from pathlib import Path

import pytest

from tests.kills.trial import lives

pytestmark = pytest.mark.skipif(not hasattr(os, "fork") or sys.platform == "darwin", reason="processes are forked")


def test_no_effect_is_done_twice_or_lost_without_a_word(tmp_path: Path):
    kills, ends = 0, set()
    for life, end in lives(tmp_path, seed=7):
        kills += len(life.kills)
        ends.add(end)
        if kills >= 30 and "succeeded" in ends:
            break
