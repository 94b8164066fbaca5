"""The journal's objects as JSON and back, without loss: 1.0 stays a double, and records keep their order.

One object a text: { "form": which one, its fields by name }. Fields with their default value are left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from typing import Any, Final

from ...plan.model import Origin
from ...values.canonical import clean_text
from ..events import CallFailed, CallSucceeded, CancelRequested, PersonAnswered, TimerFired
from ..fault import BY_NAME, Fault
from ..principal import Owner
from ..question import Answered, Approved, Expired, Refused
from ..receipt import Receipt
from .decisions import Awaited, Decision
from .journal import Begun, Ended, Forgotten, Happening, Sent


class WireError(ValueError):
    """The text is none of ours, or a newer version wrote it. The message is a sentence."""


FORMS: Final[Mapping[str, type]] = {
    "succeeded": CallSucceeded,
    "call_failed": CallFailed,
    "person": PersonAnswered,
    "timer": TimerFired,
    "cancel": CancelRequested,
    "fault": Fault,
    "approved": Approved,
    "answered": Answered,
    "refused": Refused,
    "expired": Expired,
    "happening": Happening,
    "sent": Sent,
    "begun": Begun,
    "owner": Owner,
    "ended": Ended,
    "forgotten": Forgotten,
    "receipt": Receipt,
    "awaited": Awaited,
    "decision": Decision,
}

NESTED: Final = {
    (CallFailed, "fault"),
    (PersonAnswered, "answer"),
    (Happening, "event"),
    (Begun, "owner"),
    (Awaited, "requester"),
}
"""The fields that hold another of these objects; every other one holds a JSON value."""

TUPLES: Final = {(Fault, "done"), (Fault, "undone"), (Fault, "not_undone"), (Begun, "held")}

_NAMES: Final = {kind: name for name, kind in FORMS.items()}


def to_text(written: object) -> str:
    """Raises WireError for an object of no kind, and for what is no JSON value in it."""
    return value_text(_to_json(written))


def value_text(value: Any) -> str:
    """A JSON value alone, in the same manner. Raises WireError."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise WireError(f"The store keeps JSON values alone: {error}.") from None
    return text if text.isascii() else clean_text(text)


def from_text(text: str) -> Any:
    """Raises WireError."""
    try:
        return _from_json(json.loads(text))
    except (ValueError, RecursionError) as error:
        if isinstance(error, WireError):
            raise
        raise WireError("An entry of the store is no JSON.") from None


def _to_json(written: object) -> dict[str, Any]:
    kind = type(written)
    if kind not in _NAMES:
        raise WireError(f"The store has no form for a {kind.__name__}.")
    form: dict[str, Any] = {"form": _NAMES[kind]}
    for field in _FIELDS[kind]:
        value = getattr(written, field.name)
        if not _is_default(field, value):
            if isinstance(value, Origin):
                value = [value.file, value.line, value.column]
            form[field.name] = _to_json(value) if (kind, field.name) in NESTED else value
    return form


def _from_json(form: Any) -> Any:
    if not isinstance(form, dict) or not isinstance(form.get("form"), str):
        raise WireError("An entry of the store says not what it is.")
    name = form.pop("form")
    kind = FORMS.get(name)
    if kind is None:
        raise WireError(f"The store has an entry of the kind {name[:40]!r}, which is not known here.")
    given: dict[str, Any] = {}
    for field in _FIELDS[kind]:
        if field.name in form:
            given[field.name] = _read_field(kind, field.name, form.pop(field.name))
        elif field.default is MISSING and field.default_factory is MISSING:
            raise WireError(f"An entry of the kind {name!r} has no {field.name}.")
    if form:
        raise WireError(f"An entry of the kind {name!r} has {next(iter(form))[:40]!r}, which is not known here.")
    if kind is Fault and given["fault_class"] not in BY_NAME:
        raise WireError(f"The store has a fault of the class {given['fault_class']!r}, which is not known here.")
    return kind(**given)


def _read_field(kind: type, name: str, value: Any) -> Any:
    if (kind, name) in NESTED:
        return _from_json(value)
    if kind is Fault and name == "origin":
        file, line, column = value
        return Origin(file=file, line=line, column=column)
    return tuple(value) if (kind, name) in TUPLES else value


def _is_default(field: Field[Any], value: Any) -> bool:
    if field.default_factory is not MISSING:
        return not value and value == field.default_factory()
    return type(value) is type(field.default) and bool(value == field.default)


_FIELDS: Final = {kind: fields(kind) for kind in _NAMES}
