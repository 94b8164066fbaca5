"""Where the lock of an OpenAPI source sends requests and variables: never elsewhere than the manifest and the document
say, whoever wrote the lock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compiler.loader.document import Unreadable, read_document
from compiler.loader.lock_shape import visible
from compiler.loader.service_address import address, read_servers
from compiler.project import OpenApiService


def differs(service: OpenApiService, reached: Mapping[str, Any], document: str) -> str:
    """In what the `service` of a lock (of its form) is not as the manifest and the text of its document want it, as a
    sentence; nothing where it is."""
    if why := _goes_elsewhere(service, reached["base_url"], document):
        return why
    auth = reached.get("auth", {})
    for name, credential in auth.items():
        given = service.auth.get(name, service.auth.get(credential["kind"]))
        if given != _as_given(credential):
            return f"It sends the variable `{visible(credential['variable'])}`, which the manifest does not say."
    unknown = [name for name in reached.get("auth_for_all", ()) if name not in auth]
    if unknown:
        return f"It wants the credential `{visible(unknown[0])}`, which it does not have."
    return ""


def _goes_elsewhere(service: OpenApiService, url: str, document: str) -> str:
    """The document is read whole, as `chainc sync` reads it: what looks at less of it takes other texts for servers, or
    misses some. With libyaml that is half a second for a megabyte of YAML, in each check; JSON is read many times as
    fast, and with `base_url` in the manifest the document is not looked at."""
    goes = f"It goes to `{visible(url)}`,"
    if service.base_url is not None:
        same = url == service.base_url
        return "" if same else f"{goes} and the manifest says `{visible(service.base_url)}`."
    value = read_document(service.document, document)
    if isinstance(value, Unreadable):
        return f"`{service.document}` does not say where it goes: {value.why[:1].lower()}{value.why[1:]}"
    servers = read_servers(value.get("servers") if isinstance(value, dict) else None)
    if url == address(servers):
        return ""
    known = any(url == each.url for each in servers)
    return f"{goes} which is {'not the first' if known else 'no'} server of `{service.document}`."


def _as_given(credential: Mapping[str, Any]) -> str | dict[str, str]:
    """A credential as the manifest has it."""
    variable = f"env:{credential['variable']}"
    if "password_variable" in credential:
        return {"user": variable, "password": f"env:{credential['password_variable']}"}
    return variable
