"""Builds `recent_changes`, starts the generated server and calls it as an agent's host would.

Everything is real: the chain is compiled from its text, the server is the generated package, the client is the official
SDK, and the primitives are the third-party `mcp-server-git` on this checkout.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PROJECT = HERE / "recent_changes"


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        repository = checkout(Path(scratch))
        dist = Path(scratch) / "dist"
        title("1  Build: text to bundle, offline, from the locked schemas")
        shown = ["chainc", "build", "-C", "examples/recent_changes", "-o", "dist"]
        print("$ " + " ".join(shown))
        command = [sys.executable, "-m", "compiler.cli", "build", "-C", str(PROJECT), "-o", str(dist)]
        subprocess.run(command, check=True, cwd=HERE.parent)
        for path in sorted(p for p in dist.rglob("*") if p.is_file() and "_runtime" not in p.parts):
            print(f"  {path.relative_to(dist)}")

        title("2  What a reviewer sees: the catalogue entry")
        entry = json.loads((dist / "catalogue.json").read_text("utf-8"))["entries"][0]
        show(entry)

        title("3  What a model sees: one strict tool instead of two primitives and their wiring")
        show(json.loads((dist / "openai.tools.json").read_text("utf-8")))
        asyncio.run(call(dist, repository))


async def call(dist: Path, repository: Path) -> None:
    """Starts the generated server over stdio and calls the chain."""
    from mcp import Client, StdioServerParameters

    package = next(p.parent for p in (dist / "server").glob("*/__main__.py"))
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", package.name],
        env={"PYTHONPATH": str(dist / "server"), "XDG_STATE_HOME": str(dist)},
    )
    async with Client(server) as client:
        title(f"4  The server, asked by an MCP client (protocol {client.protocol_version})")
        for tool in (await client.list_tools()).tools:
            print(f"  {tool.name}: {(tool.description or '').splitlines()[0]}")

        title("5  The call")
        arguments = {"folder": str(repository), "commits": 20}
        print(f"recent_changes({json.dumps(arguments)})")
        result = await client.call_tool("recent_changes", arguments)
        show(result.structured_content)
        if result.is_error or result.structured_content is None:
            sys.exit("The call failed.")

        title("6  A page of the handle: the value stays on the server until someone wants to see it")
        handle = result.structured_content["handle"]["id"]
        page = await client.call_tool("handle_read", {"handle": handle, "limit": 2})
        show(page.structured_content)


def checkout(scratch: Path) -> Path:
    """The project's own checkout or, where it was unpacked without its history, a small repository made here."""
    inside = subprocess.run(["git", "-C", str(HERE), "rev-parse", "--show-toplevel"], capture_output=True, text=True)
    if inside.returncode == 0:
        return Path(inside.stdout.strip())
    made = scratch / "repository"
    identity = ["-c", "user.name=Demo", "-c", "user.email=demo@localhost"]
    subprocess.run(["git", "init", "-q", str(made)], check=True)
    (made / "hello.txt").write_text("hello\n", "utf-8")
    subprocess.run(["git", "-C", str(made), "add", "."], check=True)
    subprocess.run(["git", "-C", str(made), *identity, "commit", "-qm", "Say hello"], check=True)
    return made


def title(text: str) -> None:
    print(f"\n{text}\n{'-' * len(text)}", flush=True)


def show(value: Any) -> None:
    text = json.dumps(value, indent=2, ensure_ascii=False)
    lines = text.splitlines()
    print("\n".join(lines[:90]))
    if len(lines) > 90:
        print(f"  … {len(lines) - 90} more lines")


if __name__ == "__main__":
    main()
