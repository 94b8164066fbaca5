"""What a sync found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class ToolChange:
    """A tool that came, went or changed; `words` end a sentence that begins with it."""

    tool: str
    kind: Literal["added", "removed", "changed"]
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        name = f"`{self.tool}`"
        return {"added": f"{name} is new", "removed": f"{name} is gone"}.get(
            self.kind
        ) or f"{name} {'; '.join(self.words)}"


@dataclass(frozen=True, slots=True)
class SourceReport:
    """One source. `outcome`: `new` (no lock could be read), `same`, `changed`, `declined` (changed, and the
    lock is as it was), or `failed` (the sink has why).

    `about` are changes beside the tools: another version of the server, another way to reach it. `notes` are sentences
    about what it offers, changed or not.
    """

    name: str
    outcome: Literal["new", "same", "changed", "declined", "failed"]
    tools: int = 0
    server: str = ""
    changes: tuple[ToolChange, ...] = ()
    about: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SyncReport:
    """All sources that were asked, in the manifest's order. `written`: paths of lock files, relative to the project."""

    sources: tuple[SourceReport, ...]
    written: tuple[str, ...] = ()
