"""`handle_read` and `handle_describe`. Their arguments are checked here, so that a mistake is told in our words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..runtime.fault import RunFault, fault
from ..runtime.gates.mask import Mask
from ..runtime.handle_page import HandlePages
from ..runtime.principal import Owner
from .answers import fault_answer, value_answer
from .inputs import known_inputs, read_count, read_text

if TYPE_CHECKING:
    import mcp_types as t


@dataclass(frozen=True, slots=True)
class HandleCalls:
    """What clients ask of handles; each sees its owner's alone."""

    pages: HandlePages
    mask: Mask

    async def read(self, arguments: dict[str, Any], owner: Owner) -> t.CallToolResult:
        try:
            asked = known_inputs(arguments, "handle", "path", "offset", "limit", "raw")
            return value_answer(await self.page(owner, **asked))
        except RunFault as problem:
            return fault_answer(problem.fault, mask=self.mask)

    async def describe(self, arguments: dict[str, Any], owner: Owner) -> t.CallToolResult:
        try:
            handle_id = read_text(known_inputs(arguments, "handle").get("handle"), "handle")
            return value_answer(await self.pages.describe(owner, handle_id), mask=self.mask)
        except RunFault as problem:
            return fault_answer(problem.fault, mask=self.mask)

    async def page(
        self, owner: Owner, handle: Any = None, path: Any = "", offset: Any = 0, limit: Any = None, raw: Any = False
    ) -> dict[str, Any]:
        """One page of a handle's value. Raises `RunFault`."""
        name = read_text(handle, "handle")
        path = read_text("" if path is None else path, "path")
        first = read_count(0 if offset is None else offset, "offset")
        most = None if limit is None else read_count(limit, "limit")
        if not isinstance(raw, bool | None):
            raise fault("invalid_input", "`raw` must be true or false.")
        return await self.pages.read(owner, name, path, first, most, bool(raw))
