"""How chains start a program: as a person sees it before the yes, and as an agreement holds it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

from compiler.sources.trust import Commands, Line
from stdlib.plan.document import to_json
from stdlib.plan.expression import Const, Expression, Ref, Text
from stdlib.plan.model import Model
from stdlib.plan.plan import Command
from stdlib.plan.source import CommandArgument, Invocation


def commands_of(command: Command) -> Commands:
    """Each way in which the program is started: no two that are the same."""
    lines = {digested: shown for shown, digested in map(_line, command.invocations.values())}
    return Commands(
        command.program,
        command.env,
        command.cwd,
        tuple(Line(shown, digested) for digested, shown in lines.items()),
    )


def _line(invocation: Invocation) -> tuple[str, str]:
    shown = " ".join(map(_word, invocation.arguments))
    if invocation.stdin is not None:
        shown += f" <<< {_quoted(invocation.stdin)}"
    return shown.strip(), digest_of(invocation)


def digest_of(invocation: Invocation) -> str:
    """The same for the same words, wherever they stand."""
    from stdlib.values.digest import digest

    return digest(_without_places(to_json(invocation)))


def _without_places(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_places(each) for each in value]
    if not isinstance(value, dict) or value.get("kind") == "const":
        return value
    return {key: _without_places(each) for key, each in value.items() if key != "origin"}


def _word(argument: CommandArgument) -> str:
    return _quoted(argument.value) + ("…" if argument.spread else "")


def _quoted(expression: Expression) -> str:
    """A word of a shell; what is put in stands in braces by its names and texts: `-n{count}`."""
    if isinstance(expression, Const) and isinstance(expression.value, str):
        return shlex.quote(expression.value)
    if not isinstance(expression, Text):
        return f"{{{_inside(expression)}}}"
    written = [
        each.replace("{", "{{") if isinstance(each, str) else f"{{{_inside(each)}}}" for each in expression.parts
    ]
    said = "".join(each for each in expression.parts if isinstance(each, str))
    return "".join(written) if shlex.quote(said or "x") == (said or "x") else shlex.quote("".join(written))


def _inside(expression: Expression) -> str:
    return " ".join(_parts(expression))


def _parts(value: object) -> Iterator[str]:
    """All that an expression is made of, in order: names as they are, values quoted."""
    if isinstance(value, Ref):
        yield value.name
    elif isinstance(value, Const):
        yield shlex.quote(value.value) if isinstance(value.value, str) else str(value.value)
    elif isinstance(value, Text):
        for part in value.parts:
            yield from [shlex.quote(part)] if isinstance(part, str) else _parts(part)
    elif isinstance(value, Model):
        for name in type(value).model_fields:
            if name not in ("kind", "origin"):
                yield from _parts(getattr(value, name))
    elif isinstance(value, tuple):
        for each in value:
            yield from _parts(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from _parts(each)
