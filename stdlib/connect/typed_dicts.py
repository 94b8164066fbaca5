"""`typing.TypedDict` for Python 3.11: pydantic reads only those of `typing_extensions` there.

The older class forgets which of its fields may be left out where annotations are texts (PEP 655 and PEP 563), so each
is made anew from what its annotations say.
"""

from __future__ import annotations

import sys
import types
import typing
from typing import Any, Final

import typing_extensions

NEEDED: Final = sys.version_info < (3, 12)


def readable(hint: Any, known: dict[Any, Any] | None = None) -> Any:
    """The type with every `typing.TypedDict` in it replaced; those inside of classes stay."""
    if not NEEDED:
        return hint
    known = {} if known is None else known
    if isinstance(hint, type) and typing.is_typeddict(hint):
        return _made(hint, known)
    arguments = typing.get_args(hint)
    if not arguments:
        return hint
    origin = typing.get_origin(hint)
    if origin is typing.Literal:
        return hint
    if origin is typing.Annotated:
        return typing.Annotated[(readable(hint.__origin__, known), *hint.__metadata__)]
    made = tuple(readable(each, known) if not isinstance(each, list) else each for each in arguments)
    if made == arguments:
        return hint
    if origin in (typing.Union, types.UnionType):
        return typing.Union[made]  # noqa: UP007 - the members are values here
    return origin[made]


def _made(old: Any, known: dict[Any, Any]) -> Any:
    if type(old).__module__ != "typing":
        return old
    if old in known:
        # Within itself: pydantic finds it by its name in the module.
        return known[old]
    known[old] = typing.ForwardRef(old.__name__, module=old.__module__)
    fields: dict[str, Any] = {}
    for name, hint in typing.get_type_hints(old, include_extras=True).items():
        required = name in old.__required_keys__
        if typing.get_origin(hint) in (typing.Required, typing.NotRequired):
            required = typing.get_origin(hint) is typing.Required
            (hint,) = typing.get_args(hint)
        inner = readable(hint, known)
        fields[name] = typing_extensions.Required[inner] if required else typing_extensions.NotRequired[inner]
    made: Any = typing_extensions.TypedDict(old.__name__, fields)  # type: ignore[misc]
    made.__module__, made.__doc__ = old.__module__, old.__doc__
    known[old] = made
    return made
