"""The benchmarks run, and what they measure is in order. Nothing here depends on how fast a machine is."""

import asyncio
from pathlib import Path

import pytest

from dsl.render import render
from tests.bench import cold, overhead, parse, stream
from tests.bench.program import program
from tests.compiler.world import checked


def test_a_program_is_the_same_for_the_same_number():
    assert program(300) == program(300)
    assert program(300, seed=1) != program(300, seed=2)
    assert 300 <= program(300).count("\n") < 500


@pytest.mark.parametrize("seed", range(3))
def test_a_program_has_no_mistake(seed: int):
    assert [render(each) for each in checked(program(600, seed))[1]] == []


def test_reading_and_checking_is_measured_beside_lark(capsys: pytest.CaptureFixture[str]):
    assert parse.main(["--lines", "60", "--repeat", "2"]) == 0
    told = capsys.readouterr().out
    for name in (parse.LEX, parse.TREE, parse.CHECK, parse.LARK, parse.MIXED, "20,000 lines/s"):
        assert name in told


def test_the_rows_of_the_benchmark_are_lines_a_second():
    row = parse.Row("a", lines=100, seconds=(0.5, 0.1, 0.2))
    assert (row.best, row.usual) == (1000, 500)


def test_new_processes_are_measured(capsys: pytest.CaptureFixture[str]):
    assert cold.main(["--repeat", "1"]) == 0
    told = capsys.readouterr().out
    for name in (cold.EMPTY, cold.LIBRARIES, cold.CHECK, "chainc --help", "goal of less than 0.5 s"):
        assert name in told


def test_a_command_that_fails_is_not_measured(tmp_path):
    with pytest.raises(AssertionError, match="ended with 2"):
        cold.measure(1, tmp_path)


def test_chains_are_measured_beside_code_by_hand(capfd: pytest.CaptureFixture[str]):
    assert overhead.main(["--steps", "3", "--repeat", "2"]) == 0
    told = capfd.readouterr().out
    assert told.count(overhead.IN_TURN) == 3 + 1  # the last one tells of the goal
    assert told.count(overhead.AT_ONCE) == 3
    assert "goal of at most 1.10 times for a server over stdio" in told


def test_the_rows_of_chains_are_microseconds_a_step_and_ratios_of_neighbours():
    took = overhead.Took
    row = overhead.Row(2, (took(4e-6, 2e-6), took(60e-6, 20e-6)), (took(2e-6, 2e-6), took(20e-6, 5e-6)))
    assert row.each(row.chain) == pytest.approx((16, 5.5))
    assert row.ratio == pytest.approx((2.5, 2.5))


def test_a_large_download_is_measured_beside_a_plain_one(capfd: pytest.CaptureFixture[str]):
    assert stream.main(["--megabytes", "1", "--repeat", "1"]) == 0
    told = capfd.readouterr().out
    for name in ("a body of 1 MB", "a handle in SQLite", "httpx2 to a file", "throughput: "):
        assert name in told


def test_a_server_takes_no_large_body_into_memory(tmp_path: Path):
    size = 20 * stream.MB
    ((server,), _) = asyncio.run(stream.measured(tmp_path, size, 1))
    assert server.growth < 15
    assert sum(path.stat().st_size for path in tmp_path.glob("store.db.blobs/??/*")) == size
