"""The way out to programs: one process for every call, its arguments handed on one by one, without a shell."""

from __future__ import annotations

import base64
import logging
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import anyio

from ..plan.expression import Ref
from ..plan.plan import Command, CommandArgument, Plan, Tool
from ..plan.plan import Source as PlanSource
from ..runtime.clean import compact
from ..runtime.evaluate import Evaluate, EvaluationFault, Scope, compile_expression
from ..runtime.fault import RunFault, bounded, fault
from ..runtime.held import Stored, stored_form
from ..runtime.result import ToolAnswer
from ..runtime.sending import Keep
from .ground import Ground
from .process import environment, find_command
from .program import Finished, run_program

if TYPE_CHECKING:
    from ..runtime.store.handles import Handle

log = logging.getLogger("chainc.connect")

MOST_SAID = 1000
"""So many characters of a program's standard error go into a fault."""


class CommandTools:
    """The programs of all command sources of a plan. `ground`: where they may start; unless it is given, where we are,
    and in the plan's folders."""

    def __init__(self, plan: Plan, ground: Ground | None = None) -> None:
        ground = ground or Ground(roots=plan.network.roots)
        self._most_bytes = plan.limits.result_bytes
        self._programs = {
            name: _Program(name, source, source.transport, ground)
            for name, source in plan.sources.items()
            if isinstance(source.transport, Command)
        }

    async def call(self, source: str, key: str, arguments: dict[str, Any], timeout: float) -> ToolAnswer:
        """See `stdlib.runtime.driver.Tools`. The answer is what the program writes to its standard output; an exit code
        other than 0 is the fault `tool_error` with what it wrote to its standard error."""
        return await self._called(source, key, arguments, timeout, None)

    async def fetch(self, source: str, key: str, arguments: dict[str, Any], timeout: float, keep: Keep) -> ToolAnswer:
        """See `stdlib.runtime.sending.Fetching`: what the program writes is kept as it comes, where it ends well."""
        return await self._called(source, key, arguments, timeout, keep)

    async def _called(
        self, source: str, key: str, arguments: dict[str, Any], timeout: float, keep: Keep | None
    ) -> ToolAnswer:
        program = self._programs[source]
        label = f"`{program.source.alias or source}.{program.source.tools[key].name}`"
        with anyio.move_on_after(timeout):
            return await program.call(label, key, arguments, self._most_bytes, keep)
        raise fault("timeout", f"{label} did not end within {timeout:g} s.")


_ON_PATH: Final = " where the chain runs: it is looked for on PATH."


@dataclass(frozen=True, slots=True)
class _Invocation:
    """`arguments` with their values; `names` are the parameters, each with its default or None."""

    arguments: tuple[tuple[CommandArgument, Evaluate], ...]
    stdin: Evaluate | None
    names: Mapping[str, Any]


class _Program:
    def __init__(self, name: str, source: PlanSource, command: Command, ground: Ground) -> None:
        self.name, self.source, self.command, self.ground = name, source, command, ground
        self.shown = source.alias or name.removeprefix("command:")
        self._invocations: dict[str, _Invocation] = {}

    async def call(
        self, label: str, key: str, arguments: dict[str, Any], most_bytes: int, keep: Keep | None
    ) -> ToolAnswer:
        invocation = self._invocation(key)
        scope = Scope({**invocation.names, **arguments})
        try:
            argv = [text for each, value in invocation.arguments for text in _texts(label, each, value(scope))]
            stdin = self._stdin(key, invocation, scope)
        except EvaluationFault as problem:
            raise fault(problem.fault_class, f"{label}: {problem.message}", sent=False) from None
        command = self.command
        kept: list[Handle] = []

        async def reads(coming: AsyncIterator[bytes | Finished]) -> None:
            assert keep is not None
            kept.append(await keep(_body(label, coming), ""))

        done = await run_program(
            [find_command(self.shown, command.program, _ON_PATH), *argv],
            what=f"The program `{command.program}` of `{self.shown}`",
            env=environment(command.env),
            cwd=self.ground.folder(self.shown, command.cwd),
            stdin=stdin,
            most_bytes=most_bytes,
            reads=None if keep is None else reads,
        )
        if kept:
            return ToolAnswer(kept=kept[0])
        return _answer(label, done, most_bytes)

    def _stdin(self, key: str, invocation: _Invocation, scope: Scope) -> bytes | AsyncIterator[bytes]:
        """A parameter that is bytes is written as what it stands for."""
        planned = self.command.invocations[key].stdin
        if invocation.stdin is None:
            return b""
        value = invocation.stdin(scope)
        if isinstance(value, Stored):
            return value.parts()
        if isinstance(planned, Ref) and isinstance(value, str):
            schema = self.source.tools[key].input_schema.get("properties", {}).get(planned.name)
            if stored_form(schema) == "bytes":
                return base64.b64decode(value)
        return _bytes(value)

    def _invocation(self, key: str) -> _Invocation:
        if key not in self._invocations:
            planned = self.command.invocations[key]
            self._invocations[key] = _Invocation(
                tuple((each, compile_expression(each.value)) for each in planned.arguments),
                compile_expression(planned.stdin) if planned.stdin is not None else None,
                _names(self.source.tools[key]),
            )
        return self._invocations[key]


def _names(tool: Tool) -> dict[str, Any]:
    properties = tool.input_schema.get("properties", {})
    return {name: each.get("default") if isinstance(each, dict) else None for name, each in properties.items()}


def _texts(label: str, argument: CommandArgument, value: Any) -> list[bytes]:
    """An argument as the program gets it. What might be an option that its author did not write is refused."""
    found = []
    for text in value if argument.spread else [value]:
        if not isinstance(text, str):
            raise fault("internal", f"An argument of {label} is no text.", sent=False)
        if "\0" in text:
            raise fault("invalid_input", f"An argument of {label} has a null character in it.", sent=False)
        if argument.guarded and text.startswith("-"):
            message = f"An argument of {label} begins with `-`, which its program would take for an option: {text[:80]}"
            raise fault("invalid_input", message, sent=False)
        found.append(text.encode("utf-8", "replace"))
    return found


def _bytes(value: Any) -> bytes:
    if value is None:
        return b""
    return (value if isinstance(value, str) else compact(value)).encode("utf-8", "replace")


def _answer(label: str, done: Finished, most_bytes: int) -> ToolAnswer:
    said = done.stderr.decode("utf-8", "replace").strip()
    if said:
        log.info("%s wrote to its standard error: %s", label, bounded(said, 4000))
    if done.too_large:
        advice = "Ask the tool for less: a filter, a shorter range, a page."
        raise fault("result_too_large", f"{label} wrote more than {most_bytes} bytes.", next=advice)
    if done.code != 0:
        raise _failed(label, done.code, said)
    try:
        text = done.stdout.decode()
    except UnicodeDecodeError as wrong:
        log.warning("%s wrote bytes that are no UTF-8, the first at %d: each is read as U+FFFD", label, wrong.start)
        text = done.stdout.decode("utf-8", "replace")
    return ToolAnswer(({"type": "text", "text": text},))


async def _body(label: str, coming: AsyncIterator[bytes | Finished]) -> AsyncIterator[bytes]:
    """What a program writes. Raises a fault after the last of it where the program did not end well."""
    async for each in coming:
        if isinstance(each, Finished):
            _answer(label, each, 0)
        else:
            yield each


def _failed(label: str, code: int, said: str) -> RunFault:
    how = f"ended with exit code {code}" if code > 0 else f"was ended by signal {-code}"
    plain = "".join(c if c.isprintable() or c == "\n" else " " for c in said)
    why = f": {bounded(plain, MOST_SAID)}" if plain else "."
    return fault("tool_error", f"{label} {how}{why}", details={"exit_code": code})
