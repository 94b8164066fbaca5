"""Tools that tests of chains call as they are."""

import pytest

from stdlib.connect.pure import PURE, pure_answer
from stdlib.runtime.fault import RunFault
from stdlib.tools import modules


def test_a_pure_tool_answers_here_and_now():
    answer = pure_answer("json", "merge", "`json.merge`", {"value": {"a": 1}, "changes": {"b": 2}})
    assert answer is not None
    assert answer.structured == {"a": 1, "b": 2}
    assert answer.texts == ['{"a":1,"b":2}']


def test_what_it_cannot_do_is_its_fault():
    with pytest.raises(RunFault) as told:
        pure_answer("json", "patch", "`json.patch`", {"value": {}, "operations": [{"op": "remove", "path": "/a"}]})
    assert told.value.fault.fault_class == "tool_error"
    assert told.value.fault.message.startswith("`json.patch` failed: ")


def test_others_are_not_called():
    assert set(modules()) >= PURE
    assert pure_answer("files", "read", "`files.read`", {"path": "/etc/hosts"}) is None
