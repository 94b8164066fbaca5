"""Deploys of services. A rollback of `dep-stuck` fails; the service `svc-dark` is not known."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from effects import READS, SETS
from journal import changed
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from typing_extensions import TypedDict


class Deploy(TypedDict):
    id: str
    service: str
    status: Literal["running", "done", "failed"]
    at: datetime


class Deploys(TypedDict):
    items: list[Deploy]


class Changed(TypedDict):
    id: str
    status: Literal["rolled_back", "reapplied"]


def deploy(id: str, service: str, status: Literal["running", "done", "failed"], minute: int) -> Deploy:
    return {"id": id, "service": service, "status": status, "at": datetime(2026, 5, 4, 7, minute, tzinfo=UTC)}


DEPLOYS = [
    deploy("dep-101", "svc-checkout", "done", 5),
    deploy("dep-102", "svc-checkout", "done", 40),
    deploy("dep-103", "svc-checkout", "failed", 50),
    deploy("dep-104", "svc-search", "done", 20),
    deploy("dep-105", "svc-ledger", "done", 30),
    deploy("dep-stuck", "svc-ledger", "done", 45),
]

server = MCPServer("simulated-deploys", version="1.0.0", log_level="ERROR")


@server.tool(annotations=READS)
def list(service: str, since: datetime) -> Deploys:
    """The deploys of a service since a time, the oldest first."""
    if service == "svc-dark":
        raise ToolError("There is no service svc-dark.")
    return {"items": [each for each in DEPLOYS if each["service"] == service and each["at"] >= since]}


@server.tool(annotations=SETS)
def rollback(id: str) -> Changed:
    """Takes a deploy back."""
    if id == "dep-stuck":
        raise ToolError("dep-stuck changed the database and cannot be taken back.")
    changed("deploys.rollback", id=id)
    return {"id": id, "status": "rolled_back"}


@server.tool(annotations=SETS)
def reapply(id: str) -> Changed:
    """Deploys again what was taken back."""
    changed("deploys.reapply", id=id)
    return {"id": id, "status": "reapplied"}


if __name__ == "__main__":
    server.run()
