"""What is sent over standard output."""

from __future__ import annotations

import json
from typing import Any

import mcp_types as t
import pytest
from mcp.shared.message import SessionMessage

from stdlib.serve.stdio import line_of


class Unwritable:
    """Nothing that JSON has."""


def sent(message: Any) -> Any:
    line = line_of(SessionMessage(message))
    assert line is not None
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    return json.loads(line)


def test_a_message_is_sent_by_the_names_of_the_protocol_without_what_was_not_set():
    told = {"jsonrpc": "2.0", "id": 1, "result": {"text": "ü\n"}}
    assert sent(t.JSONRPCResponse(jsonrpc="2.0", id=1, result={"text": "ü\n"})) == told


@pytest.mark.parametrize("key", ["result", "error", "params"])
def test_half_a_character_becomes_the_replacement_character(key):
    made = {
        "result": t.JSONRPCResponse(jsonrpc="2.0", id=1, result={"a": ["\ud800 \udcff"]}),
        "error": t.JSONRPCError(
            jsonrpc="2.0", id=1, error=t.ErrorData(code=1, message="m", data={"a": ["\ud800 \udcff"]})
        ),
        "params": t.JSONRPCNotification(jsonrpc="2.0", method="m", params={"a": ["\ud800 \udcff"]}),
    }
    told = sent(made[key])[key]
    assert (told["data"] if key == "error" else told) == {"a": ["\ufffd \ufffd"]}


def test_an_answer_that_cannot_be_written_is_the_error_of_its_request(caplog):
    told = sent(t.JSONRPCResponse.model_construct(jsonrpc="2.0", id="x", result={"a": Unwritable()}))
    assert (told["id"], told["error"]["code"]) == ("x", t.INTERNAL_ERROR)
    assert "Unwritable" not in json.dumps(told)
    assert "cannot be written" in caplog.text


def test_of_a_notification_that_cannot_be_written_nothing_is_sent():
    params = {"a": Unwritable()}
    assert (
        line_of(SessionMessage(t.JSONRPCNotification.model_construct(jsonrpc="2.0", method="m", params=params))) is None
    )
