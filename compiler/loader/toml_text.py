"""The text of `chainc.toml` → values, whoever wrote it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from typing import Any, Final

MOST_DEEP: Final = 64
"""So deep may tables and lists lie within each other; a manifest needs five."""
_LARGEST: Final = 2**63
_TOP: Final = (1, 1)
_PLACE = re.compile(r"(?P<why>.*?) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)", re.DOTALL)


class BadToml(ValueError):
    """The message is a sentence. `place`: line and column from 1, None: at the end of the text."""

    def __init__(self, why: str, place: tuple[int, int] | None = None) -> None:
        super().__init__(why)
        self.why, self.place = why, place


def read_toml(text: str) -> dict[str, Any]:
    """Raises BadToml, also for numbers of more than 64 bits and what is nested too deeply."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _PLACE.fullmatch(str(error))
        if found is None:
            raise BadToml(f"This is no TOML: {error}.") from None
        place = (int(found["line"]), int(found["column"])) if found["line"] else None
        why = found["why"]
        raise BadToml(f"This is no TOML: {why[:1].lower()}{why[1:]}.", place) from None
    except RecursionError:
        raise BadToml("This is nested too deeply.", _TOP) from None
    except ValueError:  # a number of thousands of digits
        raise BadToml("A number here is too large.", _TOP) from None
    _check(values)
    return values


def _check(values: dict[str, Any]) -> None:
    level: list[Any] = [values]
    for _ in range(MOST_DEEP):
        inner: list[Any] = []
        for each in level:
            if isinstance(each, int) and not -_LARGEST <= each < _LARGEST:
                raise BadToml("A number here is too large.", _TOP)
            inner += _inside(each)
        level = inner
        if not level:
            return
    raise BadToml("This is nested too deeply.", _TOP)


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
