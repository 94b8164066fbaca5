"""Handles for the life of the process."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..principal import Owner
from ..result import NOTHING
from .content import (
    REMEMBERED_S,
    Address,
    check_kind,
    decoded,
    encode,
    expired_handle,
    new_handle,
    no_handle,
    no_room,
)
from .handles import JSON, Handle, Label, Pinned
from .recent import Recent


@dataclass(slots=True)
class _Content:
    bytes: bytes | bytearray
    users: int = 0


@dataclass(slots=True)
class _Kept:
    owner: Owner
    handle: Handle
    address: str


class MemoryHandles:
    """At most `capacity` bytes of contents."""

    def __init__(self, clock: Callable[[], float], capacity: int) -> None:
        self._clock = clock
        self._capacity = capacity
        self._used = 0
        self._kept: dict[str, _Kept] = {}
        self._contents: dict[str, _Content] = {}
        self._expired: dict[str, tuple[Owner, float]] = {}
        self._recent = Recent()
        self._next = math.inf

    async def put(self, owner: Owner, label: Label, value: Any) -> Handle:
        content = bytearray()
        encode(value, content.extend)
        address = Address(owner.tenant)
        address.add(content)
        self._forget()
        if address.text not in self._contents:
            self._take(len(content))
        return self._keep(owner, label, address, content, JSON, len(value) if isinstance(value, list | tuple) else None)

    async def keep(self, owner: Owner, label: Label, body: AsyncIterator[bytes], media: str) -> Handle:
        address = Address(owner.tenant)
        content = bytearray()
        try:
            async for chunk in body:
                self._take(len(chunk))
                address.add(chunk)
                content += chunk
        except BaseException:
            self._used -= address.size
            raise
        if address.text in self._contents:
            self._used -= address.size
        return self._keep(owner, label, address, content, media, None)

    async def again(self, owner: Owner, handle_id: str, label: Label) -> Handle:
        old = self._find(owner, handle_id)
        handle = new_handle(label, old.handle.bytes, old.handle.items, old.handle.media, self._clock())
        self._name(owner, handle, old.address)
        return handle

    async def drop(self, owner: Owner, handle_id: str) -> None:
        kept = self._kept.get(handle_id)
        if kept is not None and kept.owner == owner and kept.handle.expires > self._clock():
            kept.handle = replace(kept.handle, expires=self._clock())
            self._next = kept.handle.expires
            self._forget()

    async def describe(self, owner: Owner, handle_id: str) -> Handle:
        return self._find(owner, handle_id).handle

    async def value(self, owner: Owner, handle_id: str, kind: str | None = None) -> Any:
        found = self._find(owner, handle_id)
        check_kind(found.handle, kind)
        value = self._recent.get(found.address, found.handle)
        if value is NOTHING:
            value = decoded(found.handle, bytes(self._contents[found.address].bytes))
            self._recent.add(found.address, found.handle, value)
        return value

    async def part(self, owner: Owner, handle_id: str, offset: int, length: int) -> bytes:
        content = self._contents[self._find(owner, handle_id).address].bytes
        start = max(0, offset)
        return bytes(memoryview(content)[start : start + max(0, length)])

    async def pinned(self) -> Sequence[Pinned]:
        self._forget()
        living = [kept.handle for kept in self._kept.values()]
        by_plan = {plan: [each.expires for each in living if each.plan == plan] for plan in self.plans()}
        return tuple(Pinned(plan, len(ends), max(ends)) for plan, ends in sorted(by_plan.items()))

    def plans(self) -> set[str]:
        """The digests of the plans that living handles were made under."""
        self._forget()
        return {kept.handle.plan for kept in self._kept.values()}

    def _take(self, size: int) -> None:
        self._forget()
        if self._used + size > self._capacity:
            raise no_room()
        self._used += size

    def _keep(
        self, owner: Owner, label: Label, address: Address, content: bytes | bytearray, media: str, items: int | None
    ) -> Handle:
        """The room is taken already, where equal content was not there."""
        handle = new_handle(label, address.size, items, media, self._clock())
        self._contents.setdefault(address.text, _Content(content))
        self._name(owner, handle, address.text)
        return handle

    def _name(self, owner: Owner, handle: Handle, address: str) -> None:
        self._contents[address].users += 1
        self._kept[handle.id] = _Kept(owner, handle, address)
        self._next = min(self._next, handle.expires)

    def _find(self, owner: Owner, handle_id: str) -> _Kept:
        self._forget()
        kept = self._kept.get(handle_id)
        if kept is not None and kept.owner == owner:
            return kept
        if handle_id in self._expired and self._expired[handle_id][0] == owner:
            raise expired_handle(handle_id)
        raise no_handle(handle_id)

    def _forget(self) -> None:
        now = self._clock()
        if now < self._next:
            return
        for handle_id in [each for each, kept in self._kept.items() if kept.handle.expires <= now]:
            kept = self._kept.pop(handle_id)
            self._expired[handle_id] = kept.owner, kept.handle.expires + REMEMBERED_S
            content = self._contents[kept.address]
            content.users -= 1
            if not content.users:
                self._used -= len(content.bytes)
                del self._contents[kept.address]
        for handle_id in [each for each, (_, until) in self._expired.items() if until <= now]:
            del self._expired[handle_id]
        times = [kept.handle.expires for kept in self._kept.values()] + [until for _, until in self._expired.values()]
        self._next = min(times, default=math.inf)
