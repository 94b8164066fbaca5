"""Starts a server and ends it: by the client's leaving, or by a signal."""

from __future__ import annotations

import errno
import json
import logging
import os
import signal
import socket
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import anyio

from ..plan.catalogue import Catalogue
from ..runtime.store import Store
from ..runtime.store.unusable import StoreUnusable
from ..runtime.world import Ambient
from .engine import Engine
from .keep import store_for
from .log import announce
from .options import Options
from .server import build_server
from .stdio import Wire, read_wire, write_wire
from .telemetry import spans_for
from .visible import unknown_tags

if TYPE_CHECKING:
    from anyio.abc import TaskStatus
    from mcp.server.lowlevel.server import Server

    from .bearer import Access

PATIENCE: Final = 5.0
"""Seconds after a signal in which writes under way may finish."""

log = logging.getLogger("chainc.serve")


class Unusable(Exception):
    """The folder cannot be served. The message says why."""


def serve(folder: Path, options: Options, wire: Wire | None) -> int:
    """Serves until the end; the exit code. `wire` is None for HTTP. Raises `Unusable`."""
    catalogue = read_catalogue(folder)
    refuse_unknown_sources(folder, options)
    for sentence in unknown_tags(catalogue, options.choice):
        announce("warning", sentence)
    serving = partial(_serve, folder, catalogue, options)
    if wire is not None:
        anyio.run(serving, _store(options, catalogue), None, partial(_over_stdio, wire))
    else:
        access = _access(options)
        with _listening(options) as listening:
            store = _store(options, catalogue)
            anyio.run(serving, store, access, partial(_over_http, options, access, listening))
    logging.shutdown()
    return 0


def _store(options: Options, catalogue: Catalogue) -> Store:
    try:
        return store_for(options.store, catalogue.name)
    except StoreUnusable as reason:
        raise Unusable(str(reason)) from None


def _access(options: Options) -> Access | None:
    from .bearer import read_access
    from .principals import WrongPrincipals

    try:
        return None if options.principals is None else read_access(Path(options.principals))
    except WrongPrincipals as reason:
        raise Unusable(str(reason)) from None


def _listening(options: Options) -> socket.socket:
    from .http import listen

    try:
        return listen(options.host, options.http or 0)
    except (OSError, OverflowError) as error:
        port = options.http
        if getattr(error, "errno", None) == errno.EADDRINUSE:
            raise Unusable(f"port {port} is in use; choose another one, or 0 for any that is free") from None
        reason = getattr(error, "strerror", None) or str(error)
        raise Unusable(f"port {port} cannot be used: {reason}") from None


def refuse_unknown_sources(folder: Path, options: Options) -> None:
    """Raises `Unusable` where `--source` names a source that the plan does not have."""
    if not options.sources:
        return
    try:
        known = sorted(json.loads((folder / "plan.json").read_bytes())["sources"])
    except (OSError, ValueError, KeyError, TypeError):
        raise Unusable("plan.json cannot be read") from None
    for name in options.sources:
        if name not in known:
            raise Unusable(f"--source names `{name}`, which is no source here; there are: {', '.join(known) or 'none'}")


def read_catalogue(folder: Path) -> Catalogue:
    """Raises `Unusable`. The plan is read later: a list of tools does not need it."""
    from pydantic import ValidationError

    for name in ("catalogue.json", "plan.json"):
        if not (folder / name).is_file():
            raise Unusable(f"{folder} has no {name}: it is no bundle.")
    try:
        return Catalogue.model_validate_json((folder / "catalogue.json").read_bytes())
    except (ValidationError, OSError) as error:
        raise Unusable(f"catalogue.json cannot be read: {str(error).splitlines()[0]}") from None


Transport = Callable[["Server[Any]", anyio.CancelScope, Callable[[], None]], Awaitable[None]]
"""Serves until the scope is cancelled, or until a signal comes: then the last argument is called first."""


async def _serve(
    folder: Path,
    catalogue: Catalogue,
    options: Options,
    store: Store,
    access: Access | None,
    transport: Transport,
) -> None:
    """Connections to sources outlive the serving, so that writes under way can finish. However it ends, runs are let go
    of, and the store is closed last."""
    try:
        async with anyio.create_task_group() as group:
            principals = None if access is None else access.principals
            spans = spans_for(catalogue.name, catalogue.version)
            engine = Engine(folder, options, group, store, principals, Ambient(spans=spans))
            who, changes = (None, None) if access is None else (access.principal_of, access.changes)
            server = build_server(catalogue, engine, options, principal_of=who, changes=changes)
            if store.is_lasting:
                group.start_soon(engine.adopt)
            try:
                with anyio.CancelScope() as serving:
                    await transport(server, serving, engine.let_go)
            finally:
                await engine.close()
    finally:
        with anyio.CancelScope(shield=True):
            await store.close()


async def _over_stdio(wire: Wire, server: Server[Any], serving: anyio.CancelScope, let_go: Callable[[], None]) -> None:
    from .eras import serve_streams

    to_us, from_client = anyio.create_memory_object_stream[Any](0)
    to_client, from_us = anyio.create_memory_object_stream[Any](0)
    async with anyio.create_task_group() as group:
        await group.start(_on_signal, let_go, serving.cancel)
        group.start_soon(read_wire, wire, to_us, to_client.clone())
        group.start_soon(write_wire, wire, from_us)
        await serve_streams(server, from_client, to_client)
        group.cancel_scope.cancel()


async def _over_http(
    options: Options,
    access: Access | None,
    listening: socket.socket,
    server: Server[Any],
    serving: anyio.CancelScope,
    let_go: Callable[[], None],
) -> None:
    from .http import http_server

    running = http_server(server, options, listening, () if access is None else access.verifiers)
    async with anyio.create_task_group() as group:
        await group.start(_on_signal, let_go, partial(setattr, running, "should_exit", True))
        await running.serve(sockets=[listening])
        group.cancel_scope.cancel()


async def _on_signal(let_go: Callable[[], None], end: Callable[[], None], *, task_status: TaskStatus[None]) -> None:
    """The first signal ends the server in order, within `PATIENCE`; a second one ends the process."""
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        task_status.started()
        async for _ in signals:
            break
    cut = threading.Timer(PATIENCE, os._exit, (1,))
    cut.daemon = True
    cut.start()
    let_go()
    end()
