"""The page for reviewers: what its overview says of a tool."""

from dataclasses import replace

import pytest

from compiler.emit.catalog_md import emit_catalog_page
from dsl.diagnostics import Sink
from tests.compiler.emit.sample import sample


@pytest.mark.parametrize(
    ("description", "told"),
    [
        ("One. Two.", "One."),
        ("What was said last, e.g. by you.\nFails where nothing was.", "What was said last, e.g. by you."),
        ("No full stop\n\nAnother paragraph.", "No full stop"),
        ("Is it there? `yes` or no.", "Is it there?"),
        ("A | b.", r"A \| b."),
        ("", "Count words"),
    ],
)
def test_the_overview_has_the_first_sentence(description: str, told: str):
    bundle = sample()
    entries = {
        name: entry.model_copy(update={"selection": entry.selection.model_copy(update={"description": description})})
        for name, entry in {each.id: each for each in bundle.catalogue.entries}.items()
    }
    changed = bundle.catalogue.model_copy(update={"entries": tuple(entries.values())})
    (page,) = emit_catalog_page(replace(bundle, catalogue=changed), Sink())
    row = next(line for line in page.text.splitlines() if line.startswith("| [count_words]"))
    assert row.split(" | ", 2)[2].startswith(f"{told} | `")


def test_what_calls_of_older_versions_get_stands_beside_it():
    bundle = sample()
    entry = bundle.catalogue.entries[0]
    old = {"version": "1.x", "schema": {"type": "string"}}
    output = entry.output.model_validate({**entry.output.model_dump(by_alias=True), "adapted": [old]})
    changed = bundle.catalogue.model_copy(update={"entries": (entry.model_copy(update={"output": output}),)})
    (page,) = emit_catalog_page(replace(bundle, catalogue=changed), Sink())
    assert "\n\n- Calls of version 1.x get: `string`\n" in page.text
