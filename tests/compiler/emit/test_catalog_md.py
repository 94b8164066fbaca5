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
