"""Bodies of answers as they come, unpacked piece by piece: a few bytes may unpack to very many."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Final

from ..runtime.fault import fault

if TYPE_CHECKING:
    import httpx2

PIECE: Final = 1 << 18
"""Most bytes that are unpacked at a time."""
_MEMBER: Final = b"\x1f\x8b"
_PACKED: Final = ("gzip", "x-gzip", "deflate")


async def unpacked(label: str, response: httpx2.Response) -> AsyncIterator[bytes]:
    """The body in pieces. Raises `shape_mismatch` where the packing is unknown or damaged, or breaks off."""
    coding = response.headers.get("Content-Encoding", "").strip().lower()
    if coding not in ("", "identity", *_PACKED):
        raise fault("shape_mismatch", f"{label} answered in a packing that was not asked for.")
    if coding not in _PACKED:
        async for raw in response.aiter_raw():
            yield raw
        return
    packed = _Packed()
    async for raw in response.aiter_raw():
        try:
            for piece in packed.pieces(raw):
                yield piece
        except zlib.error:
            raise fault("shape_mismatch", f"{label} answered with a damaged packing.") from None
    if packed.breaks_off:
        raise fault("shape_mismatch", f"{label} answered with a packing that breaks off.")


class _Packed:
    """A body in gzip, which may have several members one behind the other (RFC 1952 section 2.2), or deflate."""

    def __init__(self) -> None:
        self._inflate: zlib._Decompress | None = None
        self._behind = b""

    @property
    def breaks_off(self) -> bool:
        return self._inflate is not None and not self._inflate.eof

    def pieces(self, raw: bytes) -> Iterator[bytes]:
        """What these bytes unpack to; what stands behind the last member is no part of it. Raises `zlib.error`."""
        while raw:
            if self._inflate is not None and self._inflate.eof:
                self._behind = raw = self._behind + raw
                if not raw.startswith(_MEMBER):
                    self._behind = raw[:2]
                    return
                self._inflate, self._behind = None, b""
            if self._inflate is None:
                self._inflate = zlib.decompressobj(47)
            inflate = self._inflate
            while True:
                piece = inflate.decompress(raw, PIECE)
                if piece:
                    yield piece
                raw = inflate.unconsumed_tail
                if not raw and len(piece) < PIECE:
                    break
            raw = inflate.unused_data
