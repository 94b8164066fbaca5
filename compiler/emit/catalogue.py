"""catalogue.json: what each tool promises."""

from __future__ import annotations

from collections.abc import Iterator

from compiler.emit.artefact import Artefact, Bundle
from dsl.diagnostics import Sink
from stdlib.plan.document import to_text


def emit_catalogue(bundle: Bundle, sink: Sink) -> Iterator[Artefact]:
    yield Artefact("catalogue.json", to_text(bundle.catalogue))
