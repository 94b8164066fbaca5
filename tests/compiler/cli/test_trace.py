"""The timeline of a run, from its receipts."""

from __future__ import annotations

from typing import Any

from compiler.cli.trace import as_json, text, timeline
from stdlib.runtime.receipt import Receipt


def receipt(step: str, at: float, ms: int = 0, tool: str | None = "shop.find", **more: Any) -> Receipt:
    given = {"run": "run_1", "principal": "local", "tenant": "local", "version": "1", "purpose": "step"} | more
    given.setdefault("outcome", "fault" if "fault" in more else "ok")
    return Receipt(step=step, at=1000 + at, ms=ms, tool=tool, **given)


RECEIPTS = [
    receipt("left", 0.0, 100, bytes=20),
    receipt("right", 0.0, 400, fault="rate_limited"),
    receipt("right", 0.5, 300, attempt=2, bytes=12_400),
    receipt("sure", 0.9, tool=None, purpose="approve", approval={"digest": "d", "approved": True, "by": "ann"}),
    receipt("paid", 0.9, 100, tool="shop.pay", verified=True),
    receipt("paid", 0.95, 50, tool="shop.orders", purpose="verify"),
    receipt("mail[2].sent", 1.0, 0, tool="mail.send", replayed=True),
]

WIDE = """\
7 calls, 1 failed, 1.000 s
     at     took  step          tool         try  bytes  outcome
0.000 s  0.100 s  left          shop.find      1   20 B  ok             ███
0.000 s  0.400 s  right         shop.find      1         rate_limited   ███████████
0.500 s  0.300 s  right         shop.find      2  12 kB  ok                          █████████
0.900 s  0.000 s  sure          approve        1         approved                               █
0.900 s  0.100 s  paid          shop.pay       1         ok, verified                           ███
0.950 s  0.050 s  paid: verify  shop.orders    1         ok                                      ██
1.000 s  0.000 s  mail[2].sent  mail.send      1         ok, as before                            █
"""


def test_calls_stand_in_the_order_in_which_they_began():
    rows = timeline(list(reversed(RECEIPTS)))
    assert [(row.at, row.step) for row in rows][-2:] == [(950, "paid: verify"), (1000, "mail[2].sent")]
    assert [row.at for row in rows] == [0, 0, 500, 900, 900, 950, 1000]


def test_the_bars_show_what_ran_when():
    assert text(RECEIPTS) == text(RECEIPTS, width=100) == WIDE
    assert max(map(len, text(RECEIPTS, width=300).splitlines())) == 120


def test_without_unicode_the_bars_are_ascii():
    assert text(RECEIPTS, width=100, marks=False).isascii()


def test_a_narrow_terminal_has_fewer_columns_and_no_bars():
    for width in (40, 50, 60, 70):
        lines = text(RECEIPTS, width=width).splitlines()
        assert max(map(len, lines)) <= width
        assert "█" not in "".join(lines)
    heads = [text(RECEIPTS, width=width).splitlines()[1].split() for width in (76, 62, 55, 40)]
    assert heads[0] == ["at", "took", "step", "tool", "try", "bytes", "outcome"]
    assert [len(head) for head in heads] == [7, 6, 5, 4]
    assert heads[3] == ["at", "took", "step", "outcome"]


def test_names_cannot_act_on_the_terminal():
    assert "\x1b" not in text([receipt("a", 0.0, tool="x.\x1b[2J")])


def test_a_run_without_calls():
    assert text([]) == "Nothing was called.\n"
    assert as_json("run_1", []) == {"run": "run_1", "calls": [], "receipts": []}


def test_machines_get_the_rows_and_the_receipts():
    made = as_json("run_1", RECEIPTS)
    assert made["calls"][2] == {
        "at": 500,
        "ms": 300,
        "step": "right",
        "tool": "shop.find",
        "attempt": 2,
        "bytes": 12_400,
        "outcome": "ok",
    }
    assert made["receipts"][0]["step"] == "left"


def test_what_became_known_later_belongs_to_its_call():
    later = receipt("paid", 0.9, tool="shop.pay", verified=False, completes=True)
    rows = timeline([receipt("paid", 0.9, 100, tool="shop.pay"), later])
    assert [(row.step, row.ms, row.outcome) for row in rows] == [("paid", 100, "ok, not verified")]
