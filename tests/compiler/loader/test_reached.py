"""Locks of OpenAPI sources: their form, and that they send nothing elsewhere than manifest and document say."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel, ValidationError

from compiler.loader.load import load
from compiler.loader.lock_shape import service_digest, tool_digest
from compiler.loader.operation_shape import BINDING, SERVICE
from compiler.loader.reached import differs
from compiler.loader.shape import Kinds, ListOf, MapOf, Shape, Table, problems
from compiler.project import OpenApiService
from compiler.sources.sync import sync
from dsl.diagnostics import Sink
from stdlib.plan import openapi as o

PLACE = "https://shop.example/v2"
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "1"},
    "servers": [{"url": PLACE}],
    "security": [{"key": []}],
    "components": {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}},
    "paths": {
        "/orders": {
            "get": {
                "operationId": "orders",
                "parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}}],
                "responses": {"200": {"description": "-", "content": {"application/json": {"schema": {}}}}},
            }
        }
    },
}
MANIFEST = """
[project]
name = "a"
version = "1.0.0"
language = "1"
[sources.shop]
openapi = { file = "shop.json", auth = { bearer = "env:SHOP_TOKEN" } }
"""
CHAIN = 'import shop from openapi "shop"\n\nchain a {\n  step o = shop.orders()\n  output json = o\n}\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "chains").mkdir()
    (tmp_path / "chainc.toml").write_text(MANIFEST)
    (tmp_path / "shop.json").write_text(json.dumps(DOCUMENT))
    (tmp_path / "chains/a.chain").write_text(CHAIN)
    sink = Sink()
    sync(tmp_path, [], sink, write=True, ask=None)
    assert told(tmp_path) == []
    return tmp_path


def told(root: Path) -> list[tuple[str, str]]:
    sink = Sink()
    load(root, sink)
    return [(each.code, each.message) for each in sink]


def edit(root: Path, change: Any) -> list[tuple[str, str]]:
    """What is told of the lock after a change whose digests are right."""
    path = root / "lock/shop.json"
    value = json.loads(path.read_text())
    change(value)
    for tool in value["tools"]:
        tool["digest"]["tool"] = tool_digest(tool)
    if "digest" in value:
        value["digest"] = service_digest(value)
    path.write_text(json.dumps(value))
    return told(root)


def test_a_variable_or_place_that_the_manifest_does_not_say_is_no_way_to_reach_a_service(project: Path):
    def other(**service: Any) -> list[tuple[str, str]]:
        return edit(project, lambda value: value["service"].update(service))

    way = "`lock/shop.json` reaches the service of `shop` in another way than it should."
    steals = {"key": {"kind": "bearer", "variable": "AWS_SECRET"}}
    assert other(auth=steals) == [
        ("E0221", f"{way} It sends the variable `AWS_SECRET`, which the manifest does not say.")
    ]
    assert other(auth={"b": steals["key"]}, auth_for_all=["b"])[0][0] == "E0221"
    right = {"key": {"kind": "bearer", "variable": "SHOP_TOKEN"}}
    assert other(auth=right, auth_for_all=[]) == []
    assert other(auth_for_all=["b"]) == [("E0221", f"{way} It wants the credential `b`, which it does not have.")]
    assert other(auth_for_all=[], base_url="https://evil.example") == [
        ("E0221", f"{way} It goes to `https://evil.example`, which is no server of `shop.json`.")
    ]


def test_the_digest_covers_how_a_service_is_reached(project: Path):
    path = project / "lock/shop.json"
    text = path.read_text()
    path.write_text(text.replace("SHOP_TOKEN", "AWS_SECRET"))
    # `asked` is looked at, too: both were replaced.
    assert told(project) == [("E0220", "`lock/shop.json` is damaged: how its service is reached was changed by hand.")]
    path.write_text(json.dumps({key: value for key, value in json.loads(text).items() if key != "digest"}))
    assert told(project) == [("E0221", "`lock/shop.json` does not keep how the service of `shop` is reached.")]
    assert edit(project, lambda value: value.update(digest="", files={}))[0][0] == "E0221"


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value.pop("service"),
        lambda value: value.update(service={}),
        lambda value: value["service"].update(kind={"x": 1}),
        lambda value: value["service"].update(base_url=5),
        lambda value: value["service"].update(operations={}),
        lambda value: value["service"].update(auth={"key": {"kind": "bearer"}}),
        lambda value: value["service"].update(auth={"key": {"kind": ["bearer"], "variable": "A"}}),
        lambda value: value["service"].update(auth={"key": {"kind": "bearer", "variable": "A", "name": "b"}}),
        lambda value: value["service"].update(auth=5),
        lambda value: value["tools"][0].pop("binding"),
        lambda value: value["tools"][0].update(binding={}),
        lambda value: value["tools"][0]["binding"].update(responses=[{}]),
        lambda value: value["tools"][0]["binding"].update(security="key"),
        lambda value: value["tools"][0]["binding"].update(server=5),
        lambda value: value["tools"][0]["binding"]["parameters"][0].update(explode="a" * 1000),
        lambda value: value["tools"][0]["binding"]["parameters"][0].update(location="trailer"),
        lambda value: value["tools"][0]["binding"].update(body={"encoding": "json"}),
    ],
)
def test_what_has_another_form_is_damage(project: Path, change: Any):
    assert [code for code, _ in edit(project, change)] == ["E0220"]


@pytest.mark.parametrize(
    ("document", "url", "there"),
    [
        (json.dumps(DOCUMENT), PLACE, True),
        (json.dumps(DOCUMENT).replace("/", "\\/"), PLACE, True),
        (json.dumps({**DOCUMENT, "externalDocs": {"url": "https://docs.example"}}), "https://docs.example", False),
        ('{"servers": [{"url": "https://{a}.example", "variables": {"a": {"default": "eu"}}}]}', PLACE, False),
        ('{"servers": [{"url": "https://{a}.ex", "variables": {"a": {"default": "eu"}}}]}', "https://eu.ex", True),
        ('{"servers": 5}', PLACE, False),
        ('{"servers": [{"url": "https://api.example.com"}]', "https://api.example.co", False),
        (f"{{servers: [{{url: '{PLACE}'}}]}} # YAML", PLACE, True),
        (f"[{PLACE}]", PLACE, False),
        (f"openapi: 3.1.0\nservers:\n- url: {PLACE}\ninfo: {{}}\n", PLACE, True),
        (f"openapi: 3.1.0\nservers:\n\n  # here\n  - url: '{PLACE}'\ninfo: {{}}\n", PLACE, True),
        (f"openapi: 3.1.0\nservers: [{{url: {PLACE}}}]\n", PLACE, True),
        (f"servers:\n  - url: {PLACE}\ninfo:\n  x: https://docs.example\n", "https://docs.example", False),
        (f"servers:\n  - url: {PLACE}/more\n", PLACE, False),
        ("servers:\n  - url: https://{a}.ex/{b}\n    variables: {a: {default: eu}, b: {default: v1}}\n",
         "https://eu.ex/v1", True),
        ("servers:\n  - url: https://{a}.ex\n    variables:\n      a:\n        default: 'eu'\n",
         "https://us.ex", False),
        ("servers:\n  - url: >\n      https://shop\n", PLACE, False),
        (f"servers:\n  - url: >-\n      {PLACE}\n", PLACE, True),
        (f"servers:\n  - url: {PLACE}\n    description: |\n      ours\n", "https://evil.example", False),
        (f"servers:\n  - url: {PLACE}\n    description: |\n      ours\n", PLACE, True),
        (f"x: &x {PLACE}\nservers:\n  - url: *x\n", PLACE, True),
        (f"servers:\n  - url: &x {PLACE}\n", "https://evil.example", False),
        (f"servers:\n  - url: {PLACE}\n  - url: https://b.ex\n", "https://b.ex", False),
        (f"servers:\n  - url: /v2\n  - url: {PLACE}\n", PLACE, True),
        ("servers:\n  - url: \"http://[::1]:8080\"\n", "http://[::1]:8080", True),
        ("servers:\n  - url: https://a.ex/x,y\n", "https://a.ex/x,y", True),
        ("servers:\n  - url: https://{a}.ex\n    variables:\n      a:\n        default:\n          eu\n",
         "https://eu.ex", True),
        ("paths: {}\n", PLACE, False),
        ("paths: {}\ninfo: |\n  a > b\n", "https://evil.example", False),
        ("servers:\n  - url: https://{a}.ex\n    variables: {a: {default: !!str eu}}\n", "https://eu.ex", True),
        ("servers:\n  - url: !x https://eu.ex\n", "https://eu.ex", False),
    ],
)  # fmt: skip
def test_servers_of_a_document(document: str, url: str, there: bool):
    service = OpenApiService("shop.yaml")
    assert (differs(service, {"base_url": url}, document) == "") is there


@pytest.mark.parametrize(
    "servers",
    [
        '[{"url": "http://[::1]:8080"}]',
        "[{url: 'https://a.ex/x,y'}]",
        "\n- url: https://{a}.ex\n  description: |\n    ours\n  variables:\n    a:\n      default:\n        !!str eu",
    ],
)
def test_what_sync_locks_is_accepted_and_nothing_else(project: Path, servers: str):
    rest = json.dumps({key: value for key, value in DOCUMENT.items() if key != "servers"})
    (project / "shop.json").unlink()
    (project / "shop.yaml").write_text("".join(f"{k}: {json.dumps(v)}\n" for k, v in json.loads(rest).items()))
    with (project / "shop.yaml").open("a") as file:
        file.write(f"servers: {servers}\n")
    (project / "chainc.toml").write_text(MANIFEST.replace("shop.json", "shop.yaml"))
    sync(project, [], Sink(), write=True, ask=None)
    assert told(project) == []
    moved = edit(project, lambda value: value["service"].update(base_url="https://evil.example"))
    assert [code for code, _ in moved] == ["E0221"]


def test_a_document_that_cannot_be_read_says_no_place():
    what = differs(OpenApiService("a.json"), {"base_url": PLACE}, f'{{"servers": [{{"url": "{PLACE}"}}]')
    assert what.startswith("`a.json` does not say where it goes: ")


@pytest.mark.parametrize(
    "document",
    [
        "a" * 60_000,
        "{" * 60_000,
        "servers:\n- url: https://{a}{b}{c}{d}{e}{f}{g}{h}.ex\n  variables:\n"
        + "".join(f"    {name}: {{default: {'a' * (i + 1)}}}\n" for i, name in enumerate("abcdefgh")),
    ],
    ids=["word", "braces", "variables"],
)
def test_a_hostile_document_is_read_in_bounded_time(document: str):
    before = time.process_time()
    assert differs(OpenApiService("a.yaml"), {"base_url": f"https://{'a' * 40}.ex"}, document) != ""
    assert time.process_time() - before < 3


def test_the_manifest_counts_before_the_document():
    service = OpenApiService("shop.yaml", base_url="http://127.0.0.1:1")
    assert differs(service, {"base_url": "http://127.0.0.1:1"}, "") == ""
    what = differs(service, {"base_url": PLACE}, PLACE)
    assert what == f"It goes to `{PLACE}`, and the manifest says `http://127.0.0.1:1`."


def test_users_and_keys_are_those_of_the_manifest():
    service = OpenApiService("a.json", PLACE, {"k": "env:K", "basic": {"user": "env:U", "password": "env:P"}})

    def why(**auth: Any) -> str:
        return differs(service, {"base_url": PLACE, "auth": auth}, "")

    basic = {"kind": "basic", "variable": "U", "password_variable": "P"}
    assert why(b=basic, k={"kind": "api_key", "location": "query", "name": "k", "variable": "K"}) == ""
    assert why(b={**basic, "password_variable": "AWS"}) != ""
    assert why(b={"kind": "basic", "variable": "U"}) != ""
    assert why(k2={"kind": "api_key", "location": "query", "name": "k", "variable": "K"}) != ""


def test_the_form_is_that_of_the_plan():
    """Fields, and which must be there."""
    credentials = {each.model_fields["kind"].default: each for each in get_args(get_args(o.Credential)[0])}
    service = SERVICE.fields if isinstance(SERVICE, Table) else {}
    kinds = service["auth"].value if isinstance(service["auth"], MapOf) else None
    assert isinstance(kinds, Kinds)
    assert kinds.tables.keys() == credentials.keys()
    for kind, table in kinds.tables.items():
        assert table.fields.keys() == credentials[kind].model_fields.keys() - {"kind"}
    assert service.keys() == o.OpenApi.model_fields.keys() - {"operations"}
    for shape, model in (
        (BINDING, o.Operation),
        (inner(BINDING, "parameters"), o.Parameter),
        (inner(BINDING, "body"), o.Body),
        (inner(inner(BINDING, "body"), "fields"), o.BodyField),
        (inner(BINDING, "responses"), o.Response),
    ):
        assert isinstance(shape, Table)
        assert shape.fields.keys() == model.model_fields.keys()
        assert set(shape.required) == {name for name, field in model.model_fields.items() if field.is_required()}


def inner(shape: Shape, name: str) -> Shape:
    assert isinstance(shape, Table)
    found = shape.fields[name]
    return found.item if isinstance(found, ListOf) else found


@pytest.mark.parametrize("style", ["simple", "matrix", "other"])
@pytest.mark.parametrize("explode", [True, None])
def test_values_are_those_of_the_plan(style: str, explode: Any):
    parameter = {"argument": "a", "name": "a", "location": "query", "style": style, "explode": explode}
    binding = {"method": "GET", "path": "/", "parameters": [parameter]}
    assert (not list(problems(BINDING, binding))) == accepts(o.Operation, binding)


def accepts(model: type[BaseModel], value: Any) -> bool:
    try:
        model.model_validate(value)
    except ValidationError:
        return False
    return True
