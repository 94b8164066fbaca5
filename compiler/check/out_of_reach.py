"""Operations of OpenAPI documents that are called, and that the manifest makes every call of refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import urljoin, urlsplit

from compiler.check.arguments import path_place, written_path
from compiler.check.roots import Calls
from compiler.loader.lock_shape import visible
from compiler.loader.sources import STANDARD
from compiler.names.calls import ChainTarget
from compiler.program import ToolSignature
from compiler.project import LockedSource, LockedTool, OpenApiService, Project
from compiler.types.report import Report
from stdlib.values.auth_to_write import auth_to_write

_PORTS: Final = {"http": 80, "https": 443}


def tell_out_of_reach(project: Project, calls: Mapping[ChainTarget, Calls], report_of: Callable[[str], Report]) -> None:
    """W0239 at the first call in each file of an operation that needs a credential which its source does not have, or
    that goes to a host which is not allowed."""
    told: set[tuple[str, str, str]] = set()
    for target, inside in calls.items():
        for call, meant in inside if not target.file.startswith(STANDARD) else ():
            if not isinstance(meant, ToolSignature) or (key := (target.file, meant.source, meant.tool.name)) in told:
                continue
            told.add(key)
            found = _why(project, project.sources[meant.source], meant.tool)
            if found is not None:
                message = f"`{written_path(call.path)}` is always refused: {found[0]}."
                report_of(target.file)("W0239", path_place(call.path), message, helps=found[1])


def _why(project: Project, source: LockedSource, tool: LockedTool) -> tuple[str, str] | None:
    """The end of a sentence, and what to do; None where the operation can be called."""
    if not isinstance(source.transport, OpenApiService) or tool.binding is None:
        return None
    service = source.service or {}
    wanted = tool.binding.get("security")
    has = service.get("auth", {})
    followed = [each for each in wanted or () if all(scheme in has for scheme in each)]
    if wanted and not followed:
        schemes = " or ".join(" and ".join(f"`{visible(scheme)}`" for scheme in each) for each in wanted)
        why = f"it needs {schemes}, and `{visible(source.name)}` has no credential for it"
        return why, auth_to_write(source.name, wanted[0])
    own = str(tool.binding.get("server") or "")
    if source.transport.base_url is None and own.lower().startswith(("http://", "https://", "//")):
        sent = next((each for each in followed if each), ()) if wanted is not None else service.get("auth_for_all", ())
        return _elsewhere(project, str(service.get("base_url", "")), own, bool(sent))
    return None


def _elsewhere(project: Project, base_url: str, own: str, with_credentials: bool) -> tuple[str, str] | None:
    """As a call decides about a server of an operation's own; what is no URL is told when it is called."""
    try:
        home, there = _origin(base_url), _origin(urljoin(base_url, own))
    except ValueError:
        return None
    scheme, host, _ = there
    if not host:
        return None
    if there != home and not any(_fits(host, pattern.lower().rstrip(".")) for pattern in project.settings.hosts):
        hint = f'Add "{host}" to `hosts` of `[allow]` in `chainc.toml` if it may be reached.'
        return f"it goes to `{visible(own)}`, and `{host}` is no allowed host", hint
    if with_credentials and (home[0], scheme) == ("https", "http"):
        hint = "Correct the server in the document, or set `base_url` in `chainc.toml`."
        return f"it goes to `{visible(own)}`, where anybody could read its credentials", hint
    return None


def _origin(url: str) -> tuple[str, str, int | None]:
    """Scheme, host and port. Raises ValueError."""
    parts = urlsplit(url)
    return parts.scheme, (parts.hostname or "").rstrip("."), parts.port or _PORTS.get(parts.scheme)


def _fits(host: str, pattern: str) -> bool:
    return host.endswith(pattern[1:]) and len(host) >= len(pattern) if pattern.startswith("*.") else host == pattern
