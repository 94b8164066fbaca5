"""What waits for what: references, edges and their order. Needs names and effects, no types."""

from compiler.graph.bindings import build_graph
from compiler.graph.order import Circle

__all__ = ["Circle", "build_graph"]
