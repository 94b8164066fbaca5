"""One server of a client's configuration as a source of the manifest: names of variables, never their values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from compiler.loader.lock_shape import visible
from compiler.loader.manifest_shape import HTTP, STDIO
from compiler.loader.secrets import inline_secrets, variable
from compiler.loader.shape import problems

_FORMS: Final = {"stdio", "http", "sse", "streamable-http", "streamableHttp", "streamable_http"}
_PLACEHOLDER = re.compile(r"\$\{(?:(?P<kind>env|input):)?(?P<name>[^}]*)\}")
_FOLDER = re.compile(r"\$\{workspaceFolder\}")
_READ: Final = {"command", "args", "env", "cwd", "type", "transport", "url", "headers", "envFile", "disabled"}


@dataclass(frozen=True, slots=True)
class Needed:
    """A variable that must be set before the source is used; `why` is what is known of it, or empty."""

    name: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """A source: `table` is what stands behind `mcp =`; `notes` are sentences for the person."""

    called: str
    table: dict[str, Any] = field(repr=False)
    needed: tuple[Needed, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotTaken:
    """A server that cannot be a source: why, and what to do. Neither repeats a value."""

    called: str
    why: str
    help: str = ""


class _No(Exception):
    def __init__(self, why: str, hint: str = "") -> None:
        super().__init__(why)
        self.why, self.hint = why, hint


def read_server(called: str, given: object, name: str, inputs: Mapping[str, str]) -> Found | NotTaken:
    """`called`: as the client calls it, `name`: the source. `inputs`: what the client asks for, with descriptions."""
    try:
        if not isinstance(given, dict):
            raise _No("it is no table of settings")
        if given.get("disabled") is True:
            raise _No("it is disabled there", "Enable it there and import it again.")
        reader = _Reader(name, given, inputs)
        table = reader.table = reader.http() if "url" in given else reader.stdio()
        wrong = next(problems(HTTP if "url" in given else STDIO, table), None)
        if wrong is not None:
            raise _No(f"{_place(wrong.path)} is not as it must be", wrong.help)
        for path, hint in inline_secrets(table, ("sources", name, "mcp")):
            raise _No(f"{_place(path[3:])} holds a secret, and chainc.toml is read by many", hint)
    except _No as no:
        return NotTaken(called, no.why, no.hint)
    return Found(called, table, tuple(reader.needed), tuple(reader.notes()))


class _Reader:
    def __init__(self, name: str, given: dict[str, Any], inputs: Mapping[str, str]) -> None:
        self.name, self.given, self.inputs = name, given, inputs
        self.needed: list[Needed] = []
        self.table: dict[str, Any] = {}

    def stdio(self) -> dict[str, Any]:
        given = self.given
        if "command" not in given:
            raise _No("it has neither `command` nor `url`")
        self.form()
        table: dict[str, Any] = {"command": self.literal(given["command"], "`command`")}
        arguments = given.get("args") or []
        if not isinstance(arguments, list):
            raise _No("`args` is no list")
        if arguments:
            table["args"] = [self.literal(each, f"argument {n}") for n, each in enumerate(arguments, 1)]
        names = [self.variable(name, value) for name, value in self.mapping("env").items()]
        if names:
            table["env"] = names
        if given.get("cwd") not in (None, "", "${workspaceFolder}"):
            table["cwd"] = self.literal(given["cwd"], "`cwd`")
        return table

    def http(self) -> dict[str, Any]:
        self.form()
        table: dict[str, Any] = {"url": self.literal(self.given["url"], "`url`")}
        headers = {name: f"env:{self.header(name, value)}" for name, value in self.mapping("headers").items()}
        if headers:
            table["headers"] = headers
        return table

    def form(self) -> None:
        form = self.given.get("type", self.given.get("transport"))
        if form is not None and (not isinstance(form, str) or form not in _FORMS):
            raise _No(f"I do not know its type `{visible(str(form)[:40])}`", "There are stdio, http and sse.")

    def mapping(self, key: str) -> dict[str, Any]:
        found = self.given.get(key) or {}
        if not isinstance(found, dict):
            raise _No(f"`{key}` is no table")
        return found

    def literal(self, value: object, what: str) -> str:
        """A text of the manifest: nothing is put in for it when the program starts. The folder of the workspace is the
        project's, where programs start."""
        if not isinstance(value, str):
            raise _No(f"{what} is no text")
        text = _FOLDER.sub(".", value)
        found = _PLACEHOLDER.search(text)
        if found is not None:
            hint = "Write what it stands for"
            if found["kind"] is not None:
                hint += ", or have the server read it from a variable and name that in `env`"
            raise _No(f"{what} has `{visible(found[0])}`, and chainc.toml puts nothing in", f"{hint}.")
        return text

    def variable(self, name: str, value: object) -> str:
        """A variable of the program; the program gets the one of this name."""
        why = ""
        found = _PLACEHOLDER.fullmatch(value) if isinstance(value, str) else None
        if found is not None and found["kind"] == "input":
            why = self.inputs.get(found["name"], "")
        elif found is not None and found["name"] != name:
            why = f"there it was given the value of {visible(found['name'])}"
        self.needed.append(Needed(name, why))
        return name

    def header(self, name: str, value: object) -> str:
        """The variable that holds the whole header."""
        found = _PLACEHOLDER.fullmatch(value) if isinstance(value, str) else None
        if found is not None and found["kind"] == "env" and re.fullmatch(r"[A-Za-z_]\w*", found["name"], re.ASCII):
            self.needed.append(Needed(found["name"], f"the header {visible(name)}"))
            return found["name"]
        own = variable(f"{self.name} {name}")
        own = own if own[:1].isalpha() else f"H_{own}"
        asked = _PLACEHOLDER.finditer(value if isinstance(value, str) else "")
        said = [self.inputs.get(each["name"], "") for each in asked if each["kind"] == "input"]
        why = "; ".join([f"the whole header {visible(name)}", *filter(None, said)])
        self.needed.append(Needed(own, why))
        return own

    def notes(self) -> Iterator[str]:
        given = self.given
        if given.get("type", given.get("transport")) == "sse":
            yield "It is reached by SSE there, the older way; chainc speaks streamable HTTP, often at another path."
        if "envFile" in given:
            yield "Its `envFile` is not read: name the variables that it needs in `env`."
        left = [visible(str(key)[:40]) for key in given if key not in _READ]
        if left:
            yield f"Left out: {', '.join(left)}."


def _place(path: tuple[str | int, ...]) -> str:
    if path[0] == "args" and len(path) > 1:
        return f"argument {int(path[1]) + 1}"
    return f"`{path[0]}`"
