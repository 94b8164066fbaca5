"""The file of principals: what it may say, and whom a token speaks for."""

from __future__ import annotations

import hashlib
import logging
import os
from pathlib import Path

import pytest

from stdlib.runtime.principal import Owner, Principal
from stdlib.serve.principals import TokenFile, WrongPrincipals, new_token, read_principals

pytestmark = pytest.mark.anyio

TOKEN = "a-very-secret-token"
DIGEST = hashlib.sha256(TOKEN.encode()).hexdigest()
OTHER = hashlib.sha256(b"other").hexdigest()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def write(folder: Path, text: str) -> Path:
    file = folder / "who.toml"
    file.write_text(text)
    return file


def one(*lines: str, name: str = "ann", digest: str = DIGEST) -> str:
    return "\n".join(["[[principal]]", f'id = "{name}"', f'token_sha256 = "{digest}"', *lines, ""])


async def test_a_token_speaks_for_its_principal(tmp_path: Path):
    text = one('tenant = "acme"', 'scopes = ["a:b", "c"]', 'groups = ["on-call"]') + one(name="bob", digest=OTHER)
    tokens = TokenFile(write(tmp_path, text))
    ann = await tokens.verify(TOKEN)
    assert ann is not None
    assert ann.principal == Principal("ann", "acme", frozenset({"a:b", "c"}), frozenset({"on-call"}))
    bob = await tokens.verify("other")
    assert bob is not None
    assert bob.principal == Principal("bob", "local", frozenset(), frozenset()), "no scopes are no scopes"
    for wrong in ("", "a-very-secret-toke", TOKEN + "x", DIGEST, "\udcff"):
        assert await tokens.verify(wrong) is None


async def test_one_token_may_be_replaced_by_another(tmp_path: Path):
    text = f'[[principal]]\nid = "ann"\ntoken_sha256 = ["{DIGEST}", "{OTHER}"]\n'
    tokens = TokenFile(write(tmp_path, text))
    first, second = await tokens.verify(TOKEN), await tokens.verify("other")
    assert first is not None
    assert first == second


async def test_tokens_expire(tmp_path: Path):
    now = 1_800_000_000.0
    file = write(tmp_path, one("expires = 2027-01-15T08:00:01Z"))
    tokens = TokenFile(file, clock=lambda: now)
    found = await tokens.verify(TOKEN)
    assert found is not None
    assert found.expires == 1_800_000_001
    now += 1
    assert await tokens.verify(TOKEN) is None


async def test_a_changed_file_counts_at_once(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    changes: list[int] = []

    async def changed() -> None:
        changes.append(1)

    file = write(tmp_path, one())
    tokens = TokenFile(file, changed)
    assert await tokens.verify(TOKEN) is not None
    write(tmp_path, one(name="bobby", digest=OTHER))
    os.utime(file, ns=(1, 1))
    assert await tokens.verify(TOKEN) is None
    assert await tokens.verify("other") is not None
    assert changes == [1]
    with caplog.at_level(logging.ERROR):
        write(tmp_path, f'[[principal]]\nid = "{TOKEN}\n')
        os.utime(file, ns=(2, 2))
        assert await tokens.verify("other") is not None, "a file that is wrong takes nobody out"
    assert "the principals stay as they were" in caplog.text
    assert TOKEN not in caplog.text
    file.unlink()
    assert await tokens.verify("other") is not None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "it must hold one or more [[principal]] and nothing else"),
        ("principal = 1", "it must hold one or more [[principal]] and nothing else"),
        (one() + "[more]\n", "it must hold one or more [[principal]] and nothing else"),
        (f'\nx = "{TOKEN}\n', ", line 2: this is no TOML"),
        (
            one(f'{TOKEN} = "x"'),
            "principal 1: there is a key that means nothing; there are: id, tenant, scopes, groups",
        ),
        (one(name="a b"), "principal 1: `id` must be a name of letters, digits and . _ @ + -"),
        (one('tenant = "x/y"'), "principal 1: `tenant` must be a name"),
        (one("tenant = 1"), "principal 1: `tenant` must be a name"),
        (
            one(digest=TOKEN),
            "principal 1 (`ann`): `token_sha256` must be 64 digits from 0-9a-f, the SHA-256 of the token",
        ),
        (one(digest=DIGEST.upper()), "`token_sha256` must be 64 digits from 0-9a-f"),
        ('[[principal]]\nid = "ann"\n', "`token_sha256` must be"),
        ('[[principal]]\nid = "ann"\ntoken_sha256 = []\n', "`token_sha256` must be"),
        (one('scopes = "all"'), "principal 1 (`ann`): `scopes` must be a list of scopes"),
        (one('scopes = ["a b"]'), "`scopes` must be a list of scopes, which are texts without blanks"),
        (one("groups = [1]"), "`groups` must be a list of names"),
        (one("expires = 2027-01-31"), "`expires` must be a time with its zone, like 2027-01-31T00:00:00Z"),
        (one("expires = 2027-01-31T00:00:00"), "`expires` must be a time with its zone"),
        (one() + one(digest=OTHER), "principal 2: there are two of `ann` in `local`"),
        (one() + one(name="bob"), "principal 2: its token_sha256 stands there twice"),
    ],
)
def test_what_is_wrong_is_told_without_any_token(tmp_path: Path, text: str, told: str):
    with pytest.raises(WrongPrincipals) as found:
        read_principals(write(tmp_path, text))
    assert told in str(found.value)
    assert TOKEN not in str(found.value)


def test_a_file_that_cannot_be_read(tmp_path: Path):
    with pytest.raises(WrongPrincipals, match="cannot be read: No such file"):
        read_principals(tmp_path / "none.toml")
    (tmp_path / "who.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(WrongPrincipals, match="is no UTF-8 text"):
        read_principals(tmp_path / "who.toml")


async def test_a_new_token_fits_its_digest(tmp_path: Path):
    token, digest = new_token()
    assert len(token) > 40
    assert new_token()[0] != token
    assert await TokenFile(write(tmp_path, one(digest=digest))).verify(token) is not None


async def test_who_somebody_is_now(tmp_path: Path):
    now = 1_800_000_000.0
    file = write(tmp_path, one('scopes = ["a"]', "expires = 2027-01-15T08:00:01Z"))
    tokens = TokenFile(file, clock=lambda: now)
    ann = Principal("ann", "local", frozenset({"a"}))
    assert tokens.current(ann.owner) == ann
    assert tokens.current(Owner("acme", "ann")) is None
    write(tmp_path, one("scopes = []"))
    os.utime(file, ns=(1, 1))
    assert tokens.current(ann.owner) == Principal("ann", "local", frozenset())
    write(tmp_path, "nonsense")
    os.utime(file, ns=(2, 2))
    assert tokens.current(ann.owner) == Principal("ann", "local", frozenset()), "a file that is wrong changes nothing"
    write(tmp_path, one("expires = 2027-01-15T08:00:01Z"))
    os.utime(file, ns=(3, 3))
    assert tokens.current(ann.owner) is not None
    now += 1
    assert tokens.current(ann.owner) is None
    write(tmp_path, one(name="bob"))
    os.utime(file, ns=(4, 4))
    assert tokens.current(ann.owner) is None


async def test_a_look_in_between_hides_no_change(tmp_path: Path):
    changes: list[int] = []

    async def changed() -> None:
        changes.append(1)

    file = write(tmp_path, one())
    tokens = TokenFile(file, changed)
    write(tmp_path, one(name="bob"))
    os.utime(file, ns=(1, 1))
    assert tokens.current(Owner("local", "bob")) is not None
    assert await tokens.verify(TOKEN) is not None
    assert changes == [1]
