"""Signatures of functions, read from the text that the reference shows.

    sort(list<T>, by: field of T?, order: "asc" | "desc" = "asc") -> list<T>

A parameter without a name is positional (its name comes from the body, for the plan). One with a default or a type
that may be null can be left out. `T`, `A`, `B` are type variables. Beyond the language's types there are three forms:

* `field of T` is the name of a field of T, as a text; with `?` it may be left out.
* `N` is a variable for numbers: integer where everything bound to it is integer, else number; never a literal type.
* `T.by` is the type of the field that the parameter `by` names, or T itself where `by` is left out: without null, and
  a literal type widened (1 | 2 to integer).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from ..values.types import (
    NULL,
    SCALARS,
    STRING,
    Field,
    ListType,
    LiteralType,
    MapType,
    Record,
    Type,
    Variable,
    may_be_null,
    union,
)

_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?|[A-Za-z_]\w*(?:\.[a-z_]+)?|->|[^\s])')
_X = TypeVar("_X")


@dataclass(frozen=True, slots=True)
class Parameter:
    """`default` is the JSON value that stands for a parameter that is left out (None: null).

    `field_of`: the argument is a text that names a field of what this variable is bound to.
    """

    name: str
    type: Type
    positional: bool
    required: bool
    default: Any = None
    field_of: str | None = None


@dataclass(frozen=True, slots=True)
class Signature:
    name: str
    parameters: tuple[Parameter, ...]
    result: Type


@cache
def parse_signature(text: str, names: tuple[str, ...]) -> Signature:
    """Reads a signature; `names` has a name for every parameter, those of positional ones are used.

    Raises ValueError where the text is no signature: a mistake in the table, never in a workflow.
    """
    return _Reader(text).signature(names)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _TOKEN.findall(text)
        self.at = 0

    def signature(self, names: tuple[str, ...]) -> Signature:
        name = self.take()
        self.expect("(")
        parameters = self.several(")", lambda at: self.parameter(names[at]))
        self.expect("->")
        result = self.type()
        if self.at != len(self.tokens) or len(names) != len(parameters):
            raise ValueError(f"not a signature: {self.text}")
        return Signature(name, parameters, result)

    def parameter(self, given: str) -> Parameter:
        named = self.peek(1) == ":"
        name = self.take() if named else given
        if named:
            self.expect(":")
        field_of = None
        if self.skip("field"):
            self.expect("of")
            field_of = self.take()
            accepted: Type = union(STRING, NULL) if self.skip("?") else STRING
        else:
            accepted = self.type()
        default = json.loads(self.take()) if self.skip("=") else None
        required = default is None and not may_be_null(accepted)
        return Parameter(name, accepted, not named, required, default, field_of)

    def type(self) -> Type:
        options = [self.optional()]
        while self.skip("|"):
            options.append(self.optional())
        return options[0] if len(options) == 1 else union(*options)

    def optional(self) -> Type:
        inner = self.atom()
        return union(inner, NULL) if self.skip("?") else inner

    def atom(self) -> Type:
        token = self.take()
        if token in ("list", "map"):
            self.expect("<")
            inner = self.type()
            self.expect(">")
            return ListType(inner) if token == "list" else MapType(inner)
        if token == "(":
            inner = self.type()
            self.expect(")")
            return inner
        if token == "{":
            return Record(self.several("}", lambda _: self.field()))
        if token.startswith('"'):
            return LiteralType(json.loads(token))
        if token[0].isupper():
            return Variable(token)
        if token in SCALARS:
            return SCALARS[token]
        raise ValueError(f"`{token}` is no type in {self.text}")

    def field(self) -> Field:
        name = self.take()
        self.expect(":")
        return Field(name, self.type())

    def several(self, end: str, read: Callable[[int], _X]) -> tuple[_X, ...]:
        found: list[_X] = []
        while not self.skip(end):
            if found:
                self.expect(",")
            found.append(read(len(found)))
        return tuple(found)

    def peek(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        if not token:
            raise ValueError(f"{self.text} ends too early")
        self.at += 1
        return token

    def skip(self, token: str) -> bool:
        if self.peek() != token:
            return False
        self.at += 1
        return True

    def expect(self, token: str) -> None:
        if not self.skip(token):
            raise ValueError(f"`{token}` is missing before `{self.peek()}` in {self.text}")
