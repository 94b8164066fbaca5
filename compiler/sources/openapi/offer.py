"""What the document of a manifest or an import offers, and how its service is reached."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from compiler.loader.files import Folder
from compiler.loader.lock import MOST_LOCK_BYTES, file_digest
from compiler.loader.lock_shape import visible
from compiler.loader.manifest import ManifestSource
from compiler.project import Annotations, OpenApiService
from compiler.sources.offer import Failure, LeftOut, Offer, OfferedTool
from compiler.sources.openapi.read import read_openapi
from compiler.sources.openapi.security import BadAuth, credentials
from compiler.sources.openapi.source import OpenApiSource, OpenApiTool, Problem
from stdlib.plan.document import to_json
from stdlib.plan.openapi import OpenApi
from stdlib.values.auth_to_write import short_name


def read_offer(folder: Folder, entry: ManifestSource, service: OpenApiService) -> Offer | Failure:
    """E0233 where the document, or how the manifest wants to reach its service, cannot be used."""
    read = read_openapi(lambda path: folder.text(path, MOST_LOCK_BYTES), service.document)
    if isinstance(read, Problem):
        line = f" line {read.line}:" if read.line is not None else ""
        return Failure("E0233", f"`{read.place.file}` cannot be used:{line} {read.why[:1].lower()}{read.why[1:]}")
    auth = credentials(read, service.auth)
    if isinstance(auth, BadAuth):
        return Failure("E0233", auth.why, auth.help)
    base_url = service.base_url or read.base_url
    if base_url is None:
        why = f"`{service.document}` does not say where its service is"
        relative = next((f": its server `{visible(each.url, 100)}` is relative" for each in read.servers), "")
        return Failure("E0233", f"{why}{relative}.", _with_base_url(entry.name, service.document))
    tools, remarks = _where(read, service)
    reached = OpenApi(base_url=base_url, auth=dict(auth.credentials), auth_for_all=auth.for_all)
    texts = {path: folder.text(path, MOST_LOCK_BYTES) for path in read.files}
    return Offer(
        server=read.title,
        version=read.version,
        protocol=f"OpenAPI {read.openapi}",
        tools=tuple(_tool(tool) for tool in tools),
        files={path: file_digest(text) for path, text in sorted(texts.items()) if isinstance(text, str)},
        service=to_json(reached),
        left_out=tuple(LeftOut(each.operation, each.why, str(each.place)) for each in read.refused),
        remarks=tuple(remarks),
    )


def _with_base_url(name: str, document: str) -> str:
    """A source that an import names by its file has no entry in the manifest yet."""
    entry = f'openapi = {{ file = {json.dumps(document, ensure_ascii=False)}, base_url = "https://…" }}'
    if name != document:
        return f"Say it in `chainc.toml`, under `[sources.{name}]`: `{entry}`."
    short = short_name(document)
    declared = f"Declare the source in `chainc.toml`, `[sources.{short}]` with `{entry}`"
    return f'{declared}, and import it by its name: `from openapi "{short}"`.'


def _where(read: OpenApiSource, service: OpenApiService) -> tuple[list[OpenApiTool], list[LeftOut]]:
    """The tools, and what is to be told of them. The manifest's `base_url` stands for every server of the document."""
    tools: list[OpenApiTool] = []
    remarks = [LeftOut(each.operation, each.note.why, str(each.note.place)) for each in read.remarks]
    for tool in read.tools.values():
        notes = [each for each in tool.notes if each.lost]
        remarks += [LeftOut(tool.tool.name, each.why, str(each.place)) for each in notes]
        if service.base_url is not None and tool.binding.elsewhere:
            server = visible(tool.binding.server or "")
            tool = replace(tool, binding=tool.binding.model_copy(update={"server": None}))
            why = f"It goes to the manifest's `base_url`, where the document says `{server}`."
            remarks.append(LeftOut(tool.tool.name, why, str(tool.servers)))
        tools.append(tool)
    return tools, remarks


def _tool(read: OpenApiTool) -> OfferedTool:
    tool = read.tool
    offered: dict[str, Any] = {"name": tool.name, "description": tool.description}
    if tool.annotations is not None:
        offered["annotations"] = _hints(tool.annotations)
    offered["inputSchema"] = tool.input_schema
    if tool.output_schema is not None:
        offered["outputSchema"] = tool.output_schema
    return OfferedTool(offered, to_json(read.binding), read.scopes, tool.pages)


def _hints(effects: Annotations) -> dict[str, bool]:
    return {
        "readOnlyHint": effects.read_only,
        "destructiveHint": effects.destructive,
        "idempotentHint": effects.idempotent,
        "openWorldHint": effects.open_world,
    }
