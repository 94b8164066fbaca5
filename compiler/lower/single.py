"""A plan for calls of one tool, without any chain."""

from __future__ import annotations

from compiler.lower.sources import lower_tool
from compiler.project import LockedSource, LockedTool, Settings
from stdlib.plan.plan import Limits, Network, Plan


def plan_of_tool(settings: Settings, source: LockedSource, tool: LockedTool) -> Plan:
    """The plan; the tool's key in its source is its name."""
    return Plan(
        name=settings.name,
        version=settings.version,
        sources={source.name: lower_tool(source, tool)},
        limits=Limits(result_bytes=settings.result_limit),
        network=Network(hosts=settings.hosts, private_networks=settings.private_networks, roots=settings.roots),
    )
