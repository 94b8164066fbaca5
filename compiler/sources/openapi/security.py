"""Security schemes: which of them can be followed, what each operation needs, and the variables that hold it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from compiler.loader.lock_shape import visible
from compiler.sources.openapi.documents import At, Documents
from compiler.sources.openapi.source import OpenApiSource, Scheme, Unserved
from stdlib.plan.openapi import ApiKey, Basic, Bearer, Credential

_VARIABLE: Final = re.compile(r"env:([A-Za-z_][A-Za-z0-9_]*)")
_HEADER: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
KINDS: Final = ("bearer", "basic", "api_key")


def read_schemes(documents: Documents, root: At) -> dict[str, Scheme]:
    """The schemes of the components by name: bearer tokens (also of OAuth 2 and OpenID Connect), basic, API keys."""
    schemes = root.get("components", "securitySchemes")
    found: dict[str, Scheme] = {}
    for name in schemes.value if isinstance(schemes.value, dict) else ():
        try:
            scheme = _scheme(documents.resolved(schemes.get(name)))
        except Unserved:
            continue
        if scheme is not None:
            found[name] = scheme
    return found


def _scheme(at: At) -> Scheme | None:
    match at.text("type"), at.text("scheme").lower(), at.text("in"):
        case ("oauth2" | "openIdConnect", _, _) | ("http", "bearer", _):
            return Scheme("bearer")
        case "http", "basic", _:
            return Scheme("basic")
        case "apiKey", _, ("header" | "query" | "cookie") as location if at.text("name"):
            if location != "query" and not _HEADER.fullmatch(at.text("name")):
                return None
            return Scheme("api_key", location, at.text("name"))
    return None


@dataclass(frozen=True, slots=True)
class Needs:
    """`alternatives` as `stdlib.plan.openapi.Operation.security` has them; `scopes` of the first one."""

    alternatives: tuple[tuple[str, ...], ...] | None
    scopes: tuple[str, ...] = ()


def read_security(operation: At, root: At, schemes: Mapping[str, Scheme], declared: bool) -> Needs:
    """What an operation needs; alternatives that cannot be followed are left out. Raises Unserved where none is left.

    `declared`: the document says something about security somewhere, so what says nothing is public.
    """
    at = operation.get("security")
    if at.value is None:
        at = root.get("security")
        if at.value is None:
            return Needs(() if declared else None)
    alternatives: list[tuple[str, ...]] = []
    scopes: list[str] = []
    given = at.list("`security`")
    for i in range(len(given)):
        names = tuple(at.get(i).record("A security requirement"))
        if all(name in schemes for name in names):
            if not alternatives:
                wanted = [at.get(i, name).value for name in names if schemes[name].kind == "bearer"]
                scopes = [s for each in wanted if isinstance(each, list) for s in each if isinstance(s, str)]
            alternatives.append(names)
    if given and not alternatives:
        unknown = ", ".join(f"`{visible(name)}`" for each in given for name in each if name not in schemes)
        raise Unserved("security", at.place, f"It needs {unknown}, which is no bearer token, password or API key.")
    return Needs(tuple(alternatives), tuple(dict.fromkeys(scopes)))


@dataclass(frozen=True, slots=True)
class BadAuth:
    """An entry of a manifest's `auth` that cannot be used. `why` is a sentence, `help` says what to write."""

    key: str
    why: str
    help: str = ""


@dataclass(frozen=True, slots=True)
class Auth:
    """As `auth` and `auth_for_all` of `stdlib.plan.openapi.OpenApi`: a document that says nowhere what needs which
    credentials gets all of them with everything."""

    credentials: Mapping[str, Credential]
    for_all: tuple[str, ...] = ()


def credentials(source: OpenApiSource, auth: Mapping[str, Any]) -> Auth | BadAuth:
    """The credentials of a manifest's `auth` table by the name of the scheme.

    A key is the name of a scheme, or `bearer`, `basic`, `api_key` for every scheme of that kind (one API key only).
    A value is `env:NAME`; for `basic` that holds `user:password`, or it is a table of `user` and `password`.
    """
    found: dict[str, Credential] = {}
    for key, value in auth.items():
        names = [key] if key in source.schemes else [n for n, s in source.schemes.items() if s.kind == key]
        if not names and key in ("bearer", "basic") and not source.schemes:
            names = [key]
        if not names:
            known = ", ".join(f"`{visible(name)}`" for name in source.schemes) or "none"
            return BadAuth(key, f"The document has no security scheme `{visible(key)}`.", f"It has: {known}.")
        if key == "api_key" and key not in source.schemes and len(names) > 1:
            which = ", ".join(f"`{visible(name)}`" for name in names)
            return BadAuth(key, "The document has several API keys.", f"Name them one by one: {which}.")
        for name in names:
            made = _credential(key, source.schemes.get(name, Scheme("basic" if key == "basic" else "bearer")), value)
            if isinstance(made, BadAuth):
                return made
            if name not in found or key == name:
                found[name] = made
    return Auth(found, () if source.secured else tuple(found))


def _credential(key: str, scheme: Scheme, value: Any) -> Credential | BadAuth:
    example = f'Write `{key} = "env:NAME"`: the name of the variable that holds it.'
    if isinstance(value, dict) and scheme.kind == "basic" and value.keys() == {"user", "password"}:
        user, password = (
            _VARIABLE.fullmatch(v) if isinstance(v, str) else None for v in (value["user"], value["password"])
        )
        if user and password:
            return Basic(variable=user[1], password_variable=password[1])
    variable = _VARIABLE.fullmatch(value) if isinstance(value, str) else None
    if variable is None:
        return BadAuth(key, f"`{key}` must be the name of a variable, never the secret itself.", example)
    match scheme.kind:
        case "bearer":
            return Bearer(variable=variable[1])
        case "basic":
            return Basic(variable=variable[1])
        case "api_key":
            return ApiKey(location=scheme.location, name=scheme.name, variable=variable[1])
