"""The options of a server."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Options:
    """`groups`, `stages`: empty is no choice. `sources`: a URL or a command line instead of the plan's, by name.
    `http`: the port, 0 for any free one; None serves over stdio."""

    profile: Literal["semantic", "all"] = "semantic"
    groups: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()
    handles: bool = True
    strict: bool = False
    http: int | None = None
    host: str = "127.0.0.1"
    sources: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    log: str = "warning"


def read_options(argv: Sequence[str], version: Callable[[], str] = str) -> Options:
    """Reads the options; like argparse it prints and exits with code 2 where they are wrong, 0 for `--help` and for
    `--version`, which prints what `version` gives."""

    class Version(argparse.Action):
        def __call__(self, *_: Any) -> None:
            print(version())
            parser.exit()

    parser = argparse.ArgumentParser(description="Serves compiled chains as MCP tools, over standard input and output.")
    parser.add_argument("--http", type=int, metavar="PORT", help="serve over HTTP at /mcp instead (0: any free port)")
    parser.add_argument(
        "--host", default="127.0.0.1", choices=LOOPBACK, help="the address of --http; this machine only"
    )
    parser.add_argument(
        "--profile", choices=("semantic", "all"), default="semantic", help="all: show the primitive tools, too"
    )
    parser.add_argument("--groups", default="", metavar="A,B", help="show only chains of these groups")
    parser.add_argument("--stages", default="", metavar="X,Y", help="show only chains of these stages")
    parser.add_argument("--no-handles", action="store_true", help="do not show handle_read and handle_describe")
    parser.add_argument(
        "--strict", action="store_true", help="clients send arguments in the form of strict schemas (null: left out)"
    )
    parser.add_argument(
        "--source",
        action="append",
        default=[],
        metavar="NAME=WHERE",
        help="reach a source elsewhere: a URL, or a command with its arguments",
    )
    parser.add_argument("--version", action=Version, nargs=0, help="print name and version, and end")
    parser.add_argument("--log", choices=("debug", "info", "warning", "error"), default="warning", help="what to log")
    given = parser.parse_args(list(argv))
    sources: dict[str, str | tuple[str, ...]] = {}
    for text in given.source:
        name, separator, where = text.partition("=")
        if not separator or not where.strip():
            parser.error(f"--source wants NAME=WHERE, not {text!r}")
        try:
            sources[name] = where if where.startswith(("http://", "https://")) else tuple(shlex.split(where))
        except ValueError:
            parser.error(f"--source {name}: a quotation mark in the command is not closed: {where}")
    return Options(
        profile=given.profile,
        groups=_names(given.groups),
        stages=_names(given.stages),
        handles=not given.no_handles,
        strict=given.strict,
        http=given.http,
        host=given.host,
        sources=sources,
        log=given.log,
    )


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for name in (each.strip() for each in text.split(",")) if name)
