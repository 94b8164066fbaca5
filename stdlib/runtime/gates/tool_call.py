"""A step's call of a tool, through the gates."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from ..events import CallFailed, CallSucceeded
from ..fault import Fault, RunFault
from .gates import through
from .passing import Passing
from .side_effect import known_outcome

if TYPE_CHECKING:
    from ..events import StartCall
    from ..world import World

log = logging.getLogger("chainc.run")


async def call_tool(world: World, command: StartCall, run: str, *, sent_before: bool) -> CallSucceeded | CallFailed:
    """Calls the tool once, where no gate refuses. `sent_before`: it was sent before an interruption; what must not be
    done twice is then looked up only, which no gate refuses."""
    tool = command.tool
    passing = Passing(
        world,
        f"{tool.source}.{tool.plan.name}",
        tool.label,
        (*world.who.scopes, *tool.plan.scopes),
        command.arguments,
        _send,
        tool,
        command,
        run=run,
        settles=command.purpose in ("undo", "reconcile") or (sent_before and not command.repeatable),
        sent_before=sent_before,
    )
    try:
        done: CallSucceeded = await through(passing)
    except RunFault as found:
        return CallFailed(command.call, known_outcome(found.fault, tool.label, command.repeatable), passing.sends)
    except Exception as error:
        log.error("a mistake of ours in a call of %s", tool.label, exc_info=error)
        fault = Fault("internal", f"The call of {tool.label} went wrong in the server.")
        return CallFailed(command.call, fault, passing.sends)
    return done


async def _send(passing: Passing) -> Any:
    command = passing.command
    assert command is not None, "a step calls a tool"
    tool = command.tool
    return await passing.world.sending.send(tool, passing.arguments, command.timeout_ms / 1000)
