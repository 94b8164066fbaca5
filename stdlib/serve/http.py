"""Serving over streamable HTTP: to this machine, or to those who have a token."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Generator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from .log import announce
from .options import LOOPBACK, Options
from .principals import Verifier

if TYPE_CHECKING:
    import uvicorn
    from mcp.server.lowlevel.server import Server
    from mcp.server.transport_security import TransportSecuritySettings
    from starlette.applications import Starlette

PATH = "/mcp"
GRACE = 3
"""Seconds that calls under way, and streams that clients hold open, have when the server is asked to end: fewer than
`start.PATIENCE`, so that there is time left to end in order."""


def listen(host: str, port: int) -> socket.socket:
    """Raises OSError where the port is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family)


def http_server(
    server: Server[Any], options: Options, listening: socket.socket, verifiers: tuple[Verifier, ...]
) -> uvicorn.Server:
    """The HTTP server; `should_exit` ends it. Without verifiers everybody who reaches it is its owner. Requests for
    other hosts, and from pages of other origins, are refused by the protocol's own check."""
    import uvicorn

    class Quiet(uvicorn.Server):
        """Signals are the caller's. Announces itself when it answers."""

        @contextlib.contextmanager
        def capture_signals(self) -> Generator[None, None, None]:
            yield

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            announce("info", f"serving on {url}")

    shown = f"[{options.host}]" if ":" in options.host else options.host
    url = f"http://{shown}:{listening.getsockname()[1]}{PATH}"
    config = uvicorn.Config(
        application(server, options, url, verifiers),
        log_config=None,
        timeout_graceful_shutdown=GRACE,
        lifespan="on",
    )
    return Quiet(config)


def application(server: Server[Any], options: Options, url: str, verifiers: tuple[Verifier, ...]) -> Starlette:
    """The server as an ASGI application. `url`: where it listens, the address of the resource unless the options say
    another one."""
    security = _security(options)
    if not verifiers:
        return server.streamable_http_app(streamable_http_path=PATH, host=options.host, transport_security=security)
    from .bearer import Tokens, auth_settings, without_issuer

    resource = options.resource or url
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        host=options.host,
        transport_security=security,
        auth=auth_settings(resource, options.issuer),
        token_verifier=Tokens(verifiers, resource),
    )
    if options.issuer is None:
        without_issuer(app, resource)
    return app


def _security(options: Options) -> TransportSecuritySettings | None:
    """The hosts that requests may be for; None: the protocol's own answer for this machine's addresses."""
    if options.resource is None:
        return None
    from mcp.server.transport_security import TransportSecuritySettings

    place = urlsplit(options.resource)
    host = place.hostname or ""
    host = f"[{host}]" if ":" in host else host
    local = [f"[{each}]" if ":" in each else each for each in LOOPBACK] if options.host in LOOPBACK else []
    hosts = [place.netloc, *(f"{each}{port}" for each in (host, *local) for port in ("", ":*"))]
    origins = [f"{scheme}://{each}" for scheme in ("http", "https") for each in hosts]
    return TransportSecuritySettings(enable_dns_rebinding_protection=True, allowed_hosts=hosts, allowed_origins=origins)
