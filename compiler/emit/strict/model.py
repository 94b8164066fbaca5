"""What lowering a schema to a provider's strict subset gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

JsonSchema = dict[str, Any]
Decoder = dict[str, Any]

Policy = Literal["encode", "prose", "non_strict", "refuse"]
"""What may happen to a thing that strict mode cannot say: be encoded or put into words; only into words; neither."""

LossKind = Literal["prose", "encoded", "narrowed"]


@dataclass(frozen=True, slots=True)
class Loss:
    """Where the strict schema differs from the original.

    prose: the constraint stands in the description, the runtime alone enforces it. encoded: the value is written in
    another form, which the decoder turns back. narrowed: some values of the original cannot be said.
    `path` is a JSON pointer into the original schema; `what` a sentence for people.
    """

    kind: LossKind
    path: str
    what: str


@dataclass(frozen=True, slots=True)
class Strict:
    """`schema` is within the provider's subset. `decoder` is a program for `stdlib.runtime.decode`: it turns every
    value that the strict schema admits into one for the original."""

    schema: JsonSchema
    decoder: Decoder
    losses: tuple[Loss, ...] = ()

    @property
    def exact(self) -> bool:
        """Both schemas accept the same values, seen through the decoder."""
        return not self.losses


@dataclass(frozen=True, slots=True)
class Refused:
    """The schema cannot be said under the policy: where, and why as a sentence."""

    path: str
    reason: str


class Unsayable(Exception):
    """Leaves a node of the schema on its way to the next place that can encode it."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(reason)
        self.path = path
        self.reason = reason


class Impossible(Unsayable):
    """No value fits the node: a field or an alternative of this kind goes without a loss."""

    def __init__(self, path: str) -> None:
        super().__init__(path, "no value fits it")


@dataclass(frozen=True, slots=True)
class Lowered:
    """A node: its strict schema and how its values are decoded."""

    schema: JsonSchema
    decoder: Decoder


@dataclass(slots=True)
class State:
    """What lowering one schema gathers. `names`: pointer of a definition -> its name in the result."""

    root: JsonSchema
    policy: Policy
    absent_is_null: bool
    losses: list[Loss] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    definitions: dict[str, Lowered] = field(default_factory=dict)

    def lose(self, kind: LossKind, path: str, what: str) -> None:
        """Note a difference; Unsayable where the policy does not allow it."""
        allowed = {"encode": ("prose", "encoded", "narrowed"), "prose": ("prose", "narrowed")}.get(self.policy, ())
        if kind not in allowed:
            raise Unsayable(path, what)
        loss = Loss(kind, path or "/", what)
        if loss not in self.losses:
            self.losses.append(loss)

    @property
    def may_encode(self) -> bool:
        return self.policy == "encode"


def below(path: str, *tokens: str | int) -> str:
    """A JSON pointer one or more tokens deeper (RFC 6901)."""
    return path + "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in tokens)
