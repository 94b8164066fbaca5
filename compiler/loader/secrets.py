"""Secrets that were written where everybody can read them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from compiler.loader.shape import Path, dotted
from stdlib.values.header_value import from_variable

_HEADER = re.compile(r"auth|cookie|token|secret|passw|api[-_]?key|credential", re.IGNORECASE)
_WORDS = r"(?:[\w-]*[-_])?(?:token|secret|password|passwd|api[-_]?key|credentials?)"
_OPTION = re.compile(rf"--?{_WORDS}(?P<value>=.+)?|{_WORDS}(?P<named>=.+)", re.IGNORECASE | re.DOTALL)
"""`--token=…`, `--token` before its value, and `NAME_TOKEN=…` as containers take variables."""
_NAMED = re.compile(r"[A-Za-z]\w*=.+", re.DOTALL)
_HEADER_LINE = re.compile(r"(?P<name>[\w-]+):\s*(?P<value>\S.*)", re.DOTALL)
_TAKES_HEADER = ("--header", "--headers", "-H")
_QUERY = re.compile(r"[?&;](?:[\w-]*(?:token|secret|passw|key|auth|sig)[\w-]*)=(?P<value>[^&;#]+)", re.IGNORECASE)
_USER = re.compile(r"[a-z]+://[^/\s@]*:[^/\s@]+@", re.IGNORECASE)
_KNOWN = re.compile(
    r"(?:Bearer|Basic|Token)\s+\S+|gh[pousr]_\w{20,}|github_pat_\w+|glpat-\S+|sk-[\w-]{16,}|xox[abprs]-\S+"
    r"|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|eyJ[\w-]+\.[\w-]+\.[\w-]*|-----BEGIN [A-Z ]*PRIVATE KEY-----.*",
    re.DOTALL,
)
_LONG = re.compile(r"(?=[^\s]*[0-9])(?=[^\s]*[A-Za-z])[A-Za-z0-9+/=_.~-]{24,}")
_PRIVATE = re.compile(
    r"auth(?!ors?(?![a-z]))|cookie|token|secret|passw|passphrase|credential|private|signature|session|webhook|jwt|bearer"
    r"|(?<![a-z])(?:pass|pwd|pat|pin|dsn|salt|otp|sig)s?(?![a-z])|keys?(?![a-z])",
    re.IGNORECASE,
)
_RANDOM = re.compile(r"(?=[A-Za-z+=_~-]*[0-9])(?=[0-9+=_~-]*[A-Za-z])[A-Za-z0-9+=_~-]{20,}")
_PATH = re.compile(r"[./~]|[A-Za-z]:\\")
_MOST_SHOWN = 120


FROM_A_VARIABLE = "If the program can read it from a variable, name that in `{}` and leave the argument away."
BY_A_SHELL = "If it cannot, let a shell put it in:"
_SHELL = """`command = "sh"`, `args = ["-c", 'exec PROGRAM "$NAME"']`, `env = ["NAME"]`."""


def inline_secrets(source: dict[str, Any], path: Path) -> Iterator[tuple[Path, str]]:
    """(place, what to write) of each secret in the table of a source."""
    for name, value in source.get("auth", {}).items():
        for key, text in value.items() if isinstance(value, dict) else [("", value)]:
            if not (isinstance(text, str) and text.startswith("env:")):
                where = (*path, "auth", name, key) if key else (*path, "auth", name)
                yield where, f'Put it into a variable and write `{key or name} = "env:{variable(name)}"`.'
    for name, value in source.get("headers", {}).items():
        if is_inline(name, value):
            scheme = re.match(r"(Bearer|Basic|Token) ", value, re.IGNORECASE)
            written = f"{scheme[1]} env:TOKEN" if scheme else f"env:{variable(name)}"
            more = ", with what stands behind the blank in that variable" if scheme else ""
            yield (*path, "headers", name), f'Put it into a variable and write `{name} = "{written}"`{more}.'
    place = "base_url" if "base_url" in source else "url"
    url = source.get(place, "")
    query = _QUERY.search(url)
    if _USER.match(url) or (query and not query["value"].startswith("env:")):
        yield (*path, place), 'Send it in a header: `headers = { Authorization = "env:NAME" }`.'
    for i in in_arguments(source.get("args", [])):
        yield (*path, "args", i), f"{FROM_A_VARIABLE.format(f'{dotted(path)}.env')} {BY_A_SHELL} {_SHELL}"


def is_inline(header: str, value: str) -> bool:
    """Whether a header holds a secret: what stands before a variable may be no more than words."""
    meant = from_variable(value)
    if meant is not None:
        return any(map(_looks_secret, meant.before.split()))
    return bool(_HEADER.search(header)) or _looks_secret(value)


def in_arguments(arguments: list[str]) -> Iterator[int]:
    """The positions of arguments that are or hold a secret."""
    before = ""
    for i, value in enumerate(arguments):
        option, header = _OPTION.fullmatch(value), _HEADER_LINE.fullmatch(value)
        asked = _OPTION.fullmatch(before)
        if (
            (option and (option["value"] or option["named"]))
            or (asked and not (asked["value"] or asked["named"]) and not value.startswith("-"))
            or (header and before in _TAKES_HEADER and _HEADER.search(header["name"]))
            or _KNOWN.fullmatch(value.partition("=")[2] if _NAMED.fullmatch(value) else value)
            or _USER.match(value)
            or ("://" in value and _QUERY.search(value))
        ):
            yield i
        before = value


def variable(header: str) -> str:
    """A name for the variable that holds a header."""
    return re.sub(r"[^A-Z0-9]+", "_", header.upper()).strip("_")


def harmless(name: str, value: str) -> bool:
    """Whether the value of a variable or header is plainly no secret: it may be shown, and stand in the manifest. What
    only might be one is not harmless."""
    return not (
        len(value) > _MOST_SHOWN
        or not value.isprintable()
        or _PRIVATE.search(name)
        or _PRIVATE.search(value)
        or _KNOWN.search(value)
        or _USER.search(value)
        or _QUERY.search(value)
        or _RANDOM.search(value)
        or (_LONG.fullmatch(value) and not _PATH.match(value))
    )


def _looks_secret(value: str) -> bool:
    return bool(_KNOWN.fullmatch(value) or _LONG.fullmatch(value))
