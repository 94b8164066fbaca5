"""Sources over the scripted server, locked as it offers them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from stdlib.plan import plan as p
from stdlib.plan.digest import tool_digest
from tests.servers import obedient

SCRIPT = Path(obedient.__file__)


def scripted_source(*options: str, **results: Any) -> p.Source:
    """The tools `read`, `put`, `write`; `results` has the schema of a tool's result by name."""
    tools = {
        name: p.Tool(
            name=name,
            input_schema=obedient.INPUT,
            result_schema=results.get(name),
            effects=p.Effects(read_only=name == "read", idempotent=name == "put"),
            digest=tool_digest(name, obedient.INPUT, None),
        )
        for name in obedient.HINTS
    }
    transport = p.Stdio(command=sys.executable, args=(str(SCRIPT), *options))
    return p.Source(transport=transport, tools=tools)


def scripted_plan(source: p.Source, *chains: p.Chain, **limits: int) -> p.Plan:
    """A server behind a URL may be one of this machine."""
    return p.Plan(
        name="test",
        version="1.0.0",
        sources={"test": source},
        chains={each.id: each for each in chains},
        limits=p.Limits(**limits),
        network=p.Network(private_networks=True),
    )
