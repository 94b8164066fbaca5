"""What tools say about themselves, by the protocol's names."""

from mcp_types import ToolAnnotations

READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
LOOKS_OUTSIDE = ToolAnnotations(read_only_hint=True, open_world_hint=True)
ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
SENDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=True)
SETS = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)
