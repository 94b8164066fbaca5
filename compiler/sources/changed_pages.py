"""What changed in what a document says about pages of an answer, in words."""

from __future__ import annotations

from typing import Any

from compiler.loader.lock_shape import visible


def changed_pages(old: dict[str, Any] | None, new: dict[str, Any] | None) -> tuple[str, ...]:
    """Ends of sentences that begin with the tool, of what the lock holds of its pages. Empty where all is equal."""
    if old == new:
        return ()
    if new is None:
        return ("says nothing about pages of its answer any more",)
    by = f", the next by `{visible(new['argument'])}`" if new.get("argument") else ""
    where = f", told by `{visible('.'.join(new['field']))}`" if new.get("field") else ""
    return (f"says that its answer comes in {'' if old is None else 'other '}pages{by}{where}",)
