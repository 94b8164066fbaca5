"""Where the lock of an OpenAPI source sends requests and variables: never elsewhere than the manifest and the document
say, whoever wrote the lock."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from compiler.loader.lock_shape import visible
from compiler.project import OpenApiService

_EXOTIC: Final = re.compile(r"[\\|>]|[*&]\w")
"""Signs of YAML that may write a text in another way than it is."""


def differs(service: OpenApiService, reached: Mapping[str, Any], document: str) -> str:
    """In what the `service` of a lock (of its form) is not as the manifest and the text of its document want it, as a
    sentence; nothing where it is."""
    base_url = reached["base_url"]
    if service.base_url is not None and base_url != service.base_url:
        return f"It goes to `{visible(base_url)}`, and the manifest says `{visible(service.base_url)}`."
    if service.base_url is None and not _has_server(document, base_url):
        return f"It goes to `{visible(base_url)}`, which is no server of `{service.document}`."
    auth = reached.get("auth", {})
    for name, credential in auth.items():
        given = service.auth.get(name, service.auth.get(credential["kind"]))
        if given != _as_given(credential):
            return f"It sends the variable `{visible(credential['variable'])}`, which the manifest does not say."
    unknown = [name for name in reached.get("auth_for_all", ()) if name not in auth]
    if unknown:
        return f"It wants the credential `{visible(unknown[0])}`, which it does not have."
    return ""


def _as_given(credential: Mapping[str, Any]) -> str | dict[str, str]:
    """A credential as the manifest has it."""
    variable = f"env:{credential['variable']}"
    if "password_variable" in credential:
        return {"user": variable, "password": f"env:{credential['password_variable']}"}
    return variable


def _has_server(document: str, url: str) -> bool:
    """Whether a document has a server at this URL. Of YAML only the part with the servers is looked at, and only as a
    text: to read all of it is too slow for each check. Where that part is written in a way that hides a text it counts
    as right."""
    text = document.removeprefix("\ufeff")
    if text.lstrip().startswith("{"):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return url in text
        return url in _servers(value.get("servers") if isinstance(value, dict) else None)
    found = re.search(r"^(?:servers|\"servers\"|'servers')[ \t]*:.*\n?(?:(?:[ \t#-].*|\r?)(?:\n|\Z))*", text, re.M)
    part = found[0] if found else text
    if url in re.split(r"[\s\"',{}\[\]]+", part) or _EXOTIC.search(part):
        return True
    # Variables stand for their defaults: `https://{region}.example`.
    return any(re.fullmatch(each, url) for each in _patterns(part))


def _servers(given: Any) -> Iterator[str]:
    """The URLs of the servers, variables filled in with their defaults."""
    for server in given if isinstance(given, list) else ():
        if not isinstance(server, dict) or not isinstance(server.get("url"), str):
            continue
        variables = server.get("variables")

        def default(match: re.Match[str], variables: Any = variables) -> str:
            variable = variables.get(match[1]) if isinstance(variables, dict) else None
            value = variable.get("default") if isinstance(variable, dict) else None
            return value if isinstance(value, str) else match[0]

        yield re.sub(r"\{([^{}]*)\}", default, server["url"]).strip()


def _patterns(part: str) -> Iterator[str]:
    """Patterns of the URLs with variables, each of which is one of the defaults that stand there."""
    defaults = re.findall(r"default[\"']?[ \t]*:[ \t]*(?:\"([^\"\n]*)\"|'([^'\n]*)'|([^\s,}]+))", part)
    one = "|".join(re.escape("".join(each)) for each in defaults)
    for template in re.findall(r"[^\s\"',\[\]]*\{[^{}\s]*\}[^\s\"',\[\]]*", part):
        yield "".join(
            f"(?:{one})" if piece.startswith("{") else re.escape(piece) for piece in re.split(r"(\{[^{}]*\})", template)
        )
