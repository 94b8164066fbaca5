"""The way out to Python functions: loaded by the first call, run beside the event loop, each call with its timeout."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio

from ..plan.plan import Plan, Python
from ..plan.plan import Source as PlanSource
from ..runtime.clean import compact
from ..runtime.fault import RunFault, fault
from ..runtime.result import ToolAnswer
from ..runtime.sending import Keep
from ..values.plain import unhidden
from .drift import drift
from .functions import BadModule, Function, Functions, load_functions
from .listing import ListedTool
from .own_loop import OwnLoop
from .pieces import media_of, pieces, pieces_later, together
from .raised import log_raised, said
from .threads import Threads

if TYPE_CHECKING:
    from pydantic import ValidationError


class PythonTools:
    """The functions of all Python sources of a plan; `home` is the folder to which their files are relative."""

    def __init__(self, plan: Plan, home: Path) -> None:
        self._threads, self._loop = Threads(), OwnLoop()
        self._modules = {
            name: _Module(name, source, source.transport, home, self._threads, self._loop, plan.limits.result_bytes)
            for name, source in plan.sources.items()
            if isinstance(source.transport, Python)
        }

    async def call(self, source: str, key: str, arguments: dict[str, Any], timeout: float) -> ToolAnswer:
        """See `stdlib.runtime.driver.Tools`. An exception of the function is the fault `tool_error` with its message;
        the log has the rest."""
        return await self._modules[source].call(key, arguments, timeout)

    async def fetch(self, source: str, key: str, arguments: dict[str, Any], timeout: float, keep: Keep) -> ToolAnswer:
        """See `stdlib.runtime.sending.Fetching`: pieces of bytes or text are kept as they come."""
        return await self._modules[source].call(key, arguments, timeout, keep)

    def close(self) -> None:
        """Ends the loop of async functions."""
        self._loop.close()


class _Module:
    def __init__(
        self,
        name: str,
        source: PlanSource,
        transport: Python,
        home: Path,
        threads: Threads,
        loop: OwnLoop,
        most_bytes: int,
    ) -> None:
        self._name, self._source, self._transport, self._home = name, source, transport, home
        self._threads, self._loop = threads, loop
        self._most_bytes = most_bytes
        self._lock = anyio.Lock()
        self._functions: Functions | None = None
        self._as_locked: dict[str, Function] = {}

    async def call(self, key: str, arguments: dict[str, Any], timeout: float, keep: Keep | None = None) -> ToolAnswer:
        tool = self._source.tools[key]
        label = f"`{self._source.alias or self._name}.{tool.name}`"
        sent = False
        with anyio.move_on_after(timeout):
            function = self._function(key, label, await self._loaded())
            sent = True
            if function.piece is not None:
                return await self._in_pieces(label, function, function.piece, arguments, keep)
            return await self._answer(label, function, arguments)
        what = "did not answer" if sent else "could not be loaded"
        raise fault("timeout", f"{label} {what} within {timeout:g} s.", sent=sent)

    async def _loaded(self) -> Functions:
        if self._functions is not None:
            return self._functions
        async with self._lock:
            if self._functions is None:
                try:
                    self._functions = await self._threads.run(partial(load_functions, self._transport, self._home))
                except BadModule as problem:
                    log_raised(f"{self._name} cannot be loaded", problem.__cause__)
                    message = f"The functions of `{self._name}` cannot be loaded: {problem}."
                    # What the module itself met while it was loaded may pass; a file that is not there stays away.
                    lasting = problem.__cause__ is None or issubclass(type(problem.__cause__), ImportError)
                    raise fault("unavailable", message, sent=False, lasting=lasting) from None
            return self._functions

    def _function(self, key: str, label: str, functions: Functions) -> Function:
        """The function as it was locked, which is found out once; raises `contract_drift`."""
        known = self._as_locked.get(key)
        if known is not None:
            return known
        tool = self._source.tools[key]
        found = functions.tools.get(tool.name)
        if found is not None and found.digest == tool.digest:
            self._as_locked[key] = found
            return found
        live = None
        if found is not None:
            live = ListedTool(found.name, None, "", found.input_schema, found.output_schema, None)
        why = drift(tool, live) or "is another one"
        if tool.name in functions.left_out:
            reason = functions.left_out[tool.name]
            why = f"is no tool any more: {reason[:1].lower()}{reason[1:].rstrip('.')}"
        raise fault("contract_drift", f"{label} {why}.", sent=False)

    async def _in_pieces(
        self,
        label: str,
        function: Function,
        piece: type[bytes] | type[str],
        arguments: Mapping[str, Any],
        keep: Keep | None,
    ) -> ToolAnswer:
        given, failed = compact(arguments), partial(_failed, label)
        if function.is_async:
            returned = await self._loop.run(partial(_awaited, label, function, given), failed)
        else:
            returned = await self._threads.run(partial(_returned, label, function, given))
        body = (
            pieces_later(label, returned, piece, self._loop, failed)
            if hasattr(type(returned), "__aiter__")
            else pieces(label, returned, piece, self._threads, failed)
        )
        if keep is None:
            return await together(label, body, piece, self._most_bytes)
        return ToolAnswer(kept=await keep(body, media_of(piece)))

    async def _answer(self, label: str, function: Function, arguments: Mapping[str, Any]) -> ToolAnswer:
        """What the function returns, as JSON. All that may be slow happens in a thread, or in the functions' loop."""
        given = compact(arguments)
        if function.is_async:
            return await self._loop.run(partial(_answered, label, function, given), partial(_failed, label))
        return await self._threads.run(partial(_called, label, function, given))


def _called(label: str, function: Function, arguments: str) -> ToolAnswer:
    return _result(label, function, _returned(label, function, arguments))


def _returned(label: str, function: Function, arguments: str) -> Any:
    """Whatever it raises is a fault: nothing of that may reach the loop that serves."""
    try:
        return function.target(**_parameters(label, function, arguments))
    except RunFault:
        raise
    except BaseException as error:
        raise _failed(label, error) from None


async def _answered(label: str, function: Function, arguments: str) -> ToolAnswer:
    return _result(label, function, await _awaited(label, function, arguments))


async def _awaited(label: str, function: Function, arguments: str) -> Any:
    return await function.target(**_parameters(label, function, arguments))


def _parameters(label: str, function: Function, arguments: str) -> dict[str, Any]:
    """The arguments by the names of parameters; what is left out keeps the function's own default."""
    from pydantic import ValidationError

    try:
        read = function.arguments.model_validate_json(arguments)
    except ValidationError as error:
        raise fault("invalid_input", f"The arguments of {label} do not fit: {_said(error)}.", sent=False) from None
    fields = function.arguments.model_fields
    return {str(fields[name].alias): getattr(read, name) for name in fields if name in read.model_fields_set}


def _failed(label: str, error: BaseException) -> RunFault:
    log_raised(f"a call of {label} failed", error)
    ends = issubclass(type(error), SystemExit | KeyboardInterrupt)  # not `isinstance`: it asks the exception
    return fault("tool_error", f"{label} failed: {'it tried to end the program' if ends else said(error)}")


def _result(label: str, function: Function, returned: Any) -> ToolAnswer:
    from pydantic import ValidationError

    try:
        value = function.result.dump_python(function.result.validate_python(returned), mode="json", by_alias=True)
        text = value if isinstance(value, str) else compact(value)
        return ToolAnswer(({"type": "text", "text": text},), value)
    except ValidationError as error:
        message = f"{label} returned something else than its type says: {_said(error)}."
        raise fault("shape_mismatch", message) from None
    except BaseException as error:
        log_raised(f"what {label} returned cannot be written as JSON", error)
        raise fault("shape_mismatch", f"What {label} returned cannot be written as JSON.") from None


def _said(error: ValidationError) -> str:
    """The first mistake: where, and what; never the value."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"]).lstrip(".")
    message = first["msg"][:1].lower() + first["msg"][1:]
    return unhidden(f"`{where}`: {message}" if where else message)
