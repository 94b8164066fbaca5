"""The executable plan of a project: what the runtime needs and nothing else.

Format `chainc.plan/1`. Bindings stand in an order that respects every edge. A binding may start when everything in
its `needs` has settled (succeeded or was skipped; a failed one fails the run first).
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .expression import Expression
from .model import JsonSchema, Model, Origin
from .openapi import Network as Network
from .source import Command as Command
from .source import CommandArgument as CommandArgument
from .source import Effects as Effects
from .source import Http as Http
from .source import Invocation as Invocation
from .source import OpenApi as OpenApi
from .source import ParseRule as ParseRule
from .source import Python as Python
from .source import Source as Source
from .source import Std as Std
from .source import Stdio as Stdio
from .source import Tool as Tool
from .source import Transport as Transport

FORMAT = "chainc.plan/1"


# ------------------------------------------------------------------ bindings


class ToolTarget(Model):
    """`name` is the key in the source's `tools`."""

    kind: Literal["tool"] = "tool"
    source: str
    name: str


class ChainTarget(Model):
    kind: Literal["chain"] = "chain"
    id: str


class Argument(Model):
    """`name: value`, or a spread record where `name` is None. Null is left out unless `nullable`;
    for a spread record `fields` are those that the checker saw, of which alone arguments are made, and
    `nullable_fields` those for which null is sent."""

    name: str | None = None
    value: Expression
    nullable: bool = False
    fields: tuple[str, ...] = ()
    nullable_fields: tuple[str, ...] = ()


class CallPlan(Model):
    target: Annotated[ToolTarget | ChainTarget, Field(discriminator="kind")]
    arguments: tuple[Argument, ...] = ()


class Retry(Model):
    """At most `count` further attempts, for the named fault classes (empty: every retryable one)."""

    count: int
    wait_ms: int = 1000
    max_wait_ms: int = 30000
    on: tuple[str, ...] = ()


class Skip(Model):
    kind: Literal["skip"] = "skip"


class Use(Model):
    kind: Literal["use"] = "use"
    value: Expression


class Fail(Model):
    kind: Literal["fail"] = "fail"
    message: Expression | None = None


Reaction = Annotated[Skip | Use | Fail, Field(discriminator="kind")]


class Policy(Model):
    """Times in milliseconds; `timeout_ms` is for one attempt of one call, on a map step for the whole of it."""

    timeout_ms: int | None = None
    retry: Retry | None = None
    on_error: Reaction = Fail()
    on_item_error: Reaction = Fail()
    parallel: int = 8
    max_items: int = 10000


class Let(Model):
    """A value; also the guards of sections (name `SECTION.when`)."""

    kind: Literal["let"] = "let"
    name: str
    value: Expression
    needs: tuple[str, ...] = ()
    origin: Origin


class Require(Model):
    """The fault `precondition` with `message` where the condition is false; steps that must wait for it need it."""

    kind: Literal["require"] = "require"
    name: str
    condition: Expression
    message: Expression
    needs: tuple[str, ...] = ()
    origin: Origin


class Verify(Model):
    """Asked after the step; the fault `not_verified` where `condition` is false. It sees the answer as `result`."""

    call: CallPlan
    condition: Expression
    text: str


class CallStep(Model):
    """One call. `when` false: skipped, its value is null. `read_only` steps may be cancelled at any time.

    `key`: the parameter that gets the stable key of the call. `receipt`: the outside world's name for what was done.
    `reconcile`: asked when the outcome is unknown; it sees the step's name as { key }; null means it did not happen.
    `undo`: takes the step back when the run fails later; like `receipt` and `verify` it sees the step's own result.
    """

    kind: Literal["call"] = "call"
    name: str
    call: CallPlan
    when: Expression | None = None
    needs: tuple[str, ...] = ()
    policy: Policy = Policy()
    read_only: bool = False
    key: str | None = None
    receipt: Expression | None = None
    reconcile: CallPlan | None = None
    verify: Verify | None = None
    undo: CallPlan | None = None
    origin: Origin


class MapStep(Model):
    """`for each`: the body for every item, at most `policy.parallel` at once, results in input order.

    The body is bindings (one call step for `do`) and a result expression; both see `variable`.
    """

    kind: Literal["map"] = "map"
    name: str
    variable: str
    items: Expression
    bindings: tuple[Binding, ...]
    result: Expression
    when: Expression | None = None
    needs: tuple[str, ...] = ()
    policy: Policy = Policy()
    read_only: bool = False
    origin: Origin


class ApproveStep(Model):
    """Waits until a person agrees. Its value is { approved, by, comment, at }.

    `by`: a group that the approver must belong to; without it the client's user answers. An approval binds to run,
    step, item and the digest of `question` and `show`. `timeout_ms`: how long it may take.
    """

    kind: Literal["approve"] = "approve"
    name: str
    question: Expression
    by: str | None = None
    show: Expression | None = None
    when: Expression | None = None
    needs: tuple[str, ...] = ()
    timeout_ms: int | None = None
    on_reject: Reaction = Fail()
    on_expiry: Reaction = Fail()
    origin: Origin


class AskStep(Model):
    """Asks the client's user. `form`: an object of flat fields, as elicitation has it; its value is the answer."""

    kind: Literal["ask"] = "ask"
    name: str
    question: Expression
    form: JsonSchema
    when: Expression | None = None
    needs: tuple[str, ...] = ()
    timeout_ms: int | None = None
    on_decline: Reaction = Fail()
    on_expiry: Reaction = Fail()
    origin: Origin


Binding = Annotated[Let | Require | CallStep | MapStep | ApproveStep | AskStep, Field(discriminator="kind")]

# ------------------------------------------------------------------ chains


class Input(Model):
    """`default`: evaluated where the argument is left out; None and not `required`: null.

    `nullable`: null is the same as left out. `handle`: the argument is the id of a handle of this kind.
    """

    name: str
    required: bool
    default: Expression | None = None
    handle: str | None = None
    nullable: bool = False


class Output(Model):
    """`schema` is that of the value itself; the wire form wraps non-records in { "result": … }.

    mode `handle`: the value is stored under `handle` (a kind) and the client gets handle and summary.
    """

    mode: Literal["scalar", "handle"]
    handle: str | None = None
    value: Expression
    needs: tuple[str, ...] = ()
    json_schema: JsonSchema = Field(alias="schema")
    summary: Expression | None = None
    expires_ms: int | None = None


class Adapter(Model):
    """Takes calls of an older version: where arguments do not fit the chain but fit `input_schema`, they become those
    of the chain. `output` makes the old result from the new one (`result`); None: it is the same."""

    version: str
    inputs: tuple[Input, ...] = ()
    input_schema: JsonSchema
    lets: tuple[Let, ...] = ()
    arguments: tuple[Argument, ...] = ()
    output: Expression | None = None
    output_schema: JsonSchema | None = None
    wrapped: bool = False
    origin: Origin


class Budget(Model):
    """What one call of a chain may use at most, called chains included; None: no limit. Milliseconds, bytes of
    results; `cost` in the unit of the tools' costs."""

    calls: int | None = None
    bytes: int | None = None
    time_ms: int | None = None
    cost: float | None = None
    parallel: int | None = None


class Chain(Model):
    """`input_schema` is what arguments are validated against; `wrapped`: the output is no record. `keyed`: a step
    of it, or of a chain that it calls, has a key, so callers may send a `request_key`. `scopes`: what its caller must
    be allowed to do."""

    id: str
    private: bool = False
    inputs: tuple[Input, ...] = ()
    input_schema: JsonSchema
    bindings: tuple[Binding, ...] = ()
    output: Output
    wrapped: bool = False
    budget: Budget = Budget()
    keyed: bool = False
    scopes: tuple[str, ...] = ()
    adapters: tuple[Adapter, ...] = ()
    origin: Origin


class Kind(Model):
    """A handle kind: the schema of the stored values."""

    json_schema: JsonSchema = Field(alias="schema")


class Allowance(Model):
    """What one principal, or one session, may use within any `window_ms`; None: no limit. Calls of tools, bytes of
    their results, the milliseconds that they took, their cost. `parallel`: calls of a client that run at once."""

    window_ms: int = 3_600_000
    calls: int | None = None
    bytes: int | None = None
    time_ms: int | None = None
    cost: float | None = None
    parallel: int | None = None


class Limits(Model):
    """Bytes, counts and milliseconds that bound what one call may do. `handle_bytes`: of one result that goes into the
    store as it comes. `call_ms`: an attempt of a call of a tool whose step has no timeout of its own. `undo_ms`: what
    taking back may last. `replay_ms`: how long an equal call without a request key counts as the same request.
    `principal`, `session`: what each of them may use."""

    inline_bytes: int = 16 * 1024
    result_bytes: int = 64 * 1024 * 1024
    handle_bytes: int = 1024 * 1024 * 1024
    call_ms: int = 60_000
    undo_ms: int = 60_000
    replay_ms: int = 600_000
    principal: Allowance = Allowance()
    session: Allowance = Allowance()


class Secret(Model):
    """What clients do not get to see: `pattern` is Python's `re`, `name` stands in its place."""

    name: str
    pattern: str


class Plan(Model):
    format: Literal["chainc.plan/1"] = "chainc.plan/1"
    name: str
    version: str
    sources: dict[str, Source] = {}
    kinds: dict[str, Kind] = {}
    chains: dict[str, Chain] = {}
    limits: Limits = Limits()
    network: Network = Network()
    mask: tuple[Secret, ...] = ()
