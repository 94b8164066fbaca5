"""The classes of faults by name. What each one is about and what to do stands in `stdlib.runtime.fault`."""

from __future__ import annotations

from typing import Final, Literal, get_args

FaultClass = Literal[
    "invalid_input",
    "precondition",
    "not_verified",
    "result_too_large",
    "input_required",
    "unknown_tool",
    "shape_mismatch",
    "tool_error",
    "timeout",
    "cancelled",
    "unavailable",
    "rate_limited",
    "unknown_outcome",
    "denied",
    "consent_required",
    "budget_exceeded",
    "handle_expired",
    "handle_denied",
    "contract_drift",
    "circuit_open",
    "internal",
]

FAULTS: Final[tuple[FaultClass, ...]] = get_args(FaultClass)

RETRYABLE: Final[tuple[FaultClass, ...]] = ("timeout", "unavailable", "rate_limited")
"""Those that a further attempt may help against."""
