"""Checks values against JSON Schemas and says in plain words where they do not fit.

Values that fit are accepted by a quick check; the library is imported where that one cannot decide.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from ..plan.model import JsonSchema
from ..values.formats import valid_format
from ..values.pattern import BadPattern
from ..values.types import FORMATS
from .accept import Accepts, quick_check
from .matching import Undecided, begin_value, fits
from .path import write_path
from .problem import problem_of

if TYPE_CHECKING:
    from jsonschema import FormatChecker
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

ERRORS_LOOKED_AT: Final = 50
"""Of a value with very many errors only the first ones are compared for the best one to report."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """`path` as the language writes it (`items[3].owner`, empty for the whole value), `problem` after a subject."""

    path: str
    problem: str

    def sentence(self, whole: str) -> str:
        """`whole` names the value itself, e.g. "The result"."""
        return f"{f'`{self.path}`' if self.path else whole} {self.problem}."


class Shape:
    """A schema that values are checked against; compiled with the first check."""

    __slots__ = ("_quick", "_settle", "_validator", "schema")

    def __init__(self, schema: JsonSchema) -> None:
        self.schema = schema
        self._quick: Accepts | None = None
        self._validator: Validator | None = None
        self._settle: Callable[[Any], Any] | None = None

    def mismatch(self, value: Any) -> Mismatch | None:
        """None where the value fits. Formats are checked, too."""
        if self._quick is None:
            self._quick = quick_check(self.schema) or _undecided
        begin_value()
        try:
            return None if self._quick(value) else self._explained(value)
        except RecursionError:
            return Mismatch("", "cannot be checked: it is nested too deep")
        except Undecided as found:
            return Mismatch("", f"cannot be checked: a text in it is too long to be compared with {found}")

    def settled(self, value: Any) -> Any:
        """The value that is meant by one that fits: 1.0 is the integer 1 where the schema wants an integer."""
        if self._settle is None:
            from .settled import settling

            self._settle = settling(self.schema, defaults=False) or _as_it_is
        return self._settle(value)

    def _explained(self, value: Any) -> Mismatch | None:
        if self._validator is None:
            self._validator = _compiled(self.schema)
        from jsonschema.exceptions import best_match

        try:
            errors = list(islice(self._validator.iter_errors(value), ERRORS_LOOKED_AT))
            best = best_match(errors)
            while best is not None and (inner := _only_branch(best)):
                best = best_match(inner)
        except RecursionError:
            return Mismatch("", "cannot be checked: it is nested too deep")
        except Undecided:
            raise
        except Exception as error:
            # Schemas come from outside: references to nowhere, keywords with values that they cannot have.
            return Mismatch("", f"cannot be checked: its schema cannot be used ({type(error).__name__})")
        return None if best is None else Mismatch(write_path(best.absolute_path), _problem(best))


def _as_it_is(value: Any) -> Any:
    return value


def _undecided(_: Any) -> bool:
    return False


def _only_branch(error: ValidationError) -> list[ValidationError]:
    """The errors of the only alternative of an `anyOf` that is not null: what is wrong there is the news."""
    if error.validator not in ("anyOf", "oneOf") or not isinstance(error.validator_value, list):
        return []
    branches = [n for n, branch in enumerate(error.validator_value) if branch != {"type": "null"}]
    if len(branches) != 1:
        return []
    return [inner for inner in error.context if inner.schema_path and inner.schema_path[0] == branches[0]]


def _problem(error: ValidationError) -> str:
    return problem_of(str(error.validator), error.validator_value, error.instance, error.schema)


def _compiled(schema: JsonSchema) -> Validator:
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend, validator_for

    dialect = validator_for(schema, default=Draft202012Validator)
    tolerant = extend(dialect, {"pattern": _pattern})
    validator: Validator = tolerant(schema, format_checker=_format_checker())
    return validator


@lru_cache(maxsize=1)
def _format_checker() -> FormatChecker:
    """The formats that are types of the language, read as the language reads them; other formats are only notes."""
    from jsonschema import FormatChecker

    checker = FormatChecker(formats=())
    for name, format_name in FORMATS.items():
        checker.checks(format_name)(partial(_has_format, name))
    return checker


def _has_format(name: str, value: object) -> bool:
    return not isinstance(value, str) or valid_format(name, value)


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[ValidationError]:
    """As the dialects say; a pattern in a syntax that Python does not know (`\\p{L}`) restricts nothing."""
    from jsonschema.exceptions import ValidationError

    if not isinstance(instance, str):
        return
    try:
        if fits(pattern, instance):
            return
    except BadPattern:
        return
    yield ValidationError("pattern")


def without(schema: JsonSchema, names: Collection[str]) -> JsonSchema:
    """The schema of an object, but for these properties."""
    properties = {name: each for name, each in schema.get("properties", {}).items() if name not in names}
    required = [name for name in schema.get("required", []) if name not in names]
    return {**schema, "properties": properties, "required": required}
