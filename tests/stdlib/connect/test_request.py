"""Arguments → requests."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from stdlib.connect.credentials import authorize
from stdlib.connect.request import Prepared, prepare
from stdlib.connect.secrets import Secrets
from stdlib.plan.openapi import OpenApi, Operation
from stdlib.runtime.fault import Fault, RunFault


def operation(*parameters: dict[str, Any], **more: Any) -> Operation:
    whole = [{"style": "form", "explode": True, "name": p["argument"], **p} for p in parameters]
    return Operation.model_validate({"method": "POST", "path": "/x", "parameters": whole, **more})


def at(location: str, argument: str, **more: Any) -> dict[str, Any]:
    return {
        "argument": argument,
        "location": location,
        **({"style": "simple"} if location in ("path", "header") else {}),
        **more,
    }


def made(given: Operation, **arguments: Any) -> Prepared:
    return prepare("`s.t`", given, arguments)


def fault_of(call: Any) -> Fault:
    with pytest.raises(RunFault) as found:
        call()
    return found.value.fault


def test_every_place():
    given = operation(
        at("path", "id", name="the id"),
        at("query", "q"),
        at("header", "X-A"),
        at("cookie", "c"),
        path="/a/{the id}/b",
        accept=("application/json",),
    )
    found = made(given, id="1/2", q=["a", "b"], **{"X-A": 5}, c="x")
    assert found == Prepared(
        "POST", "/a/1%2F2/b", [("q", "a"), ("q", "b")], [("X-A", "5"), ("Accept", "application/json")], ["c=x"], None
    )
    assert found.query_text == "q=a&q=b"


def test_what_is_left_out_is_not_sent():
    given = operation(at("query", "q"), at("header", "h"), at("cookie", "c"))
    assert made(given, q=None, h=None) == Prepared("POST", "/x")


def test_an_object_sets_no_other_parameter():
    given = operation(at("query", "admin"), at("query", "filter"))
    assert made(given, filter={"a": 1}).query == [("a", "1")]
    found = fault_of(lambda: made(given, filter={"admin": 1}))
    assert (found.fault_class, found.sent) == ("invalid_input", False)
    assert found.message == "`filter` of `s.t` has the field `admin`, which is a parameter of its own."


def test_faults_name_the_argument():
    found = fault_of(lambda: made(operation(at("header", "X")), X="a\r\nb"))
    assert found.message == "`X` of `s.t` has a line break or another character that a header cannot have."
    found = fault_of(lambda: made(operation(at("path", "id"), path="/{id}"), id=None))
    assert found.fault_class == "invalid_input"


def body(encoding: str, media: str = "application/json", **more: Any) -> Operation:
    return operation(body={"encoding": encoding, "media_type": media, **more})


def field(argument: str, name: str = "", **more: Any) -> dict[str, Any]:
    return {"argument": argument, "name": name or argument, **more}


def test_json_bodies():
    given = body("json", fields=[field("body_id", "id"), field("b")], required=True)
    assert made(given, body_id=2**70, b=None).content == b'{"id":1180591620717411303424,"b":null}'
    assert made(given).content == b"{}"
    optional = body("json", fields=[field("a")])
    assert made(optional) == Prepared("POST", "/x")
    assert made(optional, a=1).headers == [("Content-Type", "application/json")]
    whole = body("json", argument="body")
    assert made(whole, body=None).content == b"null"
    assert made(whole).content is None
    assert made(whole, body=[1, "ü"]).content == '[1,"ü"]'.encode()


def test_forms():
    given = body(
        "form",
        fields=[field("a"), field("b", content="json"), field("c", style="deepObject"), field("d", explode=False)],
    )
    found = made(given, a=["x&y", "z"], b={"k": 1}, c={"k": "v"}, d=[1, 2])
    assert found.content == b"a=x%26y&a=z&b=%7B%22k%22%3A1%7D&c%5Bk%5D=v&d=1,2"
    whole = body("form", argument="body")
    assert made(whole, body={"a": True, "n": {"b": 1}, "z": None}).content == b"a=true&n=%7B%22b%22%3A1%7D"
    assert fault_of(lambda: made(whole, body=[1])).fault_class == "invalid_input"


def test_multipart():
    given = body(
        "multipart",
        "multipart/form-data",
        fields=[
            field("file", content="file", media_type="image/png"),
            field("files", content="file", media_type="application/octet-stream"),
            field("meta", content="json", media_type="application/json"),
            field("t", 'na"me\r\n'),
        ],
    )
    png = base64.b64encode(b"\x89PNG\r\n--x").decode()
    found = made(given, file=png, files=[png, ""], meta={"a": 1}, t=["one", "two"])
    assert isinstance(found.content, bytes)
    media = found.headers[0][1]
    boundary = media.removeprefix("multipart/form-data; boundary=").encode()
    parts = found.content.split(b"--" + boundary)
    assert len(parts) == 8
    disposition = b"\r\nContent-Disposition: form-data; "
    assert (
        parts[1] == disposition + b'name="file"; filename="file"\r\nContent-Type: image/png\r\n\r\n\x89PNG\r\n--x\r\n'
    )
    assert (
        parts[4]
        == b'\r\nContent-Disposition: form-data; name="meta"\r\nContent-Type: application/json\r\n\r\n{"a":1}\r\n'
    )
    assert parts[5].startswith(b'\r\nContent-Disposition: form-data; name="na%22me%0D%0A"\r\n')
    assert made(given).content is None
    assert fault_of(lambda: made(given, file="no base64!")).message == "`file` of `s.t` is no base64 text."
    found_fault = fault_of(lambda: made(given, files=[png, "no base64!"]))
    assert found_fault.message == "`files[1]` of `s.t` is no base64 text."
    whole = body("multipart", "multipart/form-data", argument="body", fields=[field("a", content="file")])
    assert fault_of(lambda: made(whole, body={"a": "hello"})).message == "`body.a` of `s.t` is no base64 text."
    assert fault_of(lambda: made(whole, body={"a": ["!"]})).message == "`body.a[0]` of `s.t` is no base64 text."


def test_texts_and_files():
    assert made(body("text", "text/plain", argument="body"), body="ü").content == "ü".encode()
    found = made(body("file", "application/octet-stream", argument="body"), body="AAE=")
    assert (found.content, found.headers) == (b"\x00\x01", [("Content-Type", "application/octet-stream")])


# ------------------------------------------------------------------ credentials

AUTH = {
    "token": {"kind": "bearer", "variable": "T"},
    "login": {"kind": "basic", "variable": "U", "password_variable": "P"},
    "pair": {"kind": "basic", "variable": "PAIR"},
    "header": {"kind": "api_key", "location": "header", "name": "X-Key", "variable": "K"},
    "query": {"kind": "api_key", "location": "query", "name": "key", "variable": "K"},
    "cookie": {"kind": "api_key", "location": "cookie", "name": "sid", "variable": "K"},
}


@pytest.fixture
def variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"T": "t0ken", "U": "anna", "P": "se:cret", "PAIR": "anna:other", "K": "k&y=1"}.items():
        monkeypatch.setenv(name, value)


def authorized(security: Any, for_all: tuple[str, ...] = ()) -> tuple[Prepared, Secrets]:
    source = OpenApi.model_validate({"base_url": "https://x.example", "auth": AUTH, "auth_for_all": for_all})
    prepared, secrets = Prepared("GET", "/x"), Secrets()
    authorize("s", source, operation(security=security), prepared, secrets)
    return prepared, secrets


@pytest.mark.usefixtures("variables")
def test_credentials_go_where_they_belong():
    assert authorized([["token"]])[0].headers == [("Authorization", "Bearer t0ken")]
    assert authorized([["login"]])[0].headers == [
        ("Authorization", "Basic " + base64.b64encode(b"anna:se:cret").decode())
    ]
    assert authorized([["pair"]])[0].headers == [("Authorization", "Basic " + base64.b64encode(b"anna:other").decode())]
    found = authorized([["header", "query", "cookie"]])[0]
    assert (found.headers, found.query_text, found.cookies) == (
        [("X-Key", "k&y=1")],
        "key=k%26y%3D1",
        ["sid=k%26y%3D1"],
    )


@pytest.mark.usefixtures("variables")
def test_the_first_way_that_can_be_followed():
    assert authorized([["unknown"], ["token", "unknown"], ["header"], ["token"]])[0].headers == [("X-Key", "k&y=1")]
    assert authorized([[], ["token"]])[0].headers == [("Authorization", "Bearer t0ken")]
    assert authorized([["unknown"], []])[0].headers == []
    assert authorized([])[0].headers == []
    assert authorized(None)[0].headers == []
    assert authorized(None, ("token",))[0].headers == [("Authorization", "Bearer t0ken")]


def test_credentials_that_are_missing():
    found = fault_of(lambda: authorized([["unknown"], ["other", "token"]]))
    assert (found.fault_class, found.sent) == ("denied", False)
    assert found.message == "`s` wants `unknown` or `other` and `token` for this call, and has no credential for it."
    assert found.next == (
        'Name the variable that holds it, under `[sources.s]` in `chainc.toml`: `auth = { unknown = "env:VARIABLE" }`.'
    )


def test_a_file_that_is_imported_has_no_auth_of_its_own():
    source = OpenApi.model_validate({"base_url": "https://x.example"})
    asked = operation(security=[["to.ken"]])
    found = fault_of(lambda: authorize("api/shop.v1.json", source, asked, Prepared("GET", "/x"), Secrets()))
    declared = '{ file = "api/shop.v1.json", auth = { "to.ken" = "env:VARIABLE" } }'
    assert found.next == (
        f"Declare the source in `chainc.toml`, `[sources.shop]` with `openapi = {declared}`, and import it by its "
        'name: `from openapi "shop"`.'
    )


def test_variables_that_are_not_set_or_wrong(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("T", raising=False)
    found = fault_of(lambda: authorized([["token"]]))
    assert (found.fault_class, found.sent, found.next) == ("unavailable", False, "Set `T` and call again.")
    assert not found.retryable
    monkeypatch.setenv("T", "s3cret\r\nX: 1")
    found = fault_of(lambda: authorized([["token"]]))
    assert found.fault_class == "unavailable"
    assert "s3cret" not in str(found)


@pytest.mark.usefixtures("variables")
def test_secrets_are_masked_in_every_form():
    secrets = authorized([["login", "query"]])[1]
    basic = base64.b64encode(b"anna:se:cret").decode()
    assert secrets.masked(f"bad {basic} and se:cret at ?key=k%26y%3D1 k&y=1") == "bad *** and *** at ?key=*** ***"
