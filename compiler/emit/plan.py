"""plan.json: what the runtime executes."""

from __future__ import annotations

from collections.abc import Iterator

from compiler.emit.artefact import Artefact, Bundle
from dsl.diagnostics import Sink
from stdlib.plan.document import to_text


def emit_plan(bundle: Bundle, sink: Sink) -> Iterator[Artefact]:
    yield Artefact("plan.json", to_text(bundle.plan))
