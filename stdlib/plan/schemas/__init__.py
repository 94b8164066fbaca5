"""The JSON Schemas of plan, catalogue and receipt, for other programs.

The files beside this are made from the models; `python -m stdlib.plan.schemas` writes them anew.
"""

from __future__ import annotations

import json
from pathlib import Path

from ..catalogue import Catalogue
from ..model import Model
from ..plan import Plan
from ..receipt import ReceiptLine

MODELS: dict[str, type[Model]] = {
    "chainc.plan.schema.json": Plan,
    "chainc.catalogue.schema.json": Catalogue,
    "chainc.receipt.schema.json": ReceiptLine,
}


def published() -> dict[str, str]:
    """The text of every file, by name."""
    return {name: _text(model) for name, model in MODELS.items()}


def _text(model: type[Model]) -> str:
    dialect = "https://json-schema.org/draft/2020-12/schema"
    return json.dumps({"$schema": dialect, **model.model_json_schema()}, indent=2, ensure_ascii=False) + "\n"


def write() -> None:
    """Write the files into this folder."""
    for name, text in published().items():
        (Path(__file__).parent / name).write_text(text, "utf-8", newline="\n")
