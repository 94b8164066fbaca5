"""The sample service: described by its framework, read, served on loopback, called."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from compiler.sources.openapi.read import read_openapi
from compiler.sources.openapi.security import Auth, credentials
from compiler.sources.openapi.source import OpenApiSource
from stdlib.connect.openapi import OpenApiTools
from stdlib.plan.openapi import Network, OpenApi
from stdlib.runtime.fault import Fault, RunFault
from stdlib.runtime.result import Reading, ToolAnswer, read_answer
from stdlib.runtime.schema import Shape
from tests.servers.loopback import served
from tests.servers.shop import KEY, PASSWORD, TOKEN, USER, application

pytestmark = pytest.mark.anyio

AUTH = {
    "HTTPBearer": "env:SHOP_TOKEN",
    "HTTPBasic": {"user": "env:SHOP_USER", "password": "env:SHOP_PASSWORD"},
    "APIKeyHeader": "env:SHOP_KEY",
    "APIKeyQuery": "env:SHOP_KEY",
}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Shop:
    """Calls its tools, and reads results as a run does: against the schema that the document promises."""

    def __init__(self, source: OpenApiSource, tools: OpenApiTools) -> None:
        self.source, self.tools = source, tools

    async def __call__(self, name: str, /, **arguments: Any) -> Any:
        tool = self.source.tools[name].tool
        assert Shape(tool.input_schema).mismatch(arguments) is None
        answer = await self.tools.call("shop", name, arguments, 10)
        shape = Shape(tool.output_schema) if tool.output_schema is not None else None
        return read_answer(name, Reading(shape), answer, 1_000_000)

    async def fails(self, name: str, /, **arguments: Any) -> Fault:
        with pytest.raises(RunFault) as found:
            await self(name, **arguments)
        return found.value.fault


@pytest.fixture(scope="module")
def document() -> OpenApiSource:
    text = json.dumps(application().openapi())
    found = read_openapi(lambda _: text, "shop.openapi.json")
    assert isinstance(found, OpenApiSource)
    return found


@pytest.fixture
async def shop(document: OpenApiSource, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Shop]:
    for name, value in {"TOKEN": TOKEN, "USER": USER, "PASSWORD": PASSWORD, "KEY": KEY}.items():
        monkeypatch.setenv(f"SHOP_{name}", value)
    auth = credentials(document, AUTH)
    assert isinstance(auth, Auth)
    async with served(application()) as port:
        source = OpenApi(
            base_url=f"http://127.0.0.1:{port}",
            auth=dict(auth.credentials),
            operations={name: each.binding for name, each in document.tools.items()},
        )
        async with OpenApiTools({"shop": source}, Network(private_networks=True)) as tools:
            yield Shop(document, tools)


def test_the_whole_document_is_read(document: OpenApiSource):
    assert len(document.tools) >= 100
    assert document.refused == ()
    assert [server.url for server in document.servers] == ["/", "https://eu.shop.example/v2"]
    assert document.schemes.keys() == AUTH.keys()


async def test_a_collection(shop: Shop):
    made = await shop("create_item_books_post", name="Alice", price=1250, tags=["old", "a&b"])
    assert made == {"name": "Alice", "price": 1250, "note": None, "tags": ["old", "a&b"], "id": 1}
    assert await shop("list_items_books_get", tag=["old", "a&b"], limit=5) == [made]
    assert await shop("list_items_books_get", tag=["new"]) == []
    assert await shop("replace_item_books__item_id__put", item_id=1, name="Alice", price=1, note=None) == {
        **made,
        "price": 1,
        "tags": [],
    }
    assert await shop("delete_item_books__item_id__delete", item_id=1) is None
    gone = await shop.fails("read_item_books__item_id__get", item_id=1)
    assert (gone.fault_class, gone.details["status"]) == ("tool_error", 404)
    assert gone.message == "`shop.read_item_books__item_id__get` failed (404): There is no item 1."


async def test_what_is_neither_json_nor_text_is_bytes(shop: Shop):
    assert await shop("image") == base64.b64encode(b"\x89PNG").decode()


async def test_what_the_service_finds_wrong_is_told(shop: Shop):
    answer = await shop.tools.call("shop", "list_items_books_get", {"limit": 5}, 10)
    assert isinstance(answer, ToolAnswer)
    with pytest.raises(RunFault) as found:
        await shop.tools.call("shop", "list_items_books_get", {"limit": 500}, 10)
    assert "query.limit: " in found.value.fault.message


async def test_styles(shop: Shop):
    found = await shop(
        "styles", filter={"color": "red & blue", "max": 5}, ids=[1, 2], words=["a", "b"], spaced=["c", "d"],
        range={"from": 1, "to": 9}, where={"x": [1]},
    )  # fmt: skip
    assert found["pairs"] == [
        ["filter[color]", "red & blue"],
        ["filter[max]", "5"],
        ["ids", "1,2"],
        ["words", "a|b"],
        ["spaced", "c d"],
        ["from", "1"],
        ["to", "9"],
        ["where", '{"x":[1]}'],
    ]
    assert "ids=1,2&words=a%7Cb&spaced=c%20d" in found["query"]


async def test_every_place_of_a_parameter(shop: Shop):
    given = {"id": "ü ?#&%", "X-Trace": "t", "visit": "v w;", "query_id": "q/&", "flag": True}
    found = await shop("echo", **given)
    assert found == {"id": "ü ?#&%", "trace": "t", "visit": "v%20w%3B", "query_id": "q/&", "flag": True}
    assert await shop("echo", id="x", flag=None) == {
        "id": "x",
        "trace": None,
        "visit": None,
        "query_id": None,
        "flag": None,
    }


@pytest.mark.parametrize(
    "arguments",
    [{"id": "../books"}, {"id": ".."}, {"id": "x", "X-Trace": "a\r\nX-Admin: 1"}, {"id": ""}, {"id": "a\n"}],
)
async def test_nothing_is_injected(shop: Shop, arguments: dict[str, Any]):
    found = await shop.fails("echo", **arguments)
    assert (found.fault_class, found.sent) == ("invalid_input", False)


async def test_bodies(shop: Shop):
    data = base64.b64encode(bytes(range(256))).decode()
    found = await shop("upload", file=data, title='a "t"\n', more=[data, "AA=="], labels=["x", "y"])
    assert found == {
        "title": 'a "t"\n',
        "bytes": list(range(256)),
        "filename": "file",
        "sizes": [256, 1],
        "labels": ["x", "y"],
    }
    assert await shop("login", user="a&b=c", password="ü +", keep=True) == {"user": "a&b=c", "length": 3, "keep": True}
    assert await shop("tree", name="a", children=[{"name": "b"}]) == {
        "name": "a",
        "children": [{"name": "b", "children": []}],
    }
    assert await shop("tags", body=["a", "b"]) == ["a", "b"]
    assert await shop("merge", name="path", body_name="body", price=1) == {"path": "path", "body": "body"}
    assert await shop("note", body="line\nänd") == "LINE\nÄND"
    payment = {"method": "transfer", "iban": "DE1"}
    assert await shop("patch_order", id=7, body_id=1, payment=payment) == {"id": 7, "payment": payment, "gift": False}


async def test_unions_of_results(shop: Shop):
    assert (await shop("order", id=1))["payment"] == {"method": "card", "number": "42"}
    assert (await shop("order", id=2))["payment"] == {"method": "transfer", "iban": "X"}
    assert await shop("order", id=202) == {"name": "later", "children": []}
    assert await shop("old") is None


@pytest.mark.parametrize(
    ("code", "fault_class"),
    [(400, "tool_error"), (401, "denied"), (403, "denied"), (404, "tool_error"), (408, "timeout"), (409, "tool_error"),
     (422, "tool_error"), (429, "rate_limited"), (500, "unavailable"), (503, "unavailable"), (504, "timeout")],
)  # fmt: skip
async def test_statuses(shop: Shop, code: int, fault_class: str):
    found = await shop.fails("status", code=code)
    assert (found.fault_class, found.sent, found.details["status"]) == (fault_class, True, code)
    assert f"As you wish: {code}." in found.message
    assert found.details.get("retry_after_seconds") == (7 if code == 429 else None)


async def test_another_form_than_promised(shop: Shop):
    found = await shop.fails("wrong")
    assert (found.fault_class, found.message) == ("shape_mismatch", "`shop.wrong` answered text/html, not JSON.")


async def test_redirects_to_the_same_place(shop: Shop):
    assert (await shop("moved", id="a"))["id"] == "a"
    assert (await shop("done"))["id"] == "done"


async def test_security(shop: Shop, monkeypatch: pytest.MonkeyPatch):
    for name in ("by_bearer", "by_basic", "by_header", "by_query"):
        assert await shop(name) is True
    monkeypatch.setenv("SHOP_TOKEN", "wrong-s3cret")
    found = await shop.fails("by_bearer")
    assert found.fault_class == "denied"
    assert found.message.endswith("The token *** is not known.")
    monkeypatch.delenv("SHOP_KEY")
    assert (await shop.fails("by_header")).fault_class == "unavailable"
