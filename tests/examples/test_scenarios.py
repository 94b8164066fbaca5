"""The `test` blocks that stand in the examples."""

import pytest

from compiler.cli import main
from tests.examples.projects import EXAMPLES

TESTS = {
    "canary": 2,
    "checkout": 3,
    "email_triage": 3,
    "confirmed_deploy": 4,
    "flights": 2,
    "image_cves": 3,
    "note_graph": 3,
    "open_incident": 1,
    "page_edit": 3,
    "refund_order": 2,
    "sales_pack": 3,
    "ship_with_crew": 3,
    "stale_digest": 1,
}


@pytest.mark.parametrize("name", TESTS)
def test_the_tests_beside_the_chains_pass(name: str, capsys: pytest.CaptureFixture[str]):
    assert main(["test", "-C", str(EXAMPLES / name)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert [line[:3] for line in told] == ["ok "] * TESTS[name]
