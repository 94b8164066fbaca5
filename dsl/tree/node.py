"""The base of every node, and names."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any, NoReturn, Self, dataclass_transform


@dataclass_transform(frozen_default=True)
class NodeType(type):
    """The class of node classes: a body of annotated fields becomes what `@dataclass(frozen=True, slots=True)` makes.

    There are about ninety of them, made whenever the compiler starts; dataclasses would take eight times as long.
    The fields of the base come first. `__match_args__` has the names of all.
    """

    _defaults: dict[str, Any]

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> NodeType:
        base = bases[0] if bases else object
        own = tuple(body.get("__annotations__", ()))
        defaults = {field: body.pop(field) for field in own if field in body}
        body["__slots__"] = own
        body["__match_args__"] = (*getattr(base, "__match_args__", ()), *own)
        body["_defaults"] = getattr(base, "_defaults", {}) | defaults
        body["__init__"] = _first_init
        return super().__new__(cls, name, bases, body)


def _first_init(self: Any, /, *values: Any, **named: Any) -> None:
    """Write the `__init__` of a class when its first node is made: no program has nodes of all classes."""
    kind: Any = type(self)
    fields, defaults = kind.__match_args__, kind._defaults
    parameters = (f"{field}=_defaults[{field!r}]" if field in defaults else field for field in fields)
    # A slot's own setter does not ask `__setattr__`, which refuses.
    lines = (f"    _set_{field}(self, {field})\n" for field in fields)
    space = {f"_set_{field}": getattr(kind, field).__set__ for field in fields} | {"_defaults": defaults}
    exec(f"def __init__(self, {', '.join(parameters)}):\n{''.join(lines)}", space)
    kind.__init__ = space["__init__"]
    kind.__init__(self, *values, **named)


class Node(metaclass=NodeType):
    """A stretch of the source, `end` exclusive. Nodes are immutable and equal when all of their fields are."""

    start: int
    end: int

    def __eq__(self, other: object) -> bool:
        return _values(self) == _values(other) if type(self) is type(other) else NotImplemented

    def __hash__(self) -> int:
        return hash(_values(self))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
        return f"{type(self).__qualname__}({fields})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), _values(self)

    def moved(self, start: int, end: int) -> Self:
        """The same node at another place; what lies below stays where it is."""
        return type(self)(start, end, *_values(self)[2:])


def _values(node: Any) -> tuple[Any, ...]:
    return tuple(getattr(node, name) for name in node.__match_args__)


class Name(Node):
    """A word or, where the language allows it, a quoted name (`text` is then unquoted)."""

    text: str
    quoted: bool = False

    @property
    def written(self) -> str:
        """As its author writes it: in quotes where it is quoted."""
        return f'"{self.text}"' if self.quoted else self.text
