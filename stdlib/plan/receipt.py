"""The line of a receipt, for other programs: what `chainc runs export` writes, one JSON object a line."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field

from .model import Model


class Approval(Model):
    """What a person said. In a receipt of a call: the approval that it rests on."""

    model_config = ConfigDict(extra="allow")

    digest: str = Field(description="Of what was asked and shown; the answer binds to it.")
    approved: bool | None = Field(None, description="Absent where nobody decided in time, and for questions.")
    by: str | None = Field(None, description="The principal that decided.")


class ReceiptLine(Model):
    """One call of a tool, or one answer of a person. What is not known is absent. Lines are never changed: what became
    known of a call later is a line of the same run, step, purpose and attempt with `completes`."""

    run: str = Field(description="The id of the run.")
    step: str = Field(description="The path of the step in its run, items included: `rows[3].hits`.")
    item: int | None = Field(None, description="The position of the item in the innermost loop.")
    at: str = Field(description="When the call began, or the answer came.", json_schema_extra={"format": "date-time"})
    principal: str | None = Field(None, description="For whom the run was begun.")
    tenant: str | None = Field(None, description="Of the principal.")
    purpose: Literal["step", "reconcile", "verify", "undo", "approve", "ask"] = Field(
        description="What it was done for."
    )
    tool: str | None = Field(None, description="SOURCE.TOOL; absent where a person answered.")
    version: str = Field(description="Of the bundle.")
    schema_: str | None = Field(None, alias="schema", description="The digest of the tool as it was locked.")
    arguments: str | None = Field(None, description="The digest of the arguments (canonical JSON, SHA-256).")
    scope: Any = Field(None, description="The resources that the call was allowed to reach.")
    approval: Approval | None = None
    key: str | None = Field(None, description="The idempotency key that was sent.")
    outcome: Literal["ok", "fault"]
    fault: str | None = Field(None, description="The class of the fault.")
    refused: str | None = Field(None, description="The gate that refused the call: it was not made.")
    verified: bool | None = Field(None, description="What the step's `verify` found; absent where nobody looked.")
    receipt: Any = Field(None, description="The outside world's name for what was done.")
    ms: int = Field(description="How long it took, in milliseconds.")
    bytes: int = Field(description="Of the answer.")
    attempt: int = Field(description="From 1.")
    replayed: bool | None = Field(None, description="The result is that of an earlier call with the same key.")
    completes: bool | None = Field(None, description="What became known later of a call that has a line already.")
    trace: str | None = Field(None, description="The OpenTelemetry trace id of the run, 32 hexadecimal digits.")
