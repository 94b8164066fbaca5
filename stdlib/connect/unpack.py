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
    inflate, any_came = zlib.decompressobj(47), False
    async for raw in response.aiter_raw():
        try:
            for piece in _pieces(inflate, raw):
                any_came = True
                yield piece
        except zlib.error:
            raise fault("shape_mismatch", f"{label} answered with a damaged packing.") from None
    if any_came and not inflate.eof:
        raise fault("shape_mismatch", f"{label} answered with a packing that breaks off.")


def _pieces(inflate: zlib._Decompress, raw: bytes) -> Iterator[bytes]:
    while True:
        piece = inflate.decompress(raw, PIECE)
        if piece:
            yield piece
        raw = inflate.unconsumed_tail
        if not raw and len(piece) < PIECE:
            return
