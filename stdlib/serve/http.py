"""Serving over streamable HTTP on this machine."""

from __future__ import annotations

import contextlib
import socket
import sys
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import uvicorn
    from mcp.server.lowlevel.server import Server

PATH = "/mcp"
GRACE = 5
"""Seconds that calls under way have when the server is asked to end."""


def listen(host: str, port: int) -> socket.socket:
    """Raises OSError where the port is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family)


def http_server(server: Server[Any], host: str, listening: socket.socket) -> uvicorn.Server:
    """The HTTP server; `should_exit` ends it. Requests for other hosts, and from pages of other origins, are refused
    by the protocol's own check, which is on for loopback addresses."""
    import uvicorn

    class Quiet(uvicorn.Server):
        """Signals are the caller's."""

        @contextlib.contextmanager
        def capture_signals(self) -> Generator[None, None, None]:
            yield

    app = server.streamable_http_app(streamable_http_path=PATH, host=host)
    config = uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=GRACE, lifespan="on")
    shown = f"[{host}]" if ":" in host else host
    print(f"serving on http://{shown}:{listening.getsockname()[1]}{PATH}", file=sys.stderr, flush=True)
    return Quiet(config)
