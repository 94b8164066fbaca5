"""Digests of values."""

from __future__ import annotations


def digest(value: object) -> str:
    """SHA-256 of the canonical JSON, 64 hexadecimal digits. Raises JsonError where the value is no JSON."""
    import hashlib

    from .canonical import canonical

    return hashlib.sha256(canonical(value)).hexdigest()
