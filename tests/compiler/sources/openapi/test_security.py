"""Servers, security schemes, and the credentials of a manifest."""

from __future__ import annotations

from typing import Any

import pytest

from compiler.sources.openapi.security import Auth, BadAuth, credentials
from compiler.sources.openapi.source import OpenApiSource
from stdlib.plan.openapi import ApiKey, Basic, Bearer

from .documents import OK, operation, source

SCHEMES = {
    "token": {"type": "http", "scheme": "Bearer"},
    "login": {"type": "http", "scheme": "basic"},
    "key": {"type": "apiKey", "in": "query", "name": "api_key"},
    "oauth": {"type": "oauth2", "flows": {}},
    "digest": {"type": "http", "scheme": "digest"},
    "tls": {"type": "mutualTLS"},
}


def secured(*security: Any, root: Any = None) -> OpenApiSource:
    item = {"operationId": "op", "responses": OK, **({"security": list(security)} if security != (None,) else {})}
    more = {"security": root} if root is not None else {}
    return source({"/x": {"get": item}}, components={"securitySchemes": SCHEMES}, **more)


def test_what_operations_need():
    assert secured({"token": []}).tools["op"].binding.security == (("token",),)
    assert secured({"tls": []}, {"key": [], "token": []}).tools["op"].binding.security == (("key", "token"),)
    assert secured({}, {"key": []}).tools["op"].binding.security == ((), ("key",))
    assert secured(None, root=[{"login": []}]).tools["op"].binding.security == (("login",),)
    assert secured(root=[{"login": []}]).tools["op"].binding.security == ()
    assert secured(None).tools["op"].binding.security is None
    assert secured({"oauth": ["read", "write"]}).tools["op"].scopes == ("read", "write")
    refused = secured({"digest": []}, {"tls": []}).refused
    assert [(r.reason, r.why) for r in refused] == [
        ("security", "It needs `digest`, `tls`, which is no bearer token, password or API key.")
    ]


def test_credentials_of_a_manifest():
    found = secured({"token": []}, {"key": []})
    auth = credentials(
        found, {"bearer": "env:TOKEN", "login": {"user": "env:U", "password": "env:P"}, "api_key": "env:KEY"}
    )
    assert auth == Auth(
        {
            "token": Bearer(variable="TOKEN"),
            "oauth": Bearer(variable="TOKEN"),
            "login": Basic(variable="U", password_variable="P"),
            "key": ApiKey(location="query", name="api_key", variable="KEY"),
        }
    )


def test_credentials_where_the_document_is_silent():
    assert credentials(operation(), {"bearer": "env:T"}) == Auth({"bearer": Bearer(variable="T")}, ("bearer",))
    assert credentials(secured(None), {"token": "env:T"}) == Auth({"token": Bearer(variable="T")}, ("token",))


@pytest.mark.parametrize(
    ("auth", "key"), [({"bearer": "s3cret"}, "bearer"), ({"nobody": "env:A"}, "nobody"), ({"token": 5}, "token")]
)
def test_credentials_that_are_wrong(auth: dict[str, Any], key: str):
    found = credentials(secured({"token": []}), auth)
    assert isinstance(found, BadAuth)
    assert found.key == key
    assert "s3cret" not in found.why + found.help


def test_several_api_keys_are_named_one_by_one():
    schemes = {name: {"type": "apiKey", "in": "header", "name": name} for name in ("A", "B")}
    found = operation(security=[{"A": [], "B": []}], components={"securitySchemes": schemes})
    assert isinstance(credentials(found, {"api_key": "env:K"}), BadAuth)
    assert isinstance(credentials(found, {"A": "env:K", "B": "env:L"}), Auth)


def test_servers():
    servers = [
        {"url": "/v1"},
        {"url": "https://{r}.x.example:{p}", "variables": {"r": {"default": "eu"}, "p": {"default": "8443"}}},
        {"url": "https://{nothing}.x.example"},
        {"url": "ftp://x.example"},
    ]
    found = source(
        {"/x": {"servers": [{"url": "/files"}], "get": {"operationId": "op", "responses": OK}}}, servers=servers
    )
    assert [server.url for server in found.servers] == ["/v1", "https://eu.x.example:8443"]
    assert found.base_url == "https://eu.x.example:8443"
    assert found.tools["op"].binding.server == "/files"
