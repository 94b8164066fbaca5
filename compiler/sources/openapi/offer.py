"""What the document of a manifest or an import offers, and how its service is reached."""

from __future__ import annotations

from typing import Any

from compiler.loader.files import Folder
from compiler.loader.lock import MOST_LOCK_BYTES, file_digest
from compiler.loader.manifest import ManifestSource
from compiler.project import Annotations, OpenApiService
from compiler.sources.offer import Failure, LeftOut, Offer, OfferedTool
from compiler.sources.openapi.read import read_openapi
from compiler.sources.openapi.security import BadAuth, credentials
from compiler.sources.openapi.source import OpenApiTool, Problem
from stdlib.plan.document import to_json
from stdlib.plan.openapi import OpenApi


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
        hint = f'Say it: openapi = {{ file = "{service.document}", base_url = "https://…" }} in `chainc.toml`.'
        return Failure("E0233", f"`{service.document}` does not say where its service is.", hint)
    reached = OpenApi(base_url=base_url, auth=dict(auth.credentials), auth_for_all=auth.for_all)
    texts = {path: folder.text(path, MOST_LOCK_BYTES) for path in read.files}
    return Offer(
        server=read.title,
        version=read.version,
        protocol=f"OpenAPI {read.openapi}",
        tools=tuple(_tool(tool) for tool in read.tools.values()),
        files={path: file_digest(text) for path, text in sorted(texts.items()) if isinstance(text, str)},
        service=to_json(reached),
        left_out=tuple(LeftOut(each.operation, each.why) for each in read.refused),
    )


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
