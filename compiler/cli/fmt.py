"""`chainc fmt`: files in the one style."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from compiler.cli import terminal
from compiler.cli.arguments import Parser
from compiler.cli.exits import FINDINGS, OK, Usage
from dsl.diagnostics import Diagnostic, Sink
from dsl.format import fix_text, format_text
from dsl.format.fixes import syntax
from dsl.source import Source

STDIN: Final = "-"
SUFFIX: Final = ".chain"
MADE: Final = frozenset(("dist", "build", "node_modules", "__pycache__"))
"""Folders of what was made, not written; looked into where they are named."""


def arguments() -> Parser:
    parser = Parser(
        "chainc fmt",
        "Writes files in the one style of the language; comments, blank lines and meaning stay. A file with mistakes "
        "is left as it is. Needs no project.",
        [
            ("chainc fmt", "every .chain file in this folder and below"),
            ("chainc fmt --check --diff", "in continuous integration: shows what would change, exits with 1"),
            ("chainc fmt --fix chains/a.chain", "mends what can only be meant in one way, then formats"),
        ],
    )
    parser.operand("path", nargs="*", help="files or folders; `-` reads stdin and writes stdout")
    parser.option("--check", action="store_true", help="write nothing; list what would change and exit with 1")
    parser.option("--diff", action="store_true", help="write nothing; show what would change")
    parser.option("--fix", action="store_true", help="apply the fixes that are certain first")
    return parser


@dataclass(frozen=True, slots=True)
class _Result:
    """A text before and after, and what is wrong with it afterwards."""

    name: str
    before: str
    after: str
    mistakes: tuple[Diagnostic, ...] = ()

    @property
    def changed(self) -> bool:
        return self.before != self.after


def run(options: argparse.Namespace) -> int:
    if STDIN in options.path:
        if len(options.path) > 1:
            raise Usage("`-` stands alone: the text comes from stdin then.")
        return _standard_streams(options)
    writes = not (options.check or options.diff)
    changed = unchanged = failed = 0
    mistakes: list[Diagnostic] = []
    for file in list(_files(options.path or ["."])):
        result = _formatted(file, options.fix)
        if writes and result.changed:
            result = _written(file, result)
        mistakes += result.mistakes
        failed += bool(result.mistakes)
        if result.changed:
            terminal.out(_difference(result) if options.diff else f"{result.name}\n")
            changed += 1
        elif not result.mistakes:
            unchanged += 1
    terminal.show(mistakes, sys.stderr)
    terminal.say(_summary(changed, unchanged, failed, writes))
    return FINDINGS if failed or (changed and options.check) else OK


def _standard_streams(options: argparse.Namespace) -> int:
    try:
        text = sys.stdin.buffer.read().decode()
    except UnicodeDecodeError:
        raise Usage("what comes from stdin is no text in UTF-8.") from None
    result = _result("stdin", text, fix_text(Source("stdin", text)) if options.fix else text)
    terminal.show(result.mistakes, sys.stderr)
    if options.diff:
        terminal.out(_difference(result))
    elif not options.check:
        terminal.out(result.after)
    return FINDINGS if result.mistakes or (options.check and result.changed) else OK


# -- files


def _files(paths: Iterable[str]) -> Iterator[Path]:
    """Every file once; of folders those with our suffix, not in `MADE` or hidden. Raises Usage where nothing is."""
    seen: set[str] = set()
    for given in paths:
        path = Path(given)
        if not path.exists():
            raise Usage(f"there is no file or folder `{given}`.")
        found = sorted(_below(path)) if path.is_dir() else [path]
        if not found:
            raise Usage(f"there is no {SUFFIX} file in `{given}`.")
        for file in found:
            real = os.path.realpath(file)
            if real not in seen:
                seen.add(real)
                yield file


def _below(folder: Path) -> Iterator[Path]:
    for here, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in MADE]
        yield from (Path(here, name) for name in files if name.endswith(SUFFIX))


def _written(file: Path, result: _Result) -> _Result:
    """Put a text in its place as a whole, with the rights that the file had; a link stays one."""
    from compiler.sources.atomic import write_text

    real = Path(os.path.realpath(file))
    try:
        write_text(real, result.after, mode=real.stat().st_mode & 0o7777)
    except OSError as error:
        return _unusable(file, f"cannot be written: {(error.strerror or 'it fails').lower()}")
    return result


def _unusable(file: Path, why: str) -> _Result:
    name = file.as_posix()
    return _Result(name, "", "", (Diagnostic(code="E0215", message=f"`{name}` {why}.", span=None),))


# -- texts


def _formatted(file: Path, fix: bool) -> _Result:
    if not file.is_file():  # opening a pipe would wait for somebody to write into it
        return _unusable(file, "is no file")
    try:
        text = file.read_bytes().decode()
    except UnicodeDecodeError:
        return _unusable(file, "is no text in UTF-8")
    except OSError as error:
        return _unusable(file, f"cannot be read: {(error.strerror or 'it fails').lower()}")
    return _result(file.as_posix(), text, _mended(file, text) if fix else text)


def _result(name: str, before: str, mended: str) -> _Result:
    sink = Sink()
    after = format_text(Source(name, mended), sink)
    return _Result(name, before, after, tuple(sink) if sink.has_errors else ())


def _mended(file: Path, text: str) -> str:
    """The text with all fixes, those as well that need the project that the file belongs to."""
    from compiler.loader.manifest import find_root

    root = find_root(file)
    if root is None:
        return fix_text(Source(file.as_posix(), text))
    path = Path(os.path.abspath(file)).relative_to(root).as_posix()

    def diagnose(source: Source) -> Iterable[Diagnostic]:
        said = list(syntax(source))
        if any(each.severity == "error" or each.fixes for each in said):
            return said
        from compiler import driver

        sink = Sink()
        driver.check(file, sink, {path: source.text})
        return sink

    return fix_text(Source(path, text), diagnose)


# -- what is told


def _difference(result: _Result) -> str:
    """A unified diff, as `patch -p0` takes it."""
    from difflib import unified_diff

    lines = unified_diff(_lines(result.before), _lines(result.after), result.name, result.name)
    text = "".join(lines)
    if not sys.stdout.isatty():
        return text
    from dsl.glyphs import printable

    return printable(text, lines=True)


def _lines(text: str) -> list[str]:
    *whole, rest = text.split("\n")
    return [line + "\n" for line in whole] + ([f"{rest}\n\\ No newline at end of file\n"] if rest else [])


def _summary(changed: int, unchanged: int, failed: int, writes: bool) -> str:
    parts = []
    if changed:
        parts.append(f"{_count(changed)} {'formatted' if writes else 'would change'}")
    if unchanged:
        parts.append(f"{_count(unchanged)} in order")
    if failed:
        parts.append(f"{_count(failed)} with mistakes")
    return ", ".join(parts) + "."


def _count(files: int) -> str:
    return "1 file" if files == 1 else f"{files} files"
