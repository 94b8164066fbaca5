"""OpenAPI documents from the import to the result: locked, checked, called over loopback, served by a package."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from stdlib.plan.plan import OpenApi
from tests.compiler.sources.openapi.documents import OK, document, parameter
from tests.compiler.sources.projects import called, checked, compiled, project, synced, told
from tests.compiler.sources.projects import served as answered
from tests.servers.loopback import served
from tests.servers.shop import EVENTS, KEY, PASSWORD, PRODUCTS, TOKEN, USER, application

CHAIN = """
import shop from openapi "shop"

chain restock {
  input name: string
  step made = shop.create_item_books_post(name: name, price: 1250)
  step found = shop.read_item_books__item_id__get(item_id: made.id)
  output = { id: found.id, name: found.name, note: found.note }
}
"""
OUTSIDE = """
import shop from openapi "../shop.openapi.json"

chain first_books {
  step found = shop.list_items_books_get(limit: 1)
  output = [b.name for b in found]
}
"""
PAGES = """
import shop from openapi "shop"

chain all_products {
  step pages = for each n in range(4, from: 1) do shop.products(page: n)
  output = flatten(pages)
}

chain all_events {
  step one = shop.events()
  step two = shop.events(cursor: one.next_cursor) {
    when one.next_cursor != null
  }
  step three = shop.events(cursor: two?.next_cursor) {
    when two?.next_cursor != null
  }
  output = {
    events: [...one.events, ...(two?.events ?? []), ...(three?.events ?? [])],
    complete: three?.next_cursor == null,
  }
}

chain first_pages {
  step products = shop.products()
  step events = shop.events()
  step names = shop.names()
  output = { products: count(products), events: events.events, names: names.names }
}
"""
SENT = """
import files from openapi "files"

chain send {
  input file: KIND
  step sent = files.bulk(body: { archive: file, info: { a: 1 }, many: [file] })
  output = sent
}
"""
AUTH = (
    '{ HTTPBearer = "env:SHOP_TOKEN", HTTPBasic = { user = "env:SHOP_USER", password = "env:SHOP_PASSWORD" }, '
    'api_key = "env:SHOP_KEY" }'
)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The shop, in a loop of its own beside the test."""
    found: list[int] = []
    ready, done = threading.Event(), threading.Event()

    async def serve() -> None:
        async with served(application()) as given:
            found.append(given)
            ready.set()
            await anyio.to_thread.run_sync(done.wait)

    thread = threading.Thread(target=anyio.run, args=(serve,))
    thread.start()
    assert ready.wait(30)
    yield found[0]
    done.set()
    thread.join()


@pytest.fixture(autouse=True)
def variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"TOKEN": TOKEN, "USER": USER, "PASSWORD": PASSWORD, "KEY": KEY}.items():
        monkeypatch.setenv(f"SHOP_{name}", value)


def shop(root: Path, port: int, *, auth: str = AUTH.replace("api_key", "APIKeyHeader"), private: bool = True) -> Path:
    manifest = f"""[sources.shop]
openapi = {{ file = "shop.openapi.json", base_url = "http://127.0.0.1:{port}", auth = {auth} }}
[allow]
private_networks = {str(private).lower()}
"""
    return project(root, {"chains/a.chain": CHAIN, "shop.openapi.json": json.dumps(application().openapi())}, manifest)


def test_a_document_from_the_manifest_to_the_result(tmp_path, port):
    shop(tmp_path, port)
    assert [code for code, _ in checked(tmp_path)] == ["E0219"]
    report, said = synced(tmp_path)
    assert told(said) == []
    assert report.sources[0].tools >= 100
    text = (tmp_path / "lock/shop.json").read_text()
    lock = json.loads(text)
    image = next(each for each in lock["tools"] if "/image" in str(each))
    assert image["offered"]["outputSchema"] == {"type": "string", "format": "byte"}
    assert lock["files"].keys() == {"shop.openapi.json"}
    assert lock["service"]["auth"]["HTTPBearer"] == {"kind": "bearer", "variable": "SHOP_TOKEN"}
    assert not any(secret in text for secret in (TOKEN, KEY, PASSWORD))
    plan = compiled(tmp_path)
    transport = plan.sources["shop"].transport
    assert isinstance(transport, OpenApi)
    assert list(transport.operations) == ["create_item_books_post", "read_item_books__item_id__get"]
    assert plan.sources["shop"].tools["read_item_books__item_id__get"].effects.read_only
    result = called(tmp_path, "restock", name="Alice")
    assert result.value is not None, result.fault
    assert (result.value["name"], result.value["note"]) == ("Alice", None)


def test_a_chain_walks_all_pages_of_a_service(tmp_path, port):
    shop(tmp_path, port)
    (tmp_path / "chains/a.chain").write_text(PAGES)
    _, said = synced(tmp_path)
    assert told(said) == []
    lock = json.loads((tmp_path / "lock/shop.json").read_text())
    pages = {each["offered"]["name"]: each["pages"] for each in lock["tools"] if "pages" in each}
    assert pages == {"products": {"style": "link"}, "names": {"style": "offset", "argument": "begin"}}
    only = "gives its answer in pages, and this reads only the first."
    assert checked(tmp_path) == [("W0613", f"`shop.{name}` {only}") for name in ("products", "events", "names")]
    assert called(tmp_path, "all_products").value == list(PRODUCTS)
    assert called(tmp_path, "all_events").value == {"events": list(EVENTS), "complete": True}
    assert called(tmp_path, "first_pages").value == {
        "products": 4,
        "events": list(EVENTS[:3]),
        "names": list(EVENTS[:3]),
    }


def test_files_within_an_optional_body_are_bytes(tmp_path):
    binary = {"type": "string", "format": "binary"}
    properties = {"archive": binary, "info": {"type": "object"}, "many": {"type": "array", "items": binary}}
    schema = {"type": "object", "required": ["archive", "info"], "properties": properties}
    bulk = {
        "operationId": "bulk",
        "responses": OK,
        "requestBody": {"content": {"multipart/form-data": {"schema": schema}}},
    }
    project(
        tmp_path,
        {"files.json": json.dumps(document({"/b": {"post": bulk}}))},
        '[sources.files]\nopenapi = { file = "files.json", base_url = "https://files.example" }\n',
    )
    synced(tmp_path)
    (tmp_path / "chains").mkdir()
    for kind, codes in (("string", {"W0611", "E0404"}), ("bytes", {"W0611"})):
        (tmp_path / "chains/a.chain").write_text(SENT.replace("KIND", kind))
        assert {code for code, _ in checked(tmp_path)} == codes


def test_what_is_left_out_or_otherwise_is_told_with_its_place(tmp_path):
    def operation(name: str, **more: Any) -> dict[str, Any]:
        return {"operationId": name, "responses": OK, **more}

    broken = {"requestBody": {"content": {"application/json": {"schema": {"$ref": "models.yaml#/Model"}}}}}
    xml = {"requestBody": {"content": {"application/xml": {}}}, "servers": [{"url": "https://other.example/x"}]}
    paths = {"/a": {"post": operation("a", **broken), "put": operation("b", **xml)}, "/c": {"get": operation("b")}}
    files = {"api.json": json.dumps(document(paths)), "models.yaml": "Model:\n  properties:\n    on: yes\n"}
    project(tmp_path, files, '[sources.shop]\nopenapi = { file = "api.json", base_url = "https://shop.example" }\n')
    _, said = synced(tmp_path)
    server = "it goes to the manifest's `base_url`, where the document says `https://other.example/x`."
    assert {(each.code, each.message, *each.notes) for each in said} == {
        (
            "W0229",
            "`POST /a` of `shop` is no tool: a schema must be an object.",
            "It stands at `models.yaml#/Model/properties/on`.",
        ),
        (
            "W0229",
            "`GET /c` of `shop`: it is called `get_c`, not `b`: `b` is PUT /a.",
            "It stands at `api.json#/paths/~1c/get/operationId`.",
        ),
        (
            "W0229",
            "`b` of `shop`: the body is left out: it is written as application/xml.",
            "It stands at `api.json#/paths/~1a/put/requestBody/content`.",
        ),
        ("W0229", f"`b` of `shop`: {server}", "It stands at `api.json#/paths/~1a/put/servers`."),
    }
    lock = json.loads((tmp_path / "lock/shop.json").read_text())
    assert not any(each["binding"].get("server") for each in lock["tools"])


def test_what_a_document_says_about_pages_is_compared(tmp_path):
    by_cursor = {"cursor": "$request.cursor", "next_cursor": "$response.next"}
    linked = {"200": {**OK["200"], "headers": {"Link": {"schema": {"type": "string"}}}}}

    def written(events: dict[str, Any], responses: dict[str, Any]) -> str:
        listed = {"operationId": "events", "parameters": [parameter("cursor")], "responses": OK, **events}
        names = {"operationId": "names", "responses": responses}
        return json.dumps(document({"/events": {"get": listed}, "/names": {"get": names}}))

    manifest = '[sources.shop]\nopenapi = { file = "shop.json", base_url = "https://shop.example" }\n'
    project(tmp_path, {"shop.json": written({}, linked)}, manifest)
    synced(tmp_path)
    (tmp_path / "shop.json").write_text(written({"x-fern-pagination": by_cursor}, OK))
    report, _ = synced(tmp_path)
    assert [(each.tool, each.words) for each in report.sources[0].changes] == [
        ("events", ("says that its answer comes in pages, the next by `cursor`, told by `next`",)),
        ("names", ("says nothing about pages of its answer any more",)),
    ]
    assert synced(tmp_path, check=True)[1] == []


def test_the_generated_server_calls_the_service(tmp_path, port):
    shop(tmp_path, port)
    synced(tmp_path)
    answer = answered(tmp_path, {"restock": {"name": "Bob"}}, tmp_path)["restock"]
    assert answer["name"] == "Bob"
    # Another place of the service, by an option of the server.
    unreachable = answered(tmp_path, {"restock": {"name": "Bob"}}, tmp_path, "--source", "shop=http://127.0.0.1:9")
    assert "cannot be reached" in str(unreachable["restock"])


def test_private_networks_stay_closed_unless_the_manifest_opens_them(tmp_path, port):
    shop(tmp_path, port, private=False)
    synced(tmp_path)
    fault = called(tmp_path, "restock", name="Alice").fault
    assert fault is not None
    assert fault.fault_class == "denied"


def test_a_document_that_an_import_names(tmp_path):
    document = application().openapi()
    project(tmp_path, {"chains/a.chain": OUTSIDE, "shop.openapi.json": json.dumps(document)})
    assert synced(tmp_path)[0].written == ("lock/shop.openapi.json.json",)
    (source,) = compiled(tmp_path).sources.values()
    assert isinstance(source.transport, OpenApi)
    assert source.transport.base_url == "https://eu.shop.example/v2"
    # The lock is of this document: another one asks for a sync.
    document["info"]["title"] = "Another"
    (tmp_path / "shop.openapi.json").write_text(json.dumps(document))
    assert [code for code, _ in checked(tmp_path)] == ["E0221"]
    synced(tmp_path)
    assert checked(tmp_path) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"openapi": "2.0"}, "`shop.openapi.json` cannot be used: this is OpenAPI 2.0; 3.0 and 3.1 can be read."),
        ({"servers": []}, "`shop.openapi.json` does not say where its service is."),
    ],
)
def test_a_document_that_cannot_be_used_is_told(tmp_path, change, message):
    document: dict[str, Any] = {**application().openapi(), **change}
    project(tmp_path, {"chains/a.chain": OUTSIDE, "shop.openapi.json": json.dumps(document)})
    assert told(synced(tmp_path)[1]) == [("E0233", message)]


def test_a_relative_server_needs_a_base_url(tmp_path):
    api = json.dumps(document({"/x": {"get": {"operationId": "x", "responses": OK}}}, servers=[{"url": "/v1"}]))
    chain = 'import api from openapi "../api.json"\n\nchain a {\n  step x = api.x()\n  output = x\n}\n'
    entry = '`openapi = { file = "api.json", base_url = "https://…" }`'
    for manifest, hint in (
        (
            "",
            f"Declare the source in `chainc.toml`, `[sources.api]` with {entry}, and import it by its name: "
            '`from openapi "api"`.',
        ),
        (
            '[sources.shop]\nopenapi = { file = "api.json" }\n',
            f"Say it in `chainc.toml`, under `[sources.shop]`: {entry}.",
        ),
    ):
        project(tmp_path, {"api.json": api, "chains/a.chain": "" if manifest else chain}, manifest)
        (found,) = synced(tmp_path)[1]
        assert (found.code, found.helps) == ("E0233", (hint,))
        assert found.message == "`api.json` does not say where its service is: its server `/v1` is relative."


@pytest.mark.parametrize(
    ("auth", "code", "message"),
    [
        ('{ nobody = "env:X" }', "E0233", "The document has no security scheme `nobody`."),
        ('{ api_key = "env:X" }', "E0233", "The document has several API keys."),
        ('{ HTTPBearer = "s3cr3t" }', "E0214", "`sources.shop.openapi.auth.HTTPBearer` holds a secret"),
        (
            '{ HTTPBasic = { user = "anna", password = "env:X" } }',
            "E0214",
            "`sources.shop.openapi.auth.HTTPBasic.user`",
        ),
    ],
)
def test_credentials_that_cannot_be_used_are_told(tmp_path, auth, code, message):
    shop(tmp_path, 1, auth=auth)
    (found, said) = told(synced(tmp_path)[1])[0]
    assert found == code
    assert said.startswith(message)
