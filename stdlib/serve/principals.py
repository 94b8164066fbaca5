"""Who may call over HTTP: a file that names principals and the digests of their tokens.

    [[principal]]
    id = "ann"
    tenant = "acme"                     # left out: "local"
    scopes = ["tickets:write"]          # left out: none
    groups = ["on-call"]                # whom they approve for
    token_sha256 = "9f86d081…"          # of the token; or a list, while one is replaced by another
    expires = 2027-01-31T00:00:00Z      # left out: never

The file holds no token, and none is ever logged or shown: of the file's contents messages quote ids alone.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import re
import secrets
import time
import tomllib
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Protocol

from ..runtime.principal import LOCAL, Owner, Principal

KEYS: Final = ("id", "tenant", "scopes", "groups", "token_sha256", "expires")
_NAME: Final = re.compile(r"[A-Za-z0-9_.@+-]{1,128}")
_SCOPE: Final = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]{1,256}")
"""A scope (RFC 6749, section 3.3)."""
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
TOKEN_BYTES: Final = 32

log = logging.getLogger("chainc.serve")


class WrongPrincipals(Exception):
    """The file cannot be used. The message says where and why."""


@dataclass(frozen=True, slots=True)
class Verified:
    """Whom a token speaks for. `expires`: seconds since 1970, None: never. `resource`: the server that the token was
    made for (RFC 8707), None: whichever one checks it."""

    principal: Principal
    expires: int | None = None
    resource: str | None = None


class Verifier(Protocol):
    """Knows some tokens: those of a file, or those that an authorization server signed."""

    async def verify(self, token: str) -> Verified | None:
        """None for a token that is unknown or has expired."""
        ...


@dataclass(frozen=True, slots=True)
class Known:
    """A principal with the digests of its tokens."""

    digests: tuple[bytes, ...]
    verified: Verified


class TokenFile:
    """The principals of a file, which is read again when it has changed: a line that is taken out is out at once.

    Raises `WrongPrincipals`; later on, a file that is wrong leaves everything as it was, and the log says so.
    `changed`: awaited after each change.
    """

    def __init__(
        self,
        path: Path,
        changed: Callable[[], Awaitable[None]] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._path = path
        self._changed = changed
        self._clock = clock
        self._stamp = self._seen = _stamp(path)
        self._known = read_principals(path)

    async def verify(self, token: str) -> Verified | None:
        """Every digest is compared, each in constant time, so that time tells nothing about them."""
        await self._look()
        digest = hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
        found: Verified | None = None
        for each in self._known:
            for one in each.digests:
                if hmac.compare_digest(one, digest):
                    found = each.verified
        if found is None or (found.expires is not None and found.expires <= self._clock()):
            return None
        return found

    def current(self, owner: Owner) -> Principal | None:
        """Who this is now: None where the file does not name it any more, or its time is over."""
        stamp = _stamp(self._path)
        if stamp != self._seen:
            self._seen = stamp
            self._read()
        for each in self._known:
            found = each.verified
            if found.principal.owner == owner:
                return None if found.expires is not None and found.expires <= self._clock() else found.principal
        return None

    async def _look(self) -> None:
        stamp = _stamp(self._path)
        if stamp == self._stamp:
            return
        self._stamp = self._seen = stamp
        if self._read() and self._changed is not None:
            await self._changed()

    def _read(self) -> bool:
        try:
            self._known = read_principals(self._path)
        except WrongPrincipals as reason:
            log.error("the principals stay as they were: %s", reason)
            return False
        return True


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        told = path.stat()
    except OSError:
        return None
    return told.st_mtime_ns, told.st_size, told.st_ino


def read_principals(path: Path) -> tuple[Known, ...]:
    """Raises `WrongPrincipals`."""
    try:
        given = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise WrongPrincipals(f"{path} cannot be read: {error.strerror or 'no file'}") from None
    except UnicodeDecodeError:
        raise WrongPrincipals(f"{path} is no UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"line (\d+)", str(error))
        where = f", line {found[1]}" if found else ""
        raise WrongPrincipals(f"{path}{where}: this is no TOML") from None
    return tuple(_read(str(path), given))


def new_token() -> tuple[str, str]:
    """A fresh token and its digest."""
    token = f"chainc_{secrets.token_urlsafe(TOKEN_BYTES)}"
    return token, hashlib.sha256(token.encode()).hexdigest()


def _read(path: str, given: dict[str, Any]) -> Iterator[Known]:
    tables = given.get("principal")
    if set(given) != {"principal"} or not isinstance(tables, list) or not tables:
        raise WrongPrincipals(f"{path}: it must hold one or more [[principal]] and nothing else")
    seen: set[tuple[str, str]] = set()
    taken: set[bytes] = set()
    for number, table in enumerate(tables, 1):
        one = _one(f"{path}, principal {number}", table)
        who = one.verified.principal
        if (who.tenant, who.id) in seen:
            raise WrongPrincipals(f"{path}, principal {number}: there are two of `{who.id}` in `{who.tenant}`")
        if not taken.isdisjoint(one.digests) or len(set(one.digests)) < len(one.digests):
            raise WrongPrincipals(f"{path}, principal {number}: its token_sha256 stands there twice")
        seen.add((who.tenant, who.id))
        taken.update(one.digests)
        yield one


def _one(where: str, table: Any) -> Known:
    if not isinstance(table, dict):
        raise WrongPrincipals(f"{where}: write it as a table, [[principal]]")
    if any(key not in KEYS for key in table):
        raise WrongPrincipals(f"{where}: there is a key that means nothing; there are: {', '.join(KEYS)}")
    name, tenant = table.get("id"), table.get("tenant", LOCAL)
    for key, value in (("id", name), ("tenant", tenant)):
        if not isinstance(value, str) or not _NAME.fullmatch(value):
            raise WrongPrincipals(f"{where}: `{key}` must be a name of letters, digits and . _ @ + -")
    where = f"{where} (`{name}`)"
    scopes = _texts(where, table, "scopes", _SCOPE, "a list of scopes, which are texts without blanks")
    groups = _texts(where, table, "groups", _NAME, "a list of names")
    told = table.get("token_sha256")
    digests = [told] if isinstance(told, str) else told
    if not isinstance(digests, list) or not digests or not all(_is_digest(each) for each in digests):
        advice = "64 digits from 0-9a-f, the SHA-256 of the token and not the token itself"
        raise WrongPrincipals(f"{where}: `token_sha256` must be {advice}")
    principal = Principal(str(name), str(tenant), frozenset(scopes), frozenset(groups))
    return Known(tuple(bytes.fromhex(each) for each in digests), Verified(principal, _expiry(where, table)))


def _texts(where: str, table: dict[str, Any], key: str, form: re.Pattern[str], wanted: str) -> list[str]:
    given = table.get(key, [])
    if not isinstance(given, list) or not all(isinstance(each, str) and form.fullmatch(each) for each in given):
        raise WrongPrincipals(f"{where}: `{key}` must be {wanted}")
    return given


def _is_digest(value: Any) -> bool:
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None


def _expiry(where: str, table: dict[str, Any]) -> int | None:
    given = table.get("expires")
    if given is None:
        return None
    if not isinstance(given, datetime) or given.tzinfo is None:
        raise WrongPrincipals(f"{where}: `expires` must be a time with its zone, like 2027-01-31T00:00:00Z")
    return int(given.timestamp())
