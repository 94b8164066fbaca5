"""`chainc serve`: the chains of a project as an MCP server, without a build in between."""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from compiler.cli.arguments import Parser, choice
from compiler.cli.exits import Usage
from compiler.cli.place import outcome, place
from dsl.diagnostics import Sink

if TYPE_CHECKING:
    from compiler.emit import Bundle
    from compiler.project import Settings

PROFILES = ("semantic", "all")
CONSENTS = ("destructive", "listed", "never")
_HANDED_ON = (
    "profile",
    "consent",
    "ask_first",
    "groups",
    "stages",
    "discovery_above",
    "http",
    "host",
    "principals",
    "resource",
    "issuer",
    "store",
    "log_format",
)


def arguments() -> Parser:
    parser = Parser(
        "chainc serve",
        "Compiles the project and serves its chains as an MCP server, over stdio or HTTP. Profile, groups and stages "
        "are those of the manifest unless they are given. Starts the programs that the manifest names when a chain "
        "first needs them, after you agreed to each.",
        [
            ("chainc serve", "over stdio, for a host that starts it"),
            ("chainc serve --http 8000", "at http://127.0.0.1:8000/mcp"),
            ("chainc serve --http 8000 --principals who.toml", "for those who have a token"),
        ],
    )
    parser.option("--http", type=_port, metavar="PORT", help="serve over HTTP instead; 0 is any free port")
    parser.option("--host", metavar="ADDRESS", help="where --http listens; with --principals not only here")
    parser.option("--principals", metavar="FILE", help="who may call over HTTP: ids, scopes, digests of tokens")
    parser.option("--resource", metavar="URL", help="the address by which clients reach the server over HTTP")
    parser.option("--issuer", metavar="URL", help="the authorization server that clients are told of")
    parser.option("--new-token", action="store_true", help="print a fresh token and its digest for the file, and end")
    parser.option(
        "--profile", type=choice("profile", PROFILES), help="semantic (chains alone) or all (primitives, too)"
    )
    parser.option(
        "--consent",
        type=choice("consent", CONSENTS),
        help="which calls the client's user is asked about first: destructive (tools of sources that may destroy "
        "something, and those listed), listed, never",
    )
    parser.option("--ask-first", metavar="A,B", help="ask the client's user before each call of these")
    parser.option("--groups", metavar="A,B", help="show only chains of these groups")
    parser.option("--stages", metavar="X,Y", help="show only chains of these stages")
    parser.option("--discovery-above", metavar="N", help="with more visible tools they are searched, not listed")
    parser.option("--store", metavar="WHERE", help="where runs, handles and receipts are kept: memory, or sqlite:PATH")
    parser.option(
        "--log-format",
        metavar="FORM",
        type=choice("log format", ("text", "json")),
        help="how the log is written to stderr: text (default), or json, one object a line",
    )
    parser.option("--strict", action="store_true", help="take arguments in the form of strict schemas (null: left out)")
    parser.option("--trust", action="store_true", help="agree to what the manifest starts and sends")
    return parser


def run(options: argparse.Namespace) -> int:
    try:
        return _run(options)
    except Usage as wrong:
        if options.log_format != "json":
            raise
        from stdlib.serve.log import announce

        announce("error", f"{wrong.message} {wrong.hint}".rstrip(), "json")
        return wrong.code


def _run(options: argparse.Namespace) -> int:
    if options.new_token:
        from stdlib.serve.options import read_options

        read_options(["--new-token"])
    _check(options)
    if options.principals is not None:
        # The server runs in the folder of the project.
        options.principals = os.path.abspath(options.principals)
    where = place(".", options)
    from compiler import driver

    sink = Sink()
    bundle = driver.bundle(where.path, sink)
    where.tell(sink)
    if bundle is None or where.root is None:
        return outcome(sink)
    from compiler.cli.kept import where_kept
    from compiler.cli.servers import agree
    from stdlib.serve import main as serve

    agree(bundle.plan, where.root, options.trust, set(bundle.plan.sources))
    options.store = where_kept(where.root, options.store)
    os.chdir(where.root)  # programs of sources start in the folder of the project
    with tempfile.TemporaryDirectory(prefix="chainc-") as folder:
        for name, text in _files(bundle).items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return serve(_options(options, bundle.settings), Path(folder))


def _check(options: argparse.Namespace) -> None:
    """Raises Usage where the server would not take the options: nobody is asked for consent in vain."""
    from stdlib.runtime.store.open import path_in
    from stdlib.runtime.store.unusable import StoreUnusable
    from stdlib.serve.options import WrongOptions, check_options
    from stdlib.serve.principals import WrongPrincipals, read_principals

    try:
        check_options(_given(options))
        if options.store is not None:
            path_in(options.store)
        if options.principals is not None:
            read_principals(Path(options.principals))
    except (WrongOptions, StoreUnusable, WrongPrincipals) as wrong:
        told = str(wrong)
        raise Usage(told if told.endswith(".") else f"{told}.", "`chainc serve --help` says what there is.") from None


def _files(bundle: Bundle) -> dict[str, str]:
    """What a server reads."""
    from compiler.emit.openai import decoders_of
    from stdlib.plan.document import to_text

    return {
        "plan.json": to_text(bundle.plan),
        "catalogue.json": to_text(bundle.catalogue),
        "openai.decoders.json": decoders_of(bundle),
        **{f"sources/{path}": text for path, text in bundle.files.items()},
    }


def _options(options: argparse.Namespace, settings: Settings) -> list[str]:
    """The options as a generated server takes them: those of the manifest, then those given here, which win."""
    from compiler.emit.server import server_options

    return [*server_options(settings), *_given(options)]


def _given(options: argparse.Namespace) -> list[str]:
    given = {name: getattr(options, name) for name in _HANDED_ON}
    told = [f"--{name.replace('_', '-')}={value}" for name, value in given.items() if value is not None]
    return [*told, *(["--strict"] if options.strict else [])]


def _port(text: str) -> int:
    if text.isascii() and text.isdigit() and int(text) < 65536:
        return int(text)
    raise Usage(f"`{text}` is no port.", "A port is a number from 0 to 65535; 0 is any free one.")
