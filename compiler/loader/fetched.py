"""Programs that fetch what they run, such as `npx`, `uvx` and `docker run`: what is fetched, and whether its version is
fixed. Read from the words of a command line alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

Kind = Literal["npm", "python", "git", "image"]


@dataclass(frozen=True, slots=True)
class Fetched:
    """`name`: of the package or image; `version`: the exact one that is named, or None. `at`: the argument that names
    it. `form`: the argument with a version, for `str.format`. `local`: a package that is installed in the folder is
    taken. `beside`: it only stands beside what is run."""

    kind: Kind
    name: str
    version: str | None
    at: int
    form: str
    local: bool = False
    beside: bool = False

    def pinned(self, version: str) -> str:
        """The argument with this version."""
        return self.form.format(version)


@dataclass(frozen=True, slots=True)
class _Runner:
    """`words`: behind the command. `package`: options that name what is fetched; `extra`: those that name what is put
    beside it; `valued`: others that take the next word; `silent`: with one of them nothing is fetched, or its version
    is fixed elsewhere. `starts`: without `package`, the first word that is no option names what is fetched."""

    words: tuple[str, ...]
    kind: Kind
    package: frozenset[str] = frozenset()
    extra: frozenset[str] = frozenset()
    valued: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()
    local: bool = False
    starts: bool = True


def _set(names: str) -> frozenset[str]:
    """Options by their names."""
    return frozenset(f"-{each}" if len(each) == 1 else f"--{each}" for each in names.split())


_NPM_VALUED: Final = _set("prefix registry cache userconfig globalconfig loglevel w workspace C dir c call")
_UV_VALUED: Final = _set(
    "with-editable with-requirements index default-index i index-url extra-index-url f "
    "find-links index-strategy keyring-provider resolution prerelease fork-strategy C config-setting "
    "config-settings link-mode P upgrade-package reinstall-package refresh-package no-build-package "
    "no-binary-package b build-constraints build-constraint env-file p python python-platform "
    "torch-backend cache-dir color directory project config-file allow-insecure-host "
    "no-build-isolation-package no-sources-package"
)
_UV_SILENT: Final = _set("exclude-newer c constraints constraint overrides override")
_UV_RUN_VALUED: Final = _set("extra no-extra group no-group only-group package")
_PIPX_VALUED: Final = _set("python fetch-python i index-url pip-args backend")
_SPEC: Final = _set("p package")
_NOT_FETCHED: Final = _set("no no-install")

_NPX: Final = _Runner((), "npm", _SPEC, valued=_NPM_VALUED, silent=_NOT_FETCHED, local=True)
_BUNX: Final = _Runner((), "npm", _SPEC, silent=_NOT_FETCHED, local=True)
_PNPX: Final = _Runner((), "npm", _set("package"), valued=_NPM_VALUED | _set("reporter allow-build"))
_UVX: Final = _Runner((), "python", _set("from"), _set("with w"), _UV_VALUED, _UV_SILENT)
_UV_RUN: Final = replace(_UVX, words=("run",), package=frozenset(), valued=_UV_VALUED | _UV_RUN_VALUED, starts=False)
_IMAGE: Final = (_Runner(("run",), "image"), _Runner(("container", "run"), "image"))

_RUNNERS: Final = {
    "npx": (_NPX,),
    "npm": tuple(replace(_NPX, words=(word,), package=_set("package")) for word in ("exec", "x")),
    "bunx": (_BUNX,),
    "bun": (replace(_BUNX, words=("x",)),),
    "pnpm": (replace(_PNPX, words=("dlx",)),),
    "pnpx": (_PNPX,),
    "yarn": (_Runner(("dlx",), "npm", _SPEC, valued=_set("cwd")),),
    "uvx": (_UVX,),
    "uv": (replace(_UVX, words=("tool", "run")), _UV_RUN),
    "pipx": (_Runner(("run",), "python", _set("spec"), _set("with"), _PIPX_VALUED, _set("path")),),
    "docker": _IMAGE,
    "podman": _IMAGE,
}

_CONTAINER_FLAGS: Final = _set(
    "detach disable-content-trust env-host help init interactive no-healthcheck no-hostname no-hosts "
    "oom-kill-disable passwd privileged publish-all quiet read-only read-only-tmpfs replace rm rmi "
    "rmt sig-proxy tls-verify tty use-api-socket"
)
"""Long options of `docker run` and `podman run` without a value; all others take the next word."""
_CONTAINER_LETTERS: Final = "dhiPqt"


def fetched(command: str, args: Sequence[str]) -> tuple[Fetched, ...]:
    """What a program fetches when it starts, what is run before what is put beside it; nothing where that cannot be
    seen."""
    name = _stem(command)
    first = 0
    if name == "cmd" and len(args) > 1 and args[0].lower() == "/c":  # how programs of npm start on Windows
        name, first = _stem(args[1]), 2
    for runner in _RUNNERS.get(name, ()):
        if named := _named(runner, list(args), first):
            return tuple(each for each in (_READ[runner.kind](runner, one) for one in named) if each is not None)
    return ()


def is_runner(command: str) -> bool:
    """Whether a program may fetch what it runs, so that its own version says nothing."""
    return _stem(command) in _RUNNERS


def _stem(command: str) -> str:
    return re.sub(r"\.(?:exe|cmd|bat)$", "", re.split(r"[\\/]", command)[-1].lower())


@dataclass(frozen=True, slots=True)
class _Named:
    """The word that names what is fetched: in the argument `at`, between `before` and `after`; `optional`: behind an
    option."""

    at: int
    spec: str
    before: str = ""
    after: str = ""
    optional: bool = False
    beside: bool = False


def _named(runner: _Runner, args: list[str], at: int) -> list[_Named]:
    words = list(runner.words)
    found: list[_Named] = []
    target: _Named | None = None
    while at < len(args) and target is None:
        word = args[at]
        option, equals, value = word.partition("=")
        if word == "--":
            at += 1
            if not words:
                target = _Named(at, args[at] if at < len(args) else "")
        elif word.startswith("-") and len(word) > 1:
            if option in runner.silent:
                return []
            names = option in runner.package or option in runner.extra
            if names and equals:
                found += _parts(runner, option, at, value, f"{option}=")
            elif names and at + 1 < len(args):
                found += _parts(runner, option, at + 1, args[at + 1], "")
            at += 2 if not equals and (names or _takes_next(runner, word)) else 1
        elif words:
            if word != words.pop(0):
                return []
            at += 1
        else:
            target = _Named(at, word)
    if words:
        return []
    if runner.starts and target is not None and target.spec and all(each.beside for each in found):
        found.append(target)
    return sorted(found, key=lambda each: each.beside)


def _parts(runner: _Runner, option: str, at: int, value: str, before: str) -> list[_Named]:
    """What an option names: of Python several packages with commas between them, of which ranges have some, too."""
    found: list[_Named] = []
    beside = option in runner.extra
    end = 0
    for each in re.split(r"(,\s*(?=[A-Za-z]))(?![^\[]*\])", value) if runner.kind == "python" else [value]:
        start, end = end, end + len(each)
        if not each.startswith(","):
            found.append(_Named(at, each, f"{before}{value[:start]}", value[end:], optional=True, beside=beside))
    return found


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
    """A repository; only a commit of it stays what it is. A few digits without a letter are rather a day: a tag."""
    bare = named.spec.partition("#")[0]
    if sign == "@":
        bare = re.sub(r"(?<=[\w)])@[^/@]+$", "", bare)
    found = re.search(rf"{sign}((?=[0-9]*[a-f])[0-9a-f]{{7,64}}|[0-9]{{40,64}})(?:#.*)?$", named.spec)
    return _fetched("git", bare, found[1] if found else None, named, f"{bare}{sign}")


def _image(runner: _Runner, named: _Named) -> Fetched:
    name, _, digest = named.spec.partition("@")
    folder, slash, last = name.rpartition("/")
    bare, _, tag = last.partition(":")
    version = digest or (tag if tag != "latest" else "")
    return _fetched("image", f"{folder}{slash}{bare}", version or None, named, f"{folder}{slash}{bare}:")


def _fetched(kind: Kind, name: str, version: str | None, named: _Named, form: str, local: bool = False) -> Fetched:
    before, after = (each.replace("{", "{{").replace("}", "}}") for each in (f"{named.before}{form}", named.after))
    return Fetched(kind, name, version, named.at, f"{before}{{}}{after}", local, named.beside)


_READ: Final = {"npm": _npm, "python": _python, "image": _image}
