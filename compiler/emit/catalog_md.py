"""CATALOG.md: the catalogue as a page for reviewers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from compiler.emit.artefact import Artefact, Bundle
from compiler.emit.template import fill
from dsl.diagnostics import Sink
from stdlib.plan.catalogue import Behaviour, Budget, Entry
from stdlib.plan.registry import type_text

_PROOFS = {
    "declared": "declared by the server",
    "claimed": "claimed in the import, checked on every result",
    "untyped": "untyped",
}
_RETRIES = {"safe": "safe", "keyed": "safe with the same `request_key`", "none": "may do it twice"}
_BUDGET = (
    ("calls", "{} calls"),
    ("bytes", "{} bytes"),
    ("seconds", "{} s"),
    ("tokens", "{} tokens"),
    ("cost", "cost {}"),
    ("parallel", "{} at a time"),
)


def emit_catalog_page(bundle: Bundle, sink: Sink) -> Iterator[Artefact]:
    tools = [_tool(entry, bundle.handles(entry)) for entry in bundle.visible()]
    text = fill("CATALOG.md", name=bundle.catalogue.name, version=bundle.catalogue.version, tools=tools)
    yield Artefact("CATALOG.md", text)


def _tool(entry: Entry, handles: dict[str, str]) -> dict[str, Any]:
    """What the template shows of an entry."""
    output = entry.output
    gives = f"handle<{output.kind}>" if output.mode == "handle" else type_text(output.json_schema, output.json_schema)
    return {
        "entry": entry,
        "does": _first_sentence(entry.selection.description) or entry.selection.title,
        "inputs": list(_inputs(entry, handles)),
        "gives": gives,
        "adapted": [
            {"version": each.version, "gives": type_text(each.json_schema, each.json_schema)} for each in output.adapted
        ],
        "bound": "without a bound" if output.bound == "unbounded" else f"at most {output.bound} bytes",
        "effects": ", ".join(_effects(entry.behaviour)),
        "retries": _RETRIES[entry.behaviour.retries],
        "budget": ", ".join(_budget(entry.behaviour.budget)),
        "uses": [
            {"tool": f"{each.source}.{each.tool}", "proof": _PROOFS[each.proof], "digest": each.digest[:12]}
            for each in entry.uses
        ],
        "examples": [
            {"request": each.request, "call": json.dumps(each.arguments, ensure_ascii=False)}
            for each in entry.selection.examples
        ],
    }


def _first_sentence(text: str) -> str:
    """Up to the first full stop behind which a new sentence may begin, on one line."""
    paragraph = " ".join(text.strip().split("\n\n")[0].split())
    return re.split(r"(?<=[.!?]) (?=[^\sa-z])", paragraph, maxsplit=1)[0]


def _inputs(entry: Entry, handles: dict[str, str]) -> Iterator[dict[str, str]]:
    schema = entry.input.json_schema
    required = schema.get("required", ())
    for name, node in schema.get("properties", {}).items():
        shown = node if isinstance(node, dict) else {}
        needed = "yes" if name in required else "no"
        if shown.get("default") is not None:
            needed = f"no, default {json.dumps(shown['default'], ensure_ascii=False)}"
        kind = f"handle<{handles[name]}>" if name in handles else type_text(node, schema)
        yield {"name": name, "type": kind, "required": needed, "description": str(shown.get("description", ""))}


def _effects(behaviour: Behaviour) -> Iterator[str]:
    yield "only reads" if behaviour.read_only else "destructive" if behaviour.destructive else "writes"
    if behaviour.idempotent and not behaviour.read_only:
        yield "idempotent"
    yield "reaches the open world" if behaviour.open_world else "stays in a closed world"


def _budget(budget: Budget) -> Iterator[str]:
    for name, words in _BUDGET:
        limit = getattr(budget, name)
        if limit is not None:
            yield words.format(f"{limit:g}" if isinstance(limit, float) else limit)
