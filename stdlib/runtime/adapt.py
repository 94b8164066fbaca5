"""Calls of older versions: what fits an adapter becomes what the chain takes, and its result the old one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from ..plan.model import Origin
from .arguments import bind_inputs, build_arguments, check_arguments, record_of
from .complete import completed
from .evaluate import Evaluate, EvaluationFault, Scope
from .fault import Fault, RunFault, bounded, fault
from .loaded import REQUEST_KEY, LoadedAdapter, LoadedChain

LONGEST_KEY = 200


@dataclass(frozen=True, slots=True)
class Accepted:
    """A client's call as the chain takes it: `arguments` still with ids of handles. `adapter`: what it came through,
    and `scope` what that one sees."""

    arguments: dict[str, Any]
    request_key: str | None
    adapter: LoadedAdapter | None = None
    scope: Scope | None = None

    @property
    def version(self) -> str | None:
        """The older version that was asked for."""
        return None if self.adapter is None else self.adapter.plan.version


def accept(chain: LoadedChain, arguments: Any, *, strict_nulls: bool) -> Accepted:
    """The call, by the chain's own inputs or by those of the first adapter that they fit. Raises `invalid_input`: what
    is wrong with it as a call of today."""
    given = record_of(arguments)
    key = _request_key(given.pop(REQUEST_KEY, None)) if chain.takes_request_key else None
    try:
        return Accepted(check_arguments(chain, given, strict_nulls=strict_nulls), key)
    except RunFault as refused:
        for adapter in chain.adapters:
            try:
                old = check_arguments(adapter, given, strict_nulls=strict_nulls)
            except RunFault:
                continue
            return _adapted(chain, adapter, old, key)
        raise refused


def _request_key(key: Any) -> str | None:
    if key is None or (isinstance(key, str) and 0 < len(key) <= LONGEST_KEY):
        return key
    raise fault("invalid_input", f"`{REQUEST_KEY}` must be a text of 1 to {LONGEST_KEY} characters.")


def _adapted(chain: LoadedChain, adapter: LoadedAdapter, old: dict[str, Any], key: str | None) -> Accepted:
    values: dict[str, Any] = {}
    scope = Scope(values)
    evaluate = partial(_evaluate, adapter.plan.origin)
    bind_inputs(adapter, old, values, scope, evaluate)
    for let in adapter.lets:
        values[let.plan.name] = _evaluate(let.plan.origin, let.value, scope)
    new = build_arguments(adapter.arguments, scope, evaluate)
    if chain.takes_request_key:
        mapped = _request_key(new.pop(REQUEST_KEY, None))
        key = key or mapped
    return Accepted(check_arguments(chain, new, strict_nulls=False), key, adapter, scope)


def adapted_result(accepted: Accepted, value: Any) -> Any:
    """The old result. Raises `RunFault`, also where it has not the type that it had."""
    adapter = accepted.adapter
    if adapter is None or adapter.output is None or accepted.scope is None:
        return value
    old = _evaluate(adapter.plan.origin, adapter.output, accepted.scope.inner({"result": value}))
    if adapter.result is None:
        return old
    old = completed(old, adapter.result.schema)
    mismatch = adapter.result.mismatch(old)
    if mismatch is not None:
        problem = mismatch.sentence("the whole of it")
        message = f"The result for version {adapter.plan.version} has another form: {problem}"
        raise RunFault(Fault("shape_mismatch", message, None, adapter.plan.origin, details={"path": mismatch.path}))
    return old


def _evaluate(origin: Origin, expression: Evaluate, scope: Scope) -> Any:
    try:
        return expression(scope)
    except EvaluationFault as found:
        raise RunFault(Fault(found.fault_class, bounded(found.message), None, found.origin or origin)) from None
