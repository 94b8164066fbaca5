"""`issue_title`: the smallest chain."""

import anyio

from tests.examples.projects import called


def test_the_title_of_an_issue():
    result = anyio.run(called, "issue_title", "issue_title", {"repo": "acme/app", "number": 7})
    assert result.wire == {"result": "Umlauts are lost in the CSV export"}


def test_an_issue_that_does_not_exist_is_a_fault_of_the_tool():
    result = anyio.run(called, "issue_title", "issue_title", {"repo": "acme/app", "number": 4})
    assert result.fault is not None
    assert (result.fault.fault_class, result.fault.step) == ("tool_error", "issue")
    assert "acme/app has no issue 4" in result.fault.message
