"""Bundles for the tests of emitters, from the golden folder: `sample` has three visible chains, a private one, two
sources."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from compiler.emit import Bundle
from compiler.project import Settings
from stdlib.plan.catalogue import Catalogue
from stdlib.plan.plan import Plan
from tests import golden

FOLDER = golden.GOLDEN / "emit"
SUFFIX = ".bundle.json"


def read(path: Path) -> Bundle:
    content = json.loads(path.read_text(encoding="utf-8"))
    return Bundle(
        plan=Plan.model_validate(content["plan"]),
        catalogue=Catalogue.model_validate(content["catalogue"]),
        settings=Settings(**content["settings"]),
    )


def sample(**settings: Any) -> Bundle:
    bundle = read(FOLDER / f"sample{SUFFIX}")
    return replace(bundle, settings=replace(bundle.settings, **settings))


def with_input(schema: dict[str, Any], *, name: str = "count_words", **settings: Any) -> Bundle:
    """The sample with one tool alone, which has this input."""
    bundle = sample(**settings)
    entry = bundle.catalogue.entry("count_words")
    assert entry is not None
    wanted = entry.model_copy(update={"id": name, "input": entry.input.model_copy(update={"json_schema": schema})})
    return replace(bundle, catalogue=bundle.catalogue.model_copy(update={"entries": (wanted,)}))
