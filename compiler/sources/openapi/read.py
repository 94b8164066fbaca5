"""An OpenAPI document → tools. Pure: texts come from the function that is given, nothing is asked on the network."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compiler.loader.lock_shape import visible
from compiler.loader.service_address import read_servers
from compiler.sources.openapi.documents import At, Documents
from compiler.sources.openapi.names import tool_names
from compiler.sources.openapi.operations import METHODS, Found, Root, read_operation
from compiler.sources.openapi.security import read_schemes
from compiler.sources.openapi.source import (
    Note,
    OpenApiSource,
    OpenApiTool,
    Place,
    Problem,
    Read,
    Refusal,
    Remark,
    Unserved,
)
from stdlib.values.plain import plain

MOST_OPERATIONS = 5000


def read_openapi(read: Read, path: str) -> OpenApiSource | Problem:
    """The tools of the document at `path` (in the project, with `/`), which `read` gives, as other files it refers to.

    An operation that cannot be served is refused with a reason; the others
    stay. A Problem where the document itself cannot be read.
    """
    documents = Documents(read)
    value = documents.value(path)
    if isinstance(value, Problem):
        return value
    at = At(value, Place(path))
    problem = _no_document(at)
    if problem:
        return Problem(at.place, problem)
    refused: list[Refusal] = []
    remarks: list[Remark] = []
    found = list(_operations(documents, at, refused, remarks))
    if len(found) > MOST_OPERATIONS:
        return Problem(at.place.at("paths"), f"The document has more than {MOST_OPERATIONS} operations.")
    secured = bool(at.get("security").value) or any(each.at.get("security").value is not None for each in found)
    root = Root(documents, at, read_schemes(documents, at), secured)
    tools: dict[str, OpenApiTool] = {}
    names, told = tool_names(found)
    for each, name in zip(found, names, strict=True):
        try:
            if not name:
                why = f"Another operation is already called `{visible(each.plain_name)}`."
                raise Unserved("name", each.at.place, why)
            tools[name] = read_operation(root, each, name)
        except Unserved as unserved:
            refused.append(Refusal(each.shown, unserved.place, unserved.reason, unserved.why))
    info = at.get("info")
    return OpenApiSource(
        title=plain(info.text("title"), 200),
        version=plain(info.text("version"), 100),
        openapi=at.text("openapi"),
        servers=read_servers(at.get("servers").value),
        schemes=root.schemes,
        secured=secured,
        tools=tools,
        refused=tuple(refused),
        remarks=(*remarks, *told),
        files=documents.files,
    )


def _no_document(at: At) -> str:
    """Why a value is no OpenAPI document of a version that is known, as a sentence."""
    if not isinstance(at.value, dict):
        return "This is no OpenAPI document: it is no object."
    if "swagger" in at.value:
        return "This is Swagger 2.0. Convert it to OpenAPI 3: many editors of OpenAPI do that."
    version = at.value.get("openapi")
    if not isinstance(version, str):
        return 'This is no OpenAPI document: it does not say `openapi: "3.1.0"`.'
    if not re.fullmatch(r"3\.[01](\..*)?", version, re.DOTALL):
        return f"This is OpenAPI {visible(version)}; 3.0 and 3.1 can be read."
    if not isinstance(at.value.get("paths"), dict):
        return "The document has no paths, so it has no operations."
    return ""


def _operations(documents: Documents, root: At, refused: list[Refusal], remarks: list[Remark]) -> Iterator[Found]:
    """The operations in the order of the document."""
    paths = root.get("paths")
    for path in paths.value:
        if path.startswith("x-"):
            continue
        try:
            item = documents.resolved(paths.get(path))
            # Beside `$ref` a Path Item may have operations of its own.
            own = (
                {k: v for k, v in (paths.value[path] or {}).items() if k != "$ref"}
                if item.place != paths.get(path).place
                else {}
            )
            whole = At({**item.record("A path"), **own}, item.place)
        except Unserved as unserved:
            refused.append(Refusal(visible(path, 200), unserved.place, unserved.reason, unserved.why))
            continue
        for method in METHODS:
            if method in whole.value:
                yield Found(path, method, whole, whole.get(method))
        for key in whole.value:
            if key.lower() in METHODS and key not in METHODS:
                why = f"`{visible(key)}` is no method: methods are written small."
                remarks.append(Remark(visible(path, 200), Note(whole.place.at(key), why, lost=True)))
