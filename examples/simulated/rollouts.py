"""Canaries: versions of services that get a part of the requests, until they get all of them or none.

How one fares is told by its version: 2.1.0 fails a little more often with every look, nobody uses 2.2.0, 2.3.0 cannot
be observed, 2.4.0 cannot be promoted, and 2.5.0 always fails and cannot be rolled back either.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import anyio
from effects import ADDS, READS, SETS
from journal import changed
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from typing_extensions import TypedDict

FASTER = 500
"""Time flies here: a minute is over in a fraction of a second."""


class Status(TypedDict):
    version: str
    canary: str | None


class Started(TypedDict):
    id: str


class Seen(TypedDict):
    requests: int
    failed: float | None


class Done(TypedDict):
    id: str
    percent: int


@dataclass
class Canary:
    service: str
    version: str
    percent: int = 0
    looks: int = 0


server = MCPServer("simulated-rollouts", version="1.0.0", log_level="ERROR")
versions = dict.fromkeys(("billing", "checkout", "ledger", "mailer", "search"), "1.9.0")
canaries: dict[str, Canary] = {}


@server.tool(annotations=READS)
def status(service: str) -> Status:
    """The version that a service runs, and the id of its canary where it has one."""
    if service not in versions:
        raise ToolError(f"There is no service {service}.")
    return {
        "version": versions[service],
        "canary": next((id for id, c in canaries.items() if c.service == service), None),
    }


@server.tool(annotations=ADDS)
def start(service: str, version: str) -> Started:
    """Starts a version of a service as a canary, which gets no requests yet."""
    id = f"cn-{service}"
    canaries[id] = Canary(service, version)
    changed("rollouts.start", id=id, version=version)
    return {"id": id}


@server.tool(annotations=SETS)
def route(canary: str, percent: int) -> Done:
    """Sends so many percent of the requests to a canary."""
    canaries[canary].percent = percent
    changed("rollouts.route", id=canary, percent=percent)
    return {"id": canary, "percent": percent}


@server.tool(annotations=READS)
async def observe(canary: str, window: timedelta) -> Seen:
    """Waits so long, then tells what a canary was asked meanwhile: `failed` is the share that failed, 0 to 1, and null
    where nobody asked it."""
    await anyio.sleep(window.total_seconds() / FASTER)
    found = canaries[canary]
    found.looks += 1
    if found.version == "2.3.0":
        raise ToolError("The metrics are not there.")
    if found.version == "2.2.0":
        return {"requests": 0, "failed": None}
    failed = {"2.1.0": 0.003 * found.looks, "2.5.0": 0.5}.get(found.version, 0.002)
    return {"requests": 100 * found.percent, "failed": failed}


@server.tool(annotations=SETS)
def promote(canary: str) -> Done:
    """Makes a canary what its service runs."""
    found = canaries[canary]
    if found.version == "2.4.0":
        raise ToolError("There is no room for so many instances of 2.4.0.")
    versions[found.service] = found.version
    del canaries[canary]
    changed("rollouts.promote", id=canary)
    return {"id": canary, "percent": 100}


@server.tool(annotations=SETS)
def roll_back(canary: str) -> Done:
    """Removes a canary; its service runs what it ran before."""
    if canaries[canary].version == "2.5.0":
        raise ToolError("The instances do not stop.")
    del canaries[canary]
    changed("rollouts.roll_back", id=canary)
    return {"id": canary, "percent": 0}


if __name__ == "__main__":
    server.run()
