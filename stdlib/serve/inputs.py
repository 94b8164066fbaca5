"""Inputs of the server's own tools, read here so that a mistake is told in our words. Faults: `invalid_input`."""

from __future__ import annotations

from typing import Any

from ..runtime.fault import fault


def known_inputs(arguments: dict[str, Any], *names: str) -> dict[str, Any]:
    """The arguments, where there are inputs of these names for all of them."""
    unknown = next((name for name in arguments if name not in names), None)
    if unknown is not None:
        raise fault("invalid_input", f"There is no input `{unknown}`; there are: {', '.join(names)}.")
    return arguments


def read_text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise fault("invalid_input", f"`{name}` must be a text.")
    return value


def read_count(value: Any, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise fault("invalid_input", f"`{name}` must be a whole number.")
    return value
