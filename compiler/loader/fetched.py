"""Programs that fetch what they run, such as `npx`, `uvx` and `docker run`: what is fetched, and whether its version is
fixed. Read from the words of a command line alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["npm", "python", "git", "image"]


@dataclass(frozen=True, slots=True)
class Fetched:
    """`name`: of the package or image; `version`: the exact one that is named, or None. `at`: the argument that names
    it. `form`: the argument with a version, for `str.format`. `local`: a package that the project has is taken."""

    kind: Kind
    name: str
    version: str | None
    at: int
    form: str
    local: bool = False

    def pinned(self, version: str) -> str:
        """The argument with this version."""
        return self.form.format(version)


@dataclass(frozen=True, slots=True)
class _Runner:
    """`words`: behind the command. `package`: options that name what is fetched; `valued`: others that take the next
    word; `silent`: with one of them nothing is fetched, or its version is fixed elsewhere."""

    words: tuple[str, ...]
    kind: Kind
    package: frozenset[str] = frozenset()
    valued: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()
    local: bool = False


def _set(names: str) -> frozenset[str]:
    """Options by their names."""
    return frozenset(f"-{each}" if len(each) == 1 else f"--{each}" for each in names.split())


_NPM_VALUED: Final = _set("prefix registry cache userconfig globalconfig loglevel w workspace C dir")
_UV_VALUED: Final = _set(
    "with w with-editable with-requirements index default-index i index-url extra-index-url f "
    "find-links index-strategy keyring-provider resolution prerelease fork-strategy C config-setting "
    "config-settings link-mode P upgrade-package reinstall-package refresh-package no-build-package "
    "no-binary-package b build-constraints build-constraint env-file p python python-platform "
    "torch-backend cache-dir color directory project config-file allow-insecure-host "
    "no-build-isolation-package no-sources-package"
)
_UV_SILENT: Final = _set("exclude-newer c constraints constraint overrides override")
_PIPX_VALUED: Final = _set("python fetch-python i index-url pip-args backend with")
_SPEC: Final = _set("p package")
_NOT_FETCHED: Final = _set("no no-install")

_RUNNERS: Final = {
    "npx": (_Runner((), "npm", _SPEC, _NPM_VALUED, _NOT_FETCHED | _set("c call"), local=True),),
    "npm": tuple(
        _Runner((word,), "npm", _set("package"), _NPM_VALUED, _NOT_FETCHED | _set("c call"), local=True)
        for word in ("exec", "x")
    ),
    "bunx": (_Runner((), "npm", _SPEC, silent=_NOT_FETCHED, local=True),),
    "bun": (_Runner(("x",), "npm", _SPEC, silent=_NOT_FETCHED, local=True),),
    "pnpm": (_Runner(("dlx",), "npm", _set("package"), _NPM_VALUED | _set("reporter allow-build")),),
    "pnpx": (_Runner((), "npm", _set("package"), _NPM_VALUED | _set("reporter allow-build")),),
    "yarn": (_Runner(("dlx",), "npm", _SPEC, _set("cwd")),),
    "uvx": (_Runner((), "python", _set("from"), _UV_VALUED, _UV_SILENT),),
    "uv": (_Runner(("tool", "run"), "python", _set("from"), _UV_VALUED, _UV_SILENT),),
    "pipx": (_Runner(("run",), "python", _set("spec"), _PIPX_VALUED, _set("path")),),
    "docker": (_Runner(("run",), "image"), _Runner(("container", "run"), "image")),
    "podman": (_Runner(("run",), "image"), _Runner(("container", "run"), "image")),
}

_CONTAINER_FLAGS: Final = _set(
    "detach disable-content-trust env-host help init interactive no-healthcheck no-hostname no-hosts "
    "oom-kill-disable passwd privileged publish-all quiet read-only read-only-tmpfs replace rm rmi "
    "rmt sig-proxy tls-verify tty use-api-socket"
)
"""Long options of `docker run` and `podman run` without a value; all others take the next word."""
_CONTAINER_LETTERS: Final = "dhiPqt"


def fetched(command: str, args: Sequence[str]) -> Fetched | None:
    """What a program fetches when it starts; None where it fetches nothing, or that cannot be seen."""
    name = _stem(command)
    first = 0
    if name == "cmd" and len(args) > 1 and args[0].lower() == "/c":  # how programs of npm start on Windows
        name, first = _stem(args[1]), 2
    for runner in _RUNNERS.get(name, ()):
        named = _named(runner, list(args), first)
        if named is not None:
            return _READ[runner.kind](runner, named)
    return None


def is_runner(command: str) -> bool:
    """Whether a program may fetch what it runs, so that its own version says nothing."""
    return _stem(command) in _RUNNERS


def _stem(command: str) -> str:
    return re.sub(r"\.(?:exe|cmd|bat)$", "", re.split(r"[\\/]", command)[-1].lower())


@dataclass(frozen=True, slots=True)
class _Named:
    """The word that names what is fetched: the argument `at`, behind `before` in it; `optional`: behind an option."""

    at: int
    spec: str
    before: str = ""
    optional: bool = False


def _named(runner: _Runner, args: list[str], at: int) -> _Named | None:
    words = list(runner.words)
    while at < len(args):
        word = args[at]
        option, equals, value = word.partition("=")
        if word == "--":
            at += 1
            if not words:
                return _Named(at, args[at]) if at < len(args) else None
        elif word.startswith("-") and len(word) > 1:
            if option in runner.silent:
                return None
            if option in runner.package:
                if equals:
                    return _Named(at, value, f"{option}=", True)
                return _Named(at + 1, args[at + 1], optional=True) if at + 1 < len(args) else None
            at += 2 if not equals and _takes_next(runner, word) else 1
        elif words:
            if word != words.pop(0):
                return None
            at += 1
        else:
            return _Named(at, word)
    return None


def _takes_next(runner: _Runner, option: str) -> bool:
    if runner.kind != "image":
        return option in runner.valued
    if option.startswith("--"):
        return option not in _CONTAINER_FLAGS
    return len(option[1:].lstrip(_CONTAINER_LETTERS)) == 1  # a longer rest is the value


# ------------------------------------------------------------------ what is named


def _npm(runner: _Runner, named: _Named) -> Fetched | None:
    spec = named.spec
    if spec.startswith((".", "/", "~", "file:")):
        return None
    if re.match(r"git[+:@]|(?:github|gitlab|bitbucket|gist):|[\w.-]+/", spec):
        return _git(named, "#")
    alias = re.match(r"(?:@[^/@]+/)?[^/@]+@npm:", spec)
    begun = alias[0] if alias is not None else ""
    found = re.fullmatch(r"(?P<name>(?:@[^/@\s]+/)?[^/@\s:]+)(?:@(?P<version>.*))?", spec.removeprefix(begun))
    if found is None:
        return None
    exact = re.fullmatch(r"[=v]*(\d+\.\d+\.\d+(?:[-+].*)?)", found["version"] or "")
    form = f"{begun}{found['name']}@"
    return _fetched("npm", found["name"], exact[1] if exact else None, named, form, runner.local)


def _python(runner: _Runner, named: _Named) -> Fetched | None:
    spec = named.spec
    if "git+" in spec:
        return _git(named, "@")
    if spec.startswith((".", "/", "~")) or "://" in spec or spec.endswith((".py", ".whl", ".gz", ".zip")):
        return None
    found = re.fullmatch(r"(?P<name>[A-Za-z0-9][\w.-]*)(?P<extras>\[[^\]]*\])?\s*(?P<rest>[^;]*?)\s*(?:;.*)?", spec)
    if found is None:
        return None
    exact = re.fullmatch(r"(?:@|={2,3})\s*(\d[\w.!+-]*)", found["rest"])
    sign = "@" if runner.words != ("run",) and not named.optional else "=="
    form = f"{found['name']}{found['extras'] or ''}{sign}"
    return _fetched("python", found["name"], exact[1] if exact else None, named, form)


def _git(named: _Named, sign: str) -> Fetched:
    """A repository; only a commit of it stays what it is."""
    bare = named.spec.partition("#")[0]
    if sign == "@":
        bare = re.sub(r"(?<=[\w)])@[^/@]+$", "", bare)
    found = re.search(rf"{sign}([0-9a-f]{{7,40}})(?:#.*)?$", named.spec)
    return _fetched("git", bare, found[1] if found else None, named, f"{bare}{sign}")


def _image(runner: _Runner, named: _Named) -> Fetched:
    name, _, digest = named.spec.partition("@")
    folder, slash, last = name.rpartition("/")
    bare, _, tag = last.partition(":")
    version = digest or (tag if tag != "latest" else "")
    return _fetched("image", f"{folder}{slash}{bare}", version or None, named, f"{folder}{slash}{bare}:")


def _fetched(kind: Kind, name: str, version: str | None, named: _Named, form: str, local: bool = False) -> Fetched:
    whole = f"{named.before}{form}".replace("{", "{{").replace("}", "}}")
    return Fetched(kind, name, version, named.at, whole + "{}", local)


_READ: Final = {"npm": _npm, "python": _python, "image": _image}
