"""The options of a server."""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn

if TYPE_CHECKING:
    from .visible import Choice

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
DISCOVERY_ABOVE: Final = 40


@dataclass(frozen=True, slots=True)
class Options:
    """`profile`: whether tools of sources are shown, too (`all`). `groups`, `stages`: empty is no choice. `handles`:
    whether clients get `handle_read` and `handle_describe`. `strict`: clients send arguments in the form of strict
    schemas, null for what is left out. `sources`: a URL or a command line instead of the plan's, by name. `http`: the
    port, 0 for any free one, at the address `host`; None serves over stdio. `log`: from which level on the log has what
    happens, `log_format`: as lines of text or of JSON. `discovery_above`: with more visible tools than this
    they are found instead of listed. `store`: `memory` or `sqlite:PATH`, None: the usual file of the server.
    `principals`: a file of those who may call over HTTP, None: whoever reaches this machine's own address. `resource`:
    the address that clients use, `issuer`: who gives out tokens for it. `consent`: which calls the client's user is
    asked about first: of tools of sources that may destroy something, and of what `ask_first` names; of the latter
    alone; of none."""

    profile: Literal["semantic", "all"] = "semantic"
    consent: Literal["destructive", "listed", "never"] = "destructive"
    ask_first: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()
    handles: bool = True
    strict: bool = False
    http: int | None = None
    host: str = "127.0.0.1"
    sources: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    log: str = "warning"
    log_format: Literal["text", "json"] = "text"
    discovery_above: int = DISCOVERY_ABOVE
    store: str | None = None
    principals: str | None = None
    resource: str | None = None
    issuer: str | None = None

    @property
    def choice(self) -> Choice:
        from .visible import Choice

        return Choice(self.profile, self.groups, self.stages)


class WrongOptions(Exception):
    """A value that an option cannot have, or options that do not go together. The message says which."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise WrongOptions(message.removeprefix("argument "))


def read_options(argv: Sequence[str], version: Callable[[], str] = str) -> Options:
    """Reads the options; like argparse it prints and exits with code 2 where they are wrong, 0 for `--help` and for
    `--version`, which prints what `version` gives."""
    parser = _parser(version)
    try:
        return _read(parser, argv)
    except WrongOptions as wrong:
        if log_form(argv) == "json":
            from .log import announce

            announce("error", str(wrong), "json")
        else:
            parser.print_usage(sys.stderr)
            print(f"{parser.prog}: error: {wrong}", file=sys.stderr)
        raise SystemExit(2) from None


def check_options(argv: Sequence[str]) -> None:
    """Raises `WrongOptions`."""
    _read(_parser(str), argv)


def log_form(argv: Sequence[str]) -> Literal["text", "json"]:
    """How the log is written, also where other options are wrong."""
    parser = _Parser(add_help=False)
    parser.add_argument("--log-format")
    try:
        return "json" if parser.parse_known_args(list(argv))[0].log_format == "json" else "text"
    except WrongOptions:
        return "text"


def _parser(version: Callable[[], str]) -> _Parser:
    class Version(argparse.Action):
        def __call__(self, *_: Any) -> None:
            print(version())
            parser.exit()

    class NewToken(argparse.Action):
        def __call__(self, *_: Any) -> None:
            from .principals import new_token

            token, digest = new_token()
            print(f"token         {token}\ntoken_sha256  {digest}")
            parser.exit()

    parser = _Parser(description="Serves compiled chains as MCP tools, over standard input and output.")
    parser.add_argument(
        "--http", type=_number, metavar="PORT", help="serve over HTTP at /mcp instead (0: any free port)"
    )
    parser.add_argument(
        "--host", help="the address of --http (127.0.0.1); without --principals this machine's own only"
    )
    parser.add_argument("--principals", metavar="FILE", help="who may call over HTTP: ids, scopes, digests of tokens")
    parser.add_argument("--resource", metavar="URL", help="the address by which clients reach this server over HTTP")
    parser.add_argument("--issuer", metavar="URL", help="the authorization server that clients are told of")
    parser.add_argument("--new-token", action=NewToken, nargs=0, help="print a fresh token and its digest, and end")
    parser.add_argument(
        "--profile", choices=("semantic", "all"), default="semantic", help="all: show the primitive tools, too"
    )
    parser.add_argument(
        "--consent",
        choices=("destructive", "listed", "never"),
        default="destructive",
        help="which calls the client's user is asked about first: of tools of sources that may destroy something (and "
        "of those listed), of those that --ask-first lists, of none (%(default)s)",
    )
    parser.add_argument(
        "--ask-first", default="", metavar="A,B", help="ask the client's user before each call of these"
    )
    parser.add_argument("--groups", default="", metavar="A,B", help="show only chains of these groups")
    parser.add_argument("--stages", default="", metavar="X,Y", help="show only chains of these stages")
    parser.add_argument(
        "--discovery-above",
        type=_number,
        default=DISCOVERY_ABOVE,
        metavar="N",
        help="with more visible tools list find_tools and describe_tool instead (%(default)s)",
    )
    parser.add_argument(
        "--store",
        metavar="WHERE",
        help="where runs, handles and receipts are kept: memory, or sqlite:PATH (the state folder of the user)",
    )
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
    parser.add_argument(
        "--log-format",
        choices=("text", "json"),
        default="text",
        help="json: one object a line on standard error, with run, step and principal where they are known",
    )
    return parser


def _read(parser: _Parser, argv: Sequence[str]) -> Options:
    given = parser.parse_args(list(argv))
    wrong = _unsafe(given)
    if wrong is not None:
        parser.error(wrong)
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
        consent=given.consent,
        ask_first=_names(given.ask_first),
        groups=_names(given.groups),
        stages=_names(given.stages),
        handles=not given.no_handles,
        strict=given.strict,
        http=given.http,
        host=given.host or LOOPBACK[0],
        sources=sources,
        log=given.log,
        log_format=given.log_format,
        discovery_above=given.discovery_above,
        store=given.store,
        principals=given.principals,
        resource=given.resource,
        issuer=given.issuer,
    )


def _unsafe(given: argparse.Namespace) -> str | None:
    """What would be open to more people than is meant, or means nothing."""
    for name in ("host", "principals", "resource", "issuer"):
        if getattr(given, name) is not None and given.http is None:
            return f"--{name} is for --http"
    for name in ("resource", "issuer"):
        url = getattr(given, name)
        if url is not None and given.principals is None:
            return f"--{name} is for --principals"
        if url is not None and not re.fullmatch(r"https?://[^\s/?#@]+(?:/[^\s?#]*)?", url):
            return f"--{name} wants a URL like https://tools.example/mcp, without a query"
    reachable = given.host is not None and given.host not in LOOPBACK
    if reachable and given.principals is None:
        return f"--host {given.host} can be reached from other machines: say with --principals who may call"
    if reachable and given.resource is None:
        return f"--host {given.host} wants --resource, the URL that clients use, like https://tools.example/mcp"
    if given.discovery_above < 1:
        return "--discovery-above wants a number from 1"
    return None


def _number(text: str) -> int:
    if not re.fullmatch(r"\d{1,9}", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"`{text}` is no whole number")
    return int(text)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for name in (each.strip() for each in text.split(",")) if name)
