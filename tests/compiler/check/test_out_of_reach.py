"""W0239: operations of a document that the manifest makes every call of refused."""

from __future__ import annotations

import json
from typing import Any

from compiler import driver
from dsl.diagnostics import Diagnostic, Sink
from tests.compiler.sources.openapi.documents import OK, document
from tests.compiler.sources.projects import project, synced

OPERATIONS: dict[str, dict[str, Any]] = {
    "secured": {"security": [{"a": [], "b": []}, {"c": []}]},
    "either": {"security": [{"a": []}, {}]},
    "open": {"security": []},
    "away": {"security": [], "servers": [{"url": "https://files.example/v1"}]},
    "plain": {"security": [{"b": []}], "servers": [{"url": "http://shop.example/v1"}]},
    "below": {"security": [], "servers": [{"url": "/v2"}]},
}
BEARER = {"type": "http", "scheme": "bearer"}
SCHEMES = {"securitySchemes": dict.fromkeys("abc", BEARER)}


def warned(tmp_path, openapi: str, more: str = "", where: str = "shop") -> list[Diagnostic]:
    paths = {f"/{name}": {"get": {"operationId": name, "responses": OK, **what}} for name, what in OPERATIONS.items()}
    api = document(paths, servers=[{"url": "https://shop.example"}], components=SCHEMES)
    steps = "".join(f"  step s{i} = shop.{name}()\n" for i, name in enumerate([*OPERATIONS, "secured"]))
    outputs = ", ".join(f"s{i}" for i in range(len(OPERATIONS) + 1))
    chain = f'import shop from openapi "{where}"\n\nchain all {{\n{steps}  output = [{outputs}]\n}}\n'
    project(
        tmp_path,
        {"chains/a.chain": chain, "api.json": json.dumps(api)},
        f"[sources.shop]\nopenapi = {openapi}\n{more}" if openapi else more,
    )
    assert all(each.code == "W0229" for each in synced(tmp_path)[1])
    sink = Sink()
    driver.check(tmp_path, sink)
    return list(sink)


def test_what_the_manifest_does_not_say(tmp_path):
    found = warned(tmp_path, '{ file = "api.json", auth = { b = "env:TOKEN" } }')
    assert [(each.code, each.message) for each in found] == [
        (
            "W0239",
            "`shop.secured` is always refused: it needs `a` and `b` or `c`, and `shop` has no credential for it.",
        ),
        (
            "W0239",
            "`shop.away` is always refused: it goes to `https://files.example/v1`, and `files.example` is no allowed "
            "host.",
        ),
        (
            "W0239",
            "`shop.plain` is always refused: it goes to `http://shop.example/v1`, and `shop.example` is no allowed "
            "host.",
        ),
    ]
    assert [each.helps for each in found] == [
        (
            "Name the variable that holds it, under `[sources.shop]` in `chainc.toml`: "
            '`auth = { a = "env:VARIABLE", b = "env:VARIABLE" }`.',
        ),
        ('Add "files.example" to `hosts` of `[allow]` in `chainc.toml` if it may be reached.',),
        ('Add "shop.example" to `hosts` of `[allow]` in `chainc.toml` if it may be reached.',),
    ]
    assert found[0].span is not None


def test_what_it_says(tmp_path):
    auth = 'auth = { b = "env:TOKEN", c = "env:TOKEN" }'
    (found,) = warned(tmp_path, f'{{ file = "api.json", {auth} }}', '[allow]\nhosts = ["*.example"]\n')
    assert found.message == (
        "`shop.plain` is always refused: it goes to `http://shop.example/v1`, where anybody could read its credentials."
    )
    assert warned(tmp_path, f'{{ file = "api.json", base_url = "https://shop.example", {auth} }}') == []


def test_a_document_that_is_imported_by_its_file_needs_a_source(tmp_path):
    found = warned(tmp_path, "", '[allow]\nhosts = ["*.example"]\n', "../api.json")
    assert [each.code for each in found] == ["W0239", "W0239"]
    assert found[0].helps[0].startswith("Declare the source in `chainc.toml`, `[sources.api]` with `openapi = {")
