"""Inputs that are handles, from the command line: the id of one that is in the store, or a value that is put under
one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from compiler.cli.exits import Usage
from compiler.cli.values import read_value

if TYPE_CHECKING:
    from stdlib.plan.model import JsonSchema
    from stdlib.plan.plan import Chain, Plan
    from stdlib.runtime.principal import Owner
    from stdlib.runtime.run_result import Result
    from stdlib.runtime.store import Store

_ID: Final = re.compile(r"h_[0-9a-f]{32}")
NOT_KEPT: Final = "h_" + 32 * "0"
"""Stands for the handle of a value that is not put into a store."""


@dataclass(frozen=True, slots=True)
class Handed:
    """A value that is to be put under a handle of this kind."""

    kind: str
    value: Any


def kinds_of(plan: Plan, chain: Chain) -> dict[str, tuple[str, JsonSchema]]:
    """The inputs that are handles, those of its adapters included: the kind of each, and the schema of its values."""
    inputs = [*(each for old in chain.adapters for each in old.inputs), *chain.inputs]
    named = {each.name: each.handle for each in inputs if each.handle is not None}
    return {name: (kind, plan.kinds[kind].json_schema if kind in plan.kinds else {}) for name, kind in named.items()}


def read_handed(
    pairs: Sequence[str], kinds: Mapping[str, tuple[str, JsonSchema]]
) -> tuple[dict[str, str | Handed], list[str]]:
    """The `name=text` pairs of inputs that are handles, and the other ones. A text is the id of a handle, `@` and the
    name of a file, or the value as JSON. Raises Usage."""
    found: dict[str, str | Handed] = {}
    others: list[str] = []
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or name not in kinds:
            others.append(pair)
            continue
        if name in found:
            raise Usage(f"the input `{name}` is given twice.")
        kind, schema = kinds[name]
        found[name] = text if _ID.fullmatch(text) else Handed(kind, _value(name, text, schema))
    return found, others


def handed_of(value: Any, kind: str) -> Any:
    """The same of a value in JSON: what is no id is a value; null is none."""
    return value if value is None or (isinstance(value, str) and _ID.fullmatch(value)) else Handed(kind, value)


def checked(name: str, handed: Handed, schema: JsonSchema) -> Handed:
    """With the value as it is kept. Raises the fault `invalid_input` where it is none of its kind."""
    from stdlib.runtime.clean import clean
    from stdlib.runtime.complete import completed
    from stdlib.runtime.fault import fault
    from stdlib.runtime.schema import Shape

    shape, value = Shape(schema), completed(clean(handed.value), schema)
    mismatch = shape.mismatch(value)
    if mismatch is not None:
        said = mismatch.sentence("the whole of it")
        message = f"The value of `{name}` is none of the kind {handed.kind}: {said}"
        raise fault("invalid_input", message, details={"path": mismatch.path})
    return Handed(handed.kind, shape.settled(value))


async def put_under_handles(arguments: Mapping[str, Any], store: Store, owner: Owner, plan: str) -> dict[str, Any]:
    """The arguments with ids; `plan`: digest of the plan that runs. Faults: `budget_exceeded`."""
    from stdlib.runtime.store.handles import Label

    return {
        name: (await store.handles.put(owner, Label(each.kind, plan=plan), each.value)).id
        if isinstance(each, Handed)
        else each
        for name, each in arguments.items()
    }


async def taken_out(result: Result, store: Store, owner: Owner, plan: Plan) -> Result:
    """The result with its value, where a tool put that under a handle and it may be held in memory; with a fault in
    its place where it cannot be read."""
    from stdlib.runtime.fault import RunFault
    from stdlib.runtime.held import Held, load

    handle = result.handle
    if handle is None or not isinstance(result.value, Held) or handle.bytes > plan.limits.result_bytes:
        return result
    kind = plan.kinds.get(handle.kind)
    schema = None if kind is None else kind.json_schema
    try:
        value = await load(store.handles, owner, handle.id, handle.kind, schema, plan.limits.result_bytes)
    except RunFault as refused:
        return replace(result, fault=refused.fault, handle=None)
    return replace(result, value=value)


def without_values(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a run that puts nothing into a store."""
    return {name: NOT_KEPT if isinstance(each, Handed) else each for name, each in arguments.items()}


def read_file(path: str) -> bytes:
    """Raises Usage."""
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise Usage(f"`{path}` cannot be read: {getattr(error, 'strerror', None) or error}.") from None


def _value(name: str, text: str, schema: JsonSchema) -> Any:
    if not text.startswith("@"):
        return read_value(name, text, schema, schema)
    from stdlib.runtime.held import stored_form

    content = read_file(text[1:])
    if stored_form(schema) == "bytes":
        import base64

        return base64.b64encode(content).decode()
    try:
        return read_value(name, content.decode("utf-8-sig"), schema, schema)
    except UnicodeDecodeError:
        raise Usage(f"`{text[1:]}` cannot be read: it is not UTF-8.") from None
