"""Arguments of a tool → the one HTTP request that they mean. Pure, but for the boundary of multipart bodies."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ..plan.openapi import Operation, Parameter
from ..runtime.fault import fault
from .body import body_of
from .styles import Unsendable, cookie_pair, encoded, header_text, pairs, path_text
from .upload import Upload

_TEMPLATE: Final = re.compile(r"\{([^{}]*)\}")


@dataclass(slots=True)
class Prepared:
    """A request before it has an address: `path` begins with `/`, `query` holds encoded pairs, `cookies` are
    `name=value`."""

    method: str
    path: str = ""
    query: list[tuple[str, str]] = field(default_factory=list)
    headers: list[tuple[str, str]] = field(default_factory=list)
    cookies: list[str] = field(default_factory=list)
    content: bytes | Upload | None = None

    @property
    def query_text(self) -> str:
        return "&".join(f"{name}={value}" for name, value in self.query)


def prepare(label: str, operation: Operation, arguments: Mapping[str, Any]) -> Prepared:
    """`label` is the tool as messages call it. Null is left out, but in bodies. Raises the fault `invalid_input` where
    a value cannot be sent."""
    made = Prepared(operation.method)
    in_path: dict[str, str] = {}
    argument = ""
    try:
        for parameter in operation.parameters:
            argument = parameter.argument
            value = arguments.get(argument)
            if parameter.location == "path":
                in_path[parameter.name] = path_text(parameter, value)
            elif value is None:
                continue
            elif parameter.location == "query":
                made.query += _query(parameter, value, operation)
            elif parameter.location == "header":
                made.headers.append((parameter.name, header_text(parameter, value)))
            else:
                made.cookies.append(cookie_pair(parameter, value))
        if operation.body is not None:
            argument = operation.body.argument or "body"
            body = body_of(operation.body, arguments)
            if body is not None:
                made.content = body.content
                made.headers.append(("Content-Type", body.media_type))
    except Unsendable as found:
        message = f"`{found.argument or argument}` of {label} {found.problem}."
        raise fault("invalid_input", message, sent=False) from None
    if operation.accept:
        made.headers.append(("Accept", ", ".join(operation.accept)))
    made.path = _TEMPLATE.sub(lambda found: in_path[found[1]], operation.path)
    return made


def _query(parameter: Parameter, value: Any, operation: Operation) -> list[tuple[str, str]]:
    """An object whose fields become parameters of their own must not set another one."""
    found = pairs(parameter, value)
    if isinstance(value, dict) and parameter.explode and parameter.style != "deepObject":
        others = {encoded(p.name) for p in operation.parameters if p.location == "query" and p is not parameter}
        taken = next((name for name, _ in found if name in others), None)
        if taken is not None:
            raise Unsendable(f"has the field `{taken}`, which is a parameter of its own")
    return found
