"""Bodies of requests that come from the store in parts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

from ..runtime.held import Stored


@dataclass(frozen=True, slots=True)
class Upload:
    """What is sent, in this order; the whole of it may be sent again, after a redirect."""

    parts: tuple[bytes | Stored, ...]

    @property
    def size(self) -> int:
        return sum(each.size if isinstance(each, Stored) else len(each) for each in self.parts)

    async def stream(self) -> AsyncIterator[bytes]:
        for each in self.parts:
            if isinstance(each, Stored):
                async for part in each.parts():
                    yield part
            else:
                yield each
