"""The bundle of an example, and its generated server as a host starts it."""

import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from compiler import driver
from compiler.writer import write
from dsl.diagnostics import Sink
from tests.examples.projects import EXAMPLES


@dataclass(frozen=True)
class Built:
    """`services`: where the simulated services answer. `home`: where the server is started, from where the manifests
    of the examples name their programs and folders."""

    name: str
    dist: Path
    services: str
    home: Path

    @property
    def module(self) -> str:
        return next((self.dist / "server").glob("*/__main__.py")).parent.name

    def command(self, *options: str) -> list[str]:
        """Started without our packages: only the generated folder and what the index gives is importable."""
        start = f"import sys; sys.path.insert(0, {str(self.dist / 'server')!r}); import runpy; "
        block = "sys.modules.update(dict.fromkeys(('dsl', 'compiler', 'stdlib'))); "
        run = f"sys.argv[0:1] = ['server']; runpy.run_module({self.module!r}, run_name='__main__')"
        return [sys.executable, "-I", "-c", start + block + run, *self.elsewhere(), *options]

    def elsewhere(self) -> list[str]:
        """The options that lead the server to the services of the tests: they have not the port of the documents."""
        moved = []
        for name, source in self.json("plan.json")["sources"].items():
            if source["transport"]["kind"] == "openapi":
                path = source["transport"]["base_url"].rpartition("/")[2]
                moved += ["--source", f"{name}={self.services}/{path}"]
        return moved

    def json(self, path: str) -> Any:
        return json.loads((self.dist / path).read_text(encoding="utf-8"))


def build(name: str, folder: Path, services: str) -> Built:
    """Builds an example into a folder. All that there is to say is that simulated programs stay where they are."""
    sink = Sink()
    artefacts = driver.build(EXAMPLES / name, sink)
    assert artefacts is not None
    assert write(artefacts, folder, sink) is not None
    assert {each.code for each in sink} <= {"W0234"}
    return Built(name, folder, services, EXAMPLES / name)


def environment() -> dict[str, str]:
    """The environment of a host: no path of ours, and the token of the simulated shop."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"SHOP_TOKEN": "simulated"}


@asynccontextmanager
async def over_stdio(built: Built, era: str, user: Any = None) -> AsyncIterator[Client]:
    """A client of the server; `user` answers its elicitations."""
    command = built.command()
    parameters = StdioServerParameters(command=command[0], args=command[1:], env=environment(), cwd=built.home)
    async with Client(parameters, mode=era, elicitation_callback=user) as client:
        yield client
