"""Sources whose tools an import block declares itself: commands, and the standard library in its own files."""

from __future__ import annotations

from dataclasses import replace

from compiler.loader.lock_shape import alias_of, schema_digest
from compiler.names.effects import claimed_annotations, written_effects
from compiler.names.tools import Reader
from compiler.project import LockedSource, LockedTool
from compiler.types.to_schema import to_schema
from dsl import tree
from stdlib.values.types import Record


def declared_source(reader: Reader, node: tree.Import, source: LockedSource) -> LockedSource:
    """The source with the tools of the block `node`, which stands in the reader's file. Of two with one name the first
    counts; the checks of claims tell about the other."""
    tools: dict[str, LockedTool] = {}
    for decl in node.tools:
        tools.setdefault(decl.name.text, _tool(reader, decl, source.kind == "std"))
    return replace(source, tools=tools)


def _tool(reader: Reader, decl: tree.ToolDecl, is_std: bool) -> LockedTool:
    """What a command gives is a claim about a text; what a tool of the standard library gives is declared."""
    takes = reader.declared.read(reader.module, decl.takes) if decl.takes is not None else Record((), open=False)
    input_schema = to_schema(replace(takes, open=False) if isinstance(takes, Record) else takes)
    output_schema = None
    effects = next((c for c in decl.clauses if isinstance(c, tree.NamesClause)), None)
    if is_std and decl.returns is not None:
        output_schema = to_schema(reader.declared.read(reader.module, decl.returns))
    return LockedTool(
        name=decl.name.text,
        alias=alias_of(decl.name.text),
        description=decl.doc or "",
        input_schema=input_schema,
        output_schema=output_schema,
        annotations=claimed_annotations(written_effects(reader.report, effects)) if is_std and effects else None,
        digest=schema_digest({"name": decl.name.text, "inputSchema": input_schema, "outputSchema": output_schema}),
    )
