"""Gate 2: what is called is what the chains were checked against."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..fault import Fault, RunFault
from .passing import Inside, Passing, refusal


async def tool(passing: Passing, onward: Inside) -> Any:
    """Refuses with `unknown_tool` what the plan does not have, and with `contract_drift` what is not as locked: by the
    plan, or by what its server offers now (which is known once it is asked)."""
    called = passing.tool
    if called is not None:
        loaded = passing.world.gates.loaded
        locked = loaded.tools.get((called.source, called.key))
        if locked is None:
            raise refusal("tool", "unknown_tool", f"The plan has no tool {called.label}.")
        if locked.plan.digest != called.plan.digest:
            raise refusal("tool", "contract_drift", f"{called.label} is not the tool that was locked.")
    try:
        return await onward(passing)
    except RunFault as found:
        raise RunFault(as_refusal(found.fault)) from None


def as_refusal(fault: Fault) -> Fault:
    """Drift that a server shows is a refusal of this gate; any other fault stays what it is."""
    drifted = fault.fault_class == "contract_drift" and fault.refused is None
    return replace(fault, refused="tool") if drifted else fault
