"""Tests that authors write beside their chains, ready to run: `chainc test` executes them over given answers."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .expression import Expression
from .model import Model, Origin
from .plan import Argument, ChainTarget, Let, ToolTarget


class StepTarget(Model):
    """An `approve` or `ask` step of the chain under test."""

    kind: Literal["step"] = "step"
    name: str


class Returns(Model):
    kind: Literal["returns"] = "returns"
    value: Expression


class Fails(Model):
    """The call ends with a fault of this class."""

    kind: Literal["fails"] = "fails"
    fault_class: str


class Answers(Model):
    """What a person answers: true or false to `approve`, the record of the form to `ask`, null to decline."""

    kind: Literal["answers"] = "answers"
    value: Expression


class Given(Model):
    """Calls of `target` whose arguments have these values answer so; None: every call. The last that fits counts.

    Those with the same target and arguments answer one call each, as they are written; the last of them stays, and
    stands for all of them where another one fits, too.
    """

    target: Annotated[ToolTarget | ChainTarget | StepTarget, Field(discriminator="kind")]
    arguments: tuple[Argument, ...] | None = None
    reaction: Annotated[Returns | Fails | Answers, Field(discriminator="kind")]
    origin: Origin


class Expectation(Model):
    """Must be true. It sees `output` (the value, null after a fault), `fault` ({ class, message } or null) and lets."""

    condition: Expression
    text: str
    origin: Origin


class Scenario(Model):
    """One `test`: `at` is the time of the run (RFC 3339)."""

    name: str
    at: str | None = None
    lets: tuple[Let, ...] = ()
    given: tuple[Given, ...] = ()
    chain: str
    arguments: tuple[Argument, ...] = ()
    expect: tuple[Expectation, ...] = ()
    origin: Origin
