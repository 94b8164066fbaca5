"""`chainc import`: the servers that another program is configured with, as sources of the manifest."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compiler.cli import terminal
from compiler.cli.arguments import Parser, choice
from compiler.cli.exits import FINDINGS, OK, Usage
from compiler.cli.place import relative

if TYPE_CHECKING:
    from compiler.sources.clients.taken import Found, NotTaken

_MOST_BYTES = 1_000_000


def arguments() -> Parser:
    from compiler.sources.clients.configuration import CLIENTS

    parser = Parser(
        "chainc import",
        "Reads the MCP servers that Claude Desktop, VS Code or Cursor is configured with, and adds them to chainc.toml "
        "as sources; makes the file where there is none. What is in it stays. Of variables only names are written, and "
        "what to export is told; of headers only plain values, no secrets. What `mcp-remote` is given a header for is "
        "reached without it. Starts nothing. A server that cannot be a source ends it with 1, a disabled one does not.",
        [
            ("chainc import vscode .vscode/mcp.json", "its `servers`"),
            ("chainc import cursor ~/.cursor/mcp.json --dry-run", "print what would be written"),
        ],
    )
    parser.operand("client", type=choice("client", list(CLIENTS)), help="claude_desktop, vscode or cursor")
    parser.operand("file", help="its configuration, JSON with or without comments")
    parser.option("--dry-run", action="store_true", help="write nothing, print what would be added")
    return parser


def run(options: argparse.Namespace) -> int:
    from compiler.loader.manifest import FILE, find_root
    from compiler.sources.clients.configuration import NoConfiguration, read_configuration
    from compiler.sources.clients.manifest import CannotAdd, new_manifest, sources_of, with_sources

    text = _text(Path(options.file))
    root = find_root(Path("."))
    file = Path(relative(root / FILE, os.getcwd())) if root else Path(FILE)
    manifest = _text(file) if root else new_manifest(Path(os.getcwd()).name)
    try:
        known = sources_of(manifest)
        servers = read_configuration(options.client, text, known)
        new = {name: each.table for name, each in _new(servers, known).items()}
        made = with_sources(manifest, new)
    except NoConfiguration as no:
        raise Usage(f"`{options.file}` is no configuration of {options.client}: {_begun(no.why)}", no.hint) from None
    except CannotAdd as cannot:
        raise Usage(f"nothing can be added to `{file.as_posix()}`. {cannot}") from None
    if options.dry_run:
        terminal.out(made.removeprefix(manifest).lstrip("\r\n") if root else made)
    elif new or not root:
        _write(file, made)
    said = "would be added to" if options.dry_run else "added to"
    told = f"a new manifest with {_count(len(new))}" if root is None else f"{_count(len(new))} {said} it"
    terminal.say(f"{file.as_posix()}: {told}.")
    home = (root or Path()).absolute()
    refused = _tell(servers, known, home)
    refused = _tell_folders(home, file, manifest, new) or refused
    if new and not options.dry_run:
        terminal.say(f"Next: `chainc sync {' '.join(new)}` asks for their tools, after you agreed to each program.")
    return FINDINGS if refused else OK


def _new(servers: Mapping[str, Found | NotTaken], known: Mapping[str, Any]) -> dict[str, Found]:
    from compiler.sources.clients.taken import Found

    return {name: each for name, each in servers.items() if isinstance(each, Found) and name not in known}


def _tell(servers: Mapping[str, Found | NotTaken], known: Mapping[str, Any], home: Path) -> bool:
    """What became of each server, and what to do; whether one was refused. `home`: the folder of the project."""
    from compiler.loader.lock_shape import visible
    from compiler.sources.clients.exports import exports
    from compiler.sources.clients.taken import Needed, NotTaken

    refused = False
    needed: dict[str, tuple[Needed, ...]] = {}
    for name, server in servers.items():
        called = visible(server.called)
        if isinstance(server, NotTaken):
            terminal.say(f"`{called}` is left out: {server.why}.")
            for line in server.help.splitlines():
                terminal.say(f"  {line}")
            refused = refused or server.wanted
            continue
        if name in known and known[name] != {"mcp": server.table}:
            terminal.say(f"`{called}` is left out: there is another source `{name}`.")
            terminal.say("  Give one of them another name, or remove the one of the manifest.")
            refused = True
            continue
        if name in known:
            terminal.say(f"`{name}` is there already.")
        elif name != server.called:
            terminal.say(f"`{called}` is called `{name}` here.")
        for note in (*server.notes, *_fetched(home, server)):
            terminal.say(f"`{name}`: {note[:1].lower()}{note[1:]}")
        needed[name] = server.needed
    if lines := list(exports(needed)):
        terminal.say("Export these variables before you use the sources; what is or might be a secret is not shown:")
        for line in lines:
            terminal.say(f"  {line}")
    return refused


def _fetched(home: Path, server: Found) -> Iterator[str]:
    from compiler.loader.unpinned import sample, unpinned, what
    from compiler.project import StdioServer

    if "command" in (table := server.table):
        found = unpinned(home, StdioServer(table["command"], tuple(table.get("args", ())), cwd=table.get("cwd")))
        if found is not None:
            there = "is fetched in whatever version there is when it starts"
            yield f"{what(found)} {there}: name the one that was looked at in `args`, `{sample(found)}`."


def _tell_folders(root: Path, file: Path, manifest: str, new: Mapping[str, Mapping[str, Any]]) -> bool:
    """What to write so that programs may start where the client starts them; whether there is something to write."""
    from compiler.loader.files import Refused
    from compiler.loader.lock_shape import visible
    from compiler.loader.working_folder import allowing, to_allow, working_folder
    from compiler.sources.clients.manifest import roots_of

    roots, wanted, refused = roots_of(manifest), dict[str, None](), False
    for name, table in new.items():
        cwd = table.get("cwd", ".")
        if not isinstance(working_folder(root, cwd, (*roots, *wanted)), Refused):
            continue
        terminal.say(f"`{name}`: it starts in `{visible(cwd)}` there, which is not allowed here.")
        refused = True
        if (more := to_allow(root, cwd)) is not None:
            wanted[more] = None
    if wanted:
        terminal.say(f"If programs may start there, write into {file.as_posix()}:")
        for line in allowing(roots, tuple(wanted)).splitlines():
            terminal.say(f"  {line}")
    return refused


def _count(number: int) -> str:
    return {0: "no source", 1: "1 source"}.get(number, f"{number} sources")


def _begun(sentence: str) -> str:
    return f"{sentence[:1].lower()}{sentence[1:]}"


def _text(file: Path) -> str:
    """The text with its line ends as they are; raises Usage."""
    try:
        if not file.is_file():
            raise Usage(f"there is no file `{file.as_posix()}`.")
        if file.stat().st_size > _MOST_BYTES:
            raise Usage(f"`{file.as_posix()}` has more than {_MOST_BYTES // 10**6} MB.")
        return file.read_bytes().decode()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise Usage(f"`{file.as_posix()}` cannot be read: {why}.") from None


def _write(file: Path, text: str) -> None:
    """Put the text in its place as a whole, with the rights that the file had; a link stays one."""
    from compiler.sources.atomic import write_text

    real = Path(os.path.realpath(file))
    try:
        write_text(real, text, mode=real.stat().st_mode & 0o7777 if real.exists() else 0o644)
    except OSError as error:
        raise Usage(f"`{file.as_posix()}` cannot be written: {(error.strerror or 'it fails').lower()}.") from None
