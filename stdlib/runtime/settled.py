"""Values as their schema means them: integers that are written 1.0, fields that have a default and were left out."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from ..plan.model import JsonSchema
from .schema import Shape
from .written import referred

Settle = Callable[[Any], Any]


def settling(schema: JsonSchema, *, defaults: bool) -> Settle | None:
    """What makes of a value that fits the schema the one that is meant; None where nothing can be meant otherwise.

    An integer is one however it is written (JSON knows only numbers). With `defaults` a property that is left out has
    its default, however deep. Of several forms the first that then fits is taken. What a schema has of itself inside
    is left as it is.
    """
    return _Settling(schema, defaults).of(schema, ())


@dataclass(frozen=True, slots=True)
class _Settling:
    root: JsonSchema
    defaults: bool

    def of(self, schema: Any, open: tuple[str, ...]) -> Settle | None:
        """`open`: the references that lead here."""
        if not isinstance(schema, dict):
            return None
        reference = schema.get("$ref")
        if isinstance(reference, str):
            return None if reference in open else self.of(referred(reference, self.root), (*open, reference))
        if isinstance(schema.get("anyOf"), list):
            return self._union(schema["anyOf"], open)
        kind = schema.get("type")
        if kind == "integer" or (isinstance(kind, list) and "integer" in kind and "number" not in kind):
            return _integer
        items = self.of(schema.get("items"), open)
        if items is not None:
            return lambda value: [items(each) for each in value] if isinstance(value, list) else value
        return self._record(schema, open)

    def _union(self, forms: list[Any], open: tuple[str, ...]) -> Settle | None:
        found = [(self.of(form, open), self._shape(form)) for form in forms]
        if all(settle is None for settle, _ in found):
            return None

        def settle(value: Any) -> Any:
            for one, shape in found:
                made = value if one is None else one(value)
                if shape.mismatch(made) is None:
                    return made
            return value

        return settle

    def _shape(self, form: Any) -> Shape:
        shared: JsonSchema = {name: self.root[name] for name in ("$defs", "definitions") if name in self.root}
        return Shape({**shared, **form} if isinstance(form, dict) else form)

    def _record(self, schema: JsonSchema, open: tuple[str, ...]) -> Settle | None:
        properties = schema.get("properties", {})
        if not isinstance(properties, dict):
            return None
        made = {name: self.of(each, open) for name, each in properties.items()}
        named = {name: settle for name, settle in made.items() if settle is not None}
        further = self.of(schema.get("additionalProperties"), open)
        missing: dict[str, Any] = {}
        if self.defaults:
            given = {name: each for name, each in properties.items() if isinstance(each, dict)}
            missing = {name: each["default"] for name, each in given.items() if "default" in each}
        if not named and further is None and not missing:
            return None

        def settle(value: Any) -> Any:
            if not isinstance(value, dict):
                return value
            whole = {**value, **{n: deepcopy(default) for n, default in missing.items() if n not in value}}
            for name, each in whole.items():
                one = named.get(name) if name in properties else further
                if one is not None:
                    whole[name] = one(each)
            return whole

        return settle


def _integer(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value
