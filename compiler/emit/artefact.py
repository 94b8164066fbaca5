"""What emitters take and give."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from compiler.project import Settings
from dsl.diagnostics import Sink
from stdlib.plan.catalogue import Catalogue, Entry
from stdlib.plan.plan import Plan


@dataclass(frozen=True, slots=True)
class Bundle:
    """A compiled project: what runs, what it promises, and what its author asked for. `files`: what sources of the plan
    run, by their path in the plan."""

    plan: Plan
    catalogue: Catalogue
    settings: Settings
    files: Mapping[str, str] = field(default_factory=dict)

    def visible(self) -> list[Entry]:
        """The entries that clients can see, ordered by id."""
        private = {name for name, chain in self.plan.chains.items() if chain.private}
        return sorted((entry for entry in self.catalogue.entries if entry.id not in private), key=lambda each: each.id)

    def handles(self, entry: Entry) -> dict[str, str]:
        """The inputs of an entry that are handles, with their kinds."""
        chain = self.plan.chains.get(entry.id)
        return {each.name: each.handle for each in chain.inputs if each.handle} if chain else {}


@dataclass(frozen=True, slots=True)
class Artefact:
    """A file of the bundle: its path below the output folder (posix, relative) and its text."""

    path: str
    text: str

    @property
    def digest(self) -> str:
        """SHA-256 of its bytes, hexadecimal."""
        return hashlib.sha256(self.text.encode("utf-8")).hexdigest()


Emitter = Callable[[Bundle, Sink], Iterable[Artefact]]
