"""Masks what is secret in whatever goes to clients: results, summaries, faults, pages of handles, questions.

Values that steps pass on are never masked. A pattern is applied to each text by itself, not to the names of fields.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ...values.secret_forms import unusable_mask

if TYPE_CHECKING:
    from ...plan.plan import Secret
    from ..fault import Fault


class Mask:
    """Raises ValueError for a pattern that is none, or that may keep a text for too long."""

    def __init__(self, secrets: Sequence[Secret] = ()) -> None:
        self._rules: list[tuple[re.Pattern[str], str]] = []
        for each in secrets:
            why = unusable_mask(each.pattern)
            if why is not None:
                raise ValueError(f"the pattern `{each.name}` {why[0]}")
            self._rules.append((re.compile(each.pattern), f"[masked: {each.name}]"))

    def __bool__(self) -> bool:
        return bool(self._rules)

    def text(self, text: str) -> str:
        for pattern, shown in self._rules:
            text = pattern.sub(shown, text)
        return text

    def part(self, text: str, start: int, end: int) -> str:
        """`text[start:end]`, in which also that is masked which begins before it or ends behind it."""
        if not self._rules:
            return text[start:end]
        found = [(match.span(), shown) for pattern, shown in self._rules for match in pattern.finditer(text)]
        shown_text, at = "", start
        for (first, last), shown in sorted(found):
            if last > max(at, first) and first < end:
                shown_text += text[at : max(at, first)] + shown
                at = min(last, end)
        return shown_text + text[at:end]

    def value(self, value: Any) -> Any:
        """A JSON value with its texts masked; what has nothing secret is shared, not copied."""
        if not self._rules:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list | tuple):
            return [self.value(each) for each in value]
        if isinstance(value, dict):
            return {name: self.value(each) for name, each in value.items()}
        return value

    def fault(self, fault: Fault) -> Fault:
        if not self._rules:
            return fault
        return replace(
            fault,
            message=self.text(fault.message),
            next=None if fault.next is None else self.text(fault.next),
            not_undone=tuple(self.value(dict(each)) for each in fault.not_undone),
            details=self.value(dict(fault.details)),
        )


OPEN: Final = Mask()
"""Masks nothing."""
