"""From a bundle to its files. Emitters see the bundle alone and never touch the disk; `compiler.writer` does."""

from __future__ import annotations

from compiler.emit.artefact import Artefact, Bundle, Emitter
from compiler.emit.bundle import list_files
from compiler.emit.catalog_md import emit_catalog_page
from compiler.emit.catalogue import emit_catalogue
from compiler.emit.openai import emit_openai
from compiler.emit.plan import emit_plan
from compiler.emit.registry import emit_registry
from compiler.emit.server import emit_server
from dsl.diagnostics import Sink

__all__ = ["EMITTERS", "Artefact", "Bundle", "Emitter", "emit"]

EMITTERS: tuple[Emitter, ...] = (
    emit_plan,
    emit_catalogue,
    emit_registry,
    emit_catalog_page,
    emit_openai,
    emit_server,
)
"""Every emitter; none needs another one's files. Their order is that of diagnostics without a place."""


def emit(bundle: Bundle, sink: Sink) -> list[Artefact]:
    """Every file of the bundle, ordered by path, with `bundle.json`, which lists the others.

    What a provider cannot express is told to the sink; the other files are still given.
    """
    made = [artefact for emitter in EMITTERS for artefact in emitter(bundle, sink)]
    made.append(list_files(bundle, made))
    return sorted(made, key=lambda each: each.path)
