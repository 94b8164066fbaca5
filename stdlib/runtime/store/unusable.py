"""What a store raises when it cannot do its work."""

from __future__ import annotations


class StoreUnusable(Exception):
    """The place of the store cannot be used. The message says which one, why, and what to do."""


class StoreFull(StoreUnusable):
    """There is no room left where the store lies."""
