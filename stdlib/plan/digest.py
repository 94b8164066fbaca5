"""The digest of a primitive tool: what the lock pins and the first connection compares."""

from __future__ import annotations

from ..values.digest import digest
from .model import JsonSchema


def tool_digest(name: str, input_schema: JsonSchema, output_schema: JsonSchema | None) -> str:
    """SHA-256, hexadecimal, of the canonical JSON of { name, inputSchema, outputSchema }, schemas as offered.

    Descriptions and annotations of the tool itself do not count; those inside the schemas do.
    """
    return digest({"name": name, "inputSchema": input_schema, "outputSchema": output_schema})
