"""The examples of the standard library: programs in `stdlib/lib/examples`, run over its files, a database and a site.

Below each step of a program stands what it gave, as a comment; README shows both.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import textwrap
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import anyio
from anyio.abc import ByteStream

import stdlib
from compiler.cli.servers import at_home
from compiler.loader.sources import standard_modules
from dsl import tree
from dsl.diagnostics import Sink
from dsl.parser import parse
from dsl.source import Source
from stdlib.connect.router import Router
from stdlib.runtime.load import load_plan
from stdlib.runtime.run import run_chain
from stdlib.runtime.store.memory import MemoryStore
from stdlib.values.show import is_word
from tests.compiler.sources.projects import compiled, project
from tests.servers.loopback import spoken

FOLDER: Final = Path(stdlib.__file__).parent / "lib" / "examples"
DATA: Final = FOLDER / "data"
ALLOW: Final = '[allow]\nroots = ["data"]\nhosts = ["127.0.0.1"]\nprivate_networks = true\n'
SITE: Final = "https://shop.example"
"""What the programs call the site, which is one of this machine."""
CHANCE: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
"""A UUID of version 4."""
WRITTEN: Final = 1_772_355_600
"""When the files were written: 2026-03-01 at nine."""
WIDTH: Final = 110
_RESULT: Final = re.compile(r"(?:\n  //[^\n]*)*")


def text_of(module: str) -> str:
    return (FOLDER / f"{module}.chain").read_text(encoding="utf-8")


def chain_of(text: str) -> tree.Chain:
    (chain,) = (item for item in parse(Source("example", text), Sink()).items if isinstance(item, tree.Chain))
    return chain


def steps_of(text: str) -> dict[str, tree.Step]:
    return {each.name.text: each for each in chain_of(text).members if isinstance(each, tree.Step)}


def shown(module: str) -> str:
    """What README shows of a program: all that stands before its output, without empty lines."""
    text = text_of(module)
    chain = chain_of(text)
    (output,) = (each for each in chain.members if isinstance(each, tree.Output))
    inside = text[text.index("{\n", chain.start) + 2 : output.start]
    lines = [line for line in textwrap.dedent(inside).splitlines() if line]
    return "```chain\n" + "\n".join(lines) + "\n```\n"


def with_results(text: str, values: dict[str, Any]) -> str:
    """The program with what its steps gave."""
    parts, at = [], 0
    for name, step in steps_of(text).items():
        told = textwrap.indent(literal(values[name]), "  // ")
        parts.append(f"{text[at : step.end]}\n{told}")
        found = _RESULT.match(text, step.end)
        assert found is not None
        at = found.end()
    return "".join([*parts, text[at:]])


def literal(value: Any, room: int = WIDTH) -> str:
    """A JSON value in the language, on one line where there is room."""
    whole = _one_line(value)
    if len(whole) <= room or not isinstance(value, dict | list) or not value:
        return whole
    inside = [(f"{_name(k)}: ", v) for k, v in value.items()] if isinstance(value, dict) else [("", v) for v in value]
    lines = [textwrap.indent(f"{name}{literal(each, room - 3 - len(name))},\n", "  ") for name, each in inside]
    first, last = "{}" if isinstance(value, dict) else "[]"
    return f"{first}\n{''.join(lines)}{last}"


def _one_line(value: Any) -> str:
    match value:
        case dict() if value:
            return "{ " + ", ".join(f"{_name(key)}: {_one_line(each)}" for key, each in value.items()) + " }"
        case list():
            return f"[{', '.join(map(_one_line, value))}]"
        case str():
            return json.dumps(value, ensure_ascii=False).replace("${", "\\${")
        case _:
            return json.dumps(value)


def _name(name: str) -> str:
    return name if is_word(name) else json.dumps(name, ensure_ascii=False)


def results(root: Path) -> dict[str, dict[str, Any]]:
    """What the steps of every program give, by module and step: each is compiled and run once."""
    shutil.copytree(DATA, root / "data")
    for path in (root / "data").iterdir():
        os.utime(path, (WRITTEN, WRITTEN))
    with closing(sqlite3.connect(root / "data" / "shop.db")) as database, database:
        database.executescript((DATA / "shop.sql").read_text(encoding="utf-8"))
    return anyio.run(_run, root)


async def _run(root: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    async with spoken(_site) as port:
        here = f"http://127.0.0.1:{port}"
        texts = {each: text_of(each).replace(SITE, here) for each in standard_modules()}
        plan = compiled(project(root, {f"chains/{name}.chain": text for name, text in texts.items()}, ALLOW))
        loaded = load_plan(plan)
        async with Router(at_home(plan, root), root) as tools:
            for module in texts:
                ran = await run_chain(loaded, f"{module}_examples", {}, tools=tools, store=MemoryStore())
                assert ran.fault is None, f"{module}: {ran.fault}"
                found[module] = json.loads(json.dumps(ran.value).replace(here, SITE))
    return found


async def _site(stream: ByteStream, request: bytes) -> None:
    """The files of the examples as pages."""
    method, target, _ = request.decode("ascii").split(" ", 2)
    content = (DATA / target.removeprefix("/")).read_bytes()
    media = {"html": "text/html", "json": "application/json", "csv": "text/csv"}.get(target.rpartition(".")[2])
    lines = ["HTTP/1.1 200 OK", f"Content-Type: {media or 'text/plain'}", f"Content-Length: {len(content)}"]
    head = "\r\n".join([*lines, "", ""]).encode()
    await stream.send(head if method == "HEAD" else head + content)
