"""Small projects on disk, from their files to the result of a call."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult, TextContent

from compiler import driver
from compiler.cli.servers import at_home
from compiler.sources.report import SyncReport
from compiler.sources.sync import sync
from compiler.writer import write
from dsl.diagnostics import Diagnostic, Sink
from stdlib.connect.router import Router
from stdlib.plan.plan import Plan
from stdlib.runtime.load import load_plan
from stdlib.runtime.run import Result, run_chain
from stdlib.runtime.store.memory import MemoryStore

MANIFEST = '[project]\nname = "p"\nversion = "1.0.0"\nlanguage = "1"\nchains = ["chains/*.chain"]\n'


def project(root: Path, files: dict[str, str], manifest: str = "") -> Path:
    for path, text in {"chainc.toml": MANIFEST + manifest, **files}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    return root


def synced(root: Path, *names: str, check: bool = False) -> tuple[SyncReport, list[Diagnostic]]:
    """What `chainc sync --trust` does."""
    sink = Sink()
    report = sync(root, names, sink, write=not check, ask=None, timeout=20)
    assert report is not None
    return report, list(sink)


def told(diagnostics: list[Diagnostic]) -> list[tuple[str, str]]:
    return [(each.code, each.message) for each in diagnostics]


def checked(root: Path) -> list[tuple[str, str]]:
    sink = Sink()
    driver.check(root, sink)
    return told(list(sink))


def compiled(root: Path) -> Plan:
    sink = Sink()
    made = driver.plan(root, sink)
    assert [each for each in told(list(sink)) if each[0].startswith("E")] == []
    assert made is not None
    return made[0]


def called(root: Path, chain: str, **arguments: Any) -> Result:
    """What `chainc run --trust` does."""
    plan = compiled(root)

    async def call() -> Result:
        async with Router(at_home(plan, root), root) as tools:
            return await run_chain(load_plan(plan), chain, arguments, tools=tools, store=MemoryStore())

    return anyio.run(call)


def _text(result: CallToolResult) -> str:
    return "".join(block.text for block in result.content if isinstance(block, TextContent))


def served(root: Path, calls: dict[str, dict[str, Any]], cwd: Path, *options: str) -> dict[str, Any]:
    """What the generated server answers, started by itself: only its folder and what the index gives is importable."""
    sink = Sink()
    artefacts = driver.build(root, sink)
    assert artefacts is not None
    assert write(artefacts, root / "dist", sink) is not None
    start = f"import sys; sys.path.insert(0, {str(root / 'dist' / 'server')!r}); import runpy; "
    block = "sys.modules.update(dict.fromkeys(('dsl', 'compiler', 'stdlib'))); "
    run = "sys.argv[0:1] = ['server']; runpy.run_module('p', run_name='__main__')"
    arguments = ["-I", "-c", start + block + run, *options]
    server = StdioServerParameters(command=sys.executable, args=arguments, cwd=cwd, env=dict(os.environ))

    async def ask() -> dict[str, Any]:
        with anyio.fail_after(60):
            async with Client(server) as client:
                results = {name: await client.call_tool(name, given) for name, given in calls.items()}
        return {name: result.structured_content or _text(result) for name, result in results.items()}

    return anyio.run(ask)
