"""One server of a client's configuration as a source of the manifest: names of variables, never secrets."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from compiler.loader.lock_shape import visible
from compiler.loader.manifest_shape import HTTP, STDIO
from compiler.loader.secrets import harmless, in_arguments, inline_secrets, is_inline, variable
from compiler.loader.shape import Path, problems
from compiler.sources.clients.container import by_name
from compiler.sources.clients.placeholders import PLACEHOLDER, in_project, text_of, variable_in
from compiler.sources.clients.remote import Remote, remote, remote_url
from compiler.sources.clients.taken import Asked, Found, Needed, NotTaken
from compiler.sources.clients.words import by_a_shell, split
from stdlib.values.header_value import from_variable

_FORMS: Final = {"stdio", "http", "sse", "streamable-http", "streamableHttp", "streamable_http"}
_READ: Final = {"command", "args", "env", "cwd", "type", "transport", "url", "headers", "envFile", "disabled"}
_OLDER: Final = "the older way; chainc speaks streamable HTTP, often at another path such as `/mcp`."
_WORDS: Final = re.compile(r"(?:[A-Za-z-]{1,20} )*")
_SCHEME: Final = re.compile(r"(?:Bearer|Basic|Token) (?=\S)", re.IGNORECASE)


class _No(Exception):
    def __init__(self, why: str, hint: str = "") -> None:
        super().__init__(why)
        self.why, self.hint = why, hint


def read_server(called: str, given: object, name: str, inputs: Mapping[str, Asked]) -> Found | NotTaken:
    """`called`: as the client calls it, `name`: the source. `inputs`: what the client asks for, by id."""
    if isinstance(given, dict) and given.get("disabled") is True:
        return NotTaken(called, "it is disabled there", "If you want it, enable it there and import it again.", False)
    try:
        if not isinstance(given, dict):
            raise _No("it is no table of settings")
        reader = _Reader(name, given, inputs)
        table = reader.http() if "url" in given else reader.stdio()
        wrong = next(problems(HTTP if "url" in table else STDIO, table), None)
        if wrong is not None:
            raise _No(_wrong(wrong.path, table), wrong.help)
        for path, hint in inline_secrets(table, ("sources", name, "mcp")):
            raise _No(f"`{path[3]}` holds a secret, and chainc.toml is read by many", hint)
    except _No as no:
        return NotTaken(called, no.why, no.hint)
    return Found(called, table, tuple(reader.needed), tuple(reader.notes(table)))


class _Reader:
    def __init__(self, name: str, given: dict[str, Any], inputs: Mapping[str, Asked]) -> None:
        self.name, self.given, self.inputs = name, given, inputs
        self.needed: list[Needed] = []
        self.said: list[str] = []

    def stdio(self) -> dict[str, Any]:
        given = self.given
        if "command" not in given:
            raise _No("it has neither `command` nor `url`")
        self.form()
        command, *words = self.command()
        arguments = given.get("args") or []
        if not isinstance(arguments, list):
            raise _No("`args` is no list")
        words += [in_project(_text(each, f"argument {n}")) for n, each in enumerate(arguments, 1)]
        there = remote(command, words)
        if there is not None:
            return self.remote(there)
        if (url := remote_url(command, words)) is not None:
            bare = f'`mcp = {{ url = "{visible(url, 200)}" }}` is enough'
            self.said.append(f"`mcp-remote` signs in at the server where that is wanted; where it is not, {bare}.")
        words, inside = by_name(command, words)
        variables = {**self.mapping("env"), **{key: value for key, value in inside.items() if value is not None}}
        names = [self.variable(each, variables.get(each)) for each in dict.fromkeys([*variables, *inside])]
        table = {"command": command, "args": words, "env": names}
        if given.get("cwd") not in (None, "", "${workspaceFolder}"):
            table["cwd"] = _literal(given["cwd"], "`cwd`")
        self.look_at(words, table)
        return {key: value for key, value in table.items() if value != []}

    def command(self) -> list[str]:
        """The program, and the arguments that stand in one text with it."""
        found = _literal(self.given["command"], "`command`")
        words = split(found)
        if len(words) > 1:
            self.said.append(f"Its command has blanks: `{visible(words[0])}` is the program, the rest are arguments.")
        elif len(found.split()) > 1:
            self.said.append("Its command has blanks: if they begin arguments, write those in `args`.")
        return words

    def look_at(self, words: list[str], table: dict[str, Any]) -> None:
        """Refuse arguments that cannot stand in a manifest."""
        open_ones = {at: found for at, word in enumerate(words) if (found := PLACEHOLDER.search(word))}
        hidden = sorted({*open_ones, *in_arguments(words)})
        if hidden:
            found = open_ones.get(hidden[0])
            why = "holds a secret, and chainc.toml is read by many"
            if found is not None:
                why = f"has `{visible(found[0])}`, and chainc.toml puts nothing in"
            raise _No(f"argument {hidden[0] + 1} {why}", by_a_shell(self.name, table, hidden))

    def http(self) -> dict[str, Any]:
        self.form()
        url = _literal(self.given["url"], "`url`")
        if self.given.get("type", self.given.get("transport")) in (None, "sse") and _is_sse(url):
            self.said.append(f"Its URL ends in `/sse`, which is SSE, {_OLDER}")
        elif self.given.get("type", self.given.get("transport")) == "sse":
            self.said.append(f"It is reached by SSE there, {_OLDER}")
        return self.reached(url, self.mapping("headers"), None)

    def remote(self, there: Remote) -> dict[str, Any]:
        """The server that a program passes everything on to."""
        variables = self.mapping("env")
        self.said.append("It is reached without `mcp-remote`, over HTTP.")
        table = self.reached(_literal(there.url, "its URL"), there.headers, variables)
        sent = " ".join(there.headers.values())
        unused = [visible(each) for each in variables if not re.search(rf"\$\{{(?:env:)?{re.escape(each)}\}}", sent)]
        dropped = [*there.dropped, *(f"the variable `{each}`" for each in unused)]
        if dropped:
            self.said.append(f"Left out with `mcp-remote`: {', '.join(dropped)}.")
        if there.is_sse or _is_sse(there.url):
            self.said.append(f"It is reached by SSE there, {_OLDER}")
        return table

    def reached(self, url: str, headers: Mapping[str, Any], variables: Mapping[str, Any] | None) -> dict[str, Any]:
        made = {name: self.header(name, value, variables) for name, value in headers.items()}
        return {"url": url, **({"headers": made} if made else {})}

    def form(self) -> None:
        form = self.given.get("type", self.given.get("transport"))
        if form is not None and (not isinstance(form, str) or form not in _FORMS):
            raise _No(f"I do not know its type `{visible(str(form)[:40])}`", "There are stdio, http and sse.")

    def mapping(self, key: str) -> dict[str, Any]:
        found = self.given.get(key) or {}
        if not isinstance(found, dict):
            raise _No(f"`{key}` is no table")
        return found

    def variable(self, name: str, value: object) -> str:
        """A variable of the program; the program gets the one of this name."""
        text = text_of(value)
        text = None if text is None else in_project(text)
        found, why = PLACEHOLDER.search(text or ""), ""
        if found is not None and found["kind"] == "input":
            asked = self.inputs.get(found["name"], Asked())
            why, text = asked.description, asked.default if found[0] == text else text
        elif found is not None and found["name"] != name:
            why = f"there it was given the value of {visible(found['name'])}"
        self.needed.append(Needed(name, why, text))
        return name

    def header(self, name: str, value: object, variables: Mapping[str, Any] | None) -> str:
        """What is sent: a plain value, or a variable, words such as `Bearer` before it. `variables`: those of a program
        that puts `${NAME}` in itself."""
        text = text_of(value) or ""
        found = variable_in(text, bare=variables is not None)
        if found is not None and _WORDS.fullmatch(found[0]):
            before, held = found
            known = text_of((variables or {}).get(held))
            said = self.descriptions(known or "")
            self.needed.append(Needed(held, "; ".join([_in_header(name, before), *said]), known))
            return f"{before}env:{held}"
        plain = PLACEHOLDER.search(text) is None and from_variable(text) is None
        if plain and not is_inline(name, text) and harmless(name, text):
            return text
        own = variable(f"{self.name} {name}")
        own = own if own[:1].isalpha() else f"H_{own}"
        scheme = _SCHEME.match(text)
        before = scheme[0] if scheme else ""
        said = [_in_header(name, before) if before else f"the whole header {visible(name)}", *self.descriptions(text)]
        self.needed.append(Needed(own, "; ".join(said)))
        return f"{before}env:{own}"

    def descriptions(self, text: str) -> list[str]:
        """Of what the client asks for to put it into the text."""
        asked = [each["name"] for each in PLACEHOLDER.finditer(text) if each["kind"] == "input"]
        return [said for each in asked if (said := self.inputs.get(each, Asked()).description)]

    def notes(self, table: Mapping[str, Any]) -> Iterator[str]:
        given = self.given
        yield from self.said
        if "envFile" in given and "command" in table:
            file = in_project(given["envFile"]) if isinstance(given["envFile"], str) else ""
            load = f"`set -a; . {visible(shlex.quote(file))}; set +a`" if file and "${" not in file else "your shell"
            yield f"Its `envFile` is not read: name the variables that it needs in `env`, and load the file by {load}."
        left = [visible(str(key)[:40]) for key in given if key not in _READ]
        if left:
            yield f"Left out: {', '.join(left)}."


def _in_header(name: str, before: str) -> str:
    return (
        f"what stands behind `{before.strip()}` in the header {visible(name)}"
        if before
        else f"the header {visible(name)}"
    )


def _text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise _No(f"{what} is no text")
    return value


def _literal(value: object, what: str) -> str:
    """A text of the manifest: nothing is put in for it when the program starts. The folder of the workspace is the
    project's, where programs start."""
    text = in_project(_text(value, what))
    found = PLACEHOLDER.search(text)
    if found is not None:
        raise _No(f"{what} has `{visible(found[0])}`, and chainc.toml puts nothing in", "Write what it stands for.")
    return text


def _is_sse(url: str) -> bool:
    try:
        return urlsplit(url).path.rstrip("/").endswith("/sse")
    except ValueError:
        return False


def _wrong(path: Path, table: Mapping[str, Any]) -> str:
    """Why a value cannot stand in a manifest; values that may be secret are not repeated."""
    match path:
        case ("env", int(at)):
            return f"`{visible(table['env'][at])}` in `env` cannot be the name of a variable here"
        case ("headers", str(name), *_):
            return f"`{visible(name)}` in `headers` cannot be the name of a header"
        case ("url",):
            return "`url` does not begin with `http://` or `https://` and a host"
        case _:
            return f"`{path[0]}` is empty or has several lines"
