"""The base of every plan and catalogue model: frozen, unknown fields refused."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

JsonSchema = dict[str, Any]
"""A JSON Schema document (2020-12 unless it says otherwise)."""


class Model(BaseModel):
    """Read with `model_validate_json`, written by `stdlib.plan.document` with defaults left out."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Origin(Model):
    """Where something stands in the workflow text: project-relative path, line and column from 1."""

    file: str
    line: int
    column: int
