"""Requests without end, each killed a few times and judged."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random
from time import monotonic

from tests.kills.judge import judge
from tests.kills.life import Life, compiled, forked, live

MOST_KILLS = 6


def lives(folder: Path, seed: int) -> Iterator[tuple[Life, str]]:
    """Each request with how it ended. AssertionError where a promise is broken; its folder is left then."""
    loaded = compiled()
    usual = _usual(Life(loaded, _fresh(folder / "usual"), "order", {"n": 3, "fails": False}, "usual", False))
    number = 0
    while True:
        number += 1
        chance = Random(f"{seed}/{number}")
        chain = chance.choice(["order", "order", "order", "settle"])
        arguments = {"n": chance.randint(0, 3)} | ({"fails": chance.random() < 0.5} if chain == "order" else {})
        again = chain == "settle" or chance.random() < 0.2
        life = Life(loaded, _fresh(folder / str(number)), chain, arguments, f"{seed}/{number}", again)
        live(life, chance, usual, chance.randint(1, MOST_KILLS))
        try:
            yield life, judge(life)
        except AssertionError as broken:
            told = f"request {number} of seed {seed} ({chain} {arguments}, again: {again}), killed at {life.kills}"
            book = "\n".join(map(str, life.effects()))
            raise AssertionError(f"{told}: {broken}\n{book}") from broken
        shutil.rmtree(life.folder)


def _usual(life: Life) -> float:
    """How long one process takes that nobody kills, in seconds."""
    began = monotonic()
    forked(life.first, life.kills, None)
    return monotonic() - began


def _fresh(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder
