"""registry.txt: one line a tool, for planners and for people who look one up."""

from __future__ import annotations

from collections.abc import Iterator

from compiler.emit.artefact import Artefact, Bundle
from dsl.diagnostics import Sink
from stdlib.plan.registry import registry_line


def emit_registry(bundle: Bundle, sink: Sink) -> Iterator[Artefact]:
    lines = [registry_line(entry, bundle.handles(entry)) for entry in bundle.visible()]
    yield Artefact("registry.txt", "".join(f"{line}\n" for line in lines))
