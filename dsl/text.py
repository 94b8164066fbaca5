"""What stands between quotes: escapes resolved, the indentation of blocks taken off, foreign templates reported."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from dsl.diagnostics import Diagnostic
from dsl.foreign import invisible, template_in_text
from dsl.source import Source, Span

Report = Callable[[Diagnostic], None]

_ESCAPE: Final = re.compile(r"\\(?:u\{([0-9A-Fa-f]{1,6})\}|(.)|\Z)", re.S)
_SUSPECT: Final = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069\ud800-\udfff]|\r(?!\n)|\$?\{\{\s*[A-Za-z_$][^{}\n]*\}\}|\\"
)
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
_PLAIN: Final = {'"': '"', "\\": "\\", "n": "\n", "t": "\t", "r": "\r", "$": "$", "{": "{"}
_LINE_START: Final = re.compile(r"\n([ \t]*+)(?=([^\n])?)")


def cook(source: Source, raw: str, start: int, report: Report) -> str:
    """The meaning of one piece of text whose raw form starts at an offset."""
    if _SUSPECT.search(raw) is None:
        return raw.replace("\r\n", "\n") if "\r" in raw else raw
    _examine(source, raw, start, report)
    return _resolve(_SURROGATE.sub("\ufffd", raw.replace("\r\n", "\n")))


def cook_block(source: Source, pieces: Sequence[tuple[str, int] | None], report: Report) -> list[str]:
    """The pieces of a `\"\"\"` block, None where an expression stands between them.

    The first line break goes, the indentation common to all lines that are not blank goes, and so
    does the indentation before the closing quotes.
    """
    for piece in pieces:
        if piece is not None and _SUSPECT.search(piece[0]):
            _examine(source, piece[0], piece[1], report)
    # An expression is one sign that no text holds, so that lines can be seen whole.
    joined = "".join("\x00" if piece is None else piece[0].replace("\x00", "") for piece in pieces)
    joined = _SURROGATE.sub("\ufffd", joined.replace("\r\n", "\n"))
    beside, below = block_lines(joined)
    lines = below if below and not beside else [beside, *below]
    return [_resolve(part) for part in "\n".join(lines).split("\x00")]


def block_lines(text: str) -> tuple[str, list[str]]:
    """What stands beside the opening quotes of a block, and its other lines without their common indentation.

    Lines that are blank are empty then, the first one too if there are others.
    """
    beside, *below = text.split("\n")
    if not below:
        return beside, below
    common = _common_start([m[1] for m in _LINE_START.finditer(text) if m[2] is not None])
    below = [line[len(common) :] if line.strip(" \t") else "" for line in below]
    return beside if beside.strip(" \t") else "", below


def _common_start(indents: list[str]) -> str:
    if not indents:
        return ""
    least, greatest = min(indents), max(indents)
    same = next((i for i, (a, b) in enumerate(zip(least, greatest, strict=False)) if a != b), len(least))
    return least[:same]


def _resolve(raw: str) -> str:
    return _ESCAPE.sub(_meaning, raw) if "\\" in raw else raw


def _meaning(found: re.Match[str]) -> str:
    if found[1]:
        return chr(value) if _is_scalar(value := int(found[1], 16)) else "\ufffd"
    return _PLAIN.get(found[2] or "", found[2] or "")


def _is_scalar(value: int) -> bool:
    return value <= 0x10FFFF and not 0xD800 <= value <= 0xDFFF


def _examine(source: Source, raw: str, start: int, report: Report) -> None:
    """Report every escape, sign and template that has no place in a text."""
    at = 0
    while found := _SUSPECT.search(raw, at):
        at = found.end()
        sign = found[0]
        if sign == "\\":
            escape = _ESCAPE.match(raw, found.start())
            assert escape is not None  # a backslash always matches
            at = escape.end()
            _examine_escape(escape, Span(source, start + escape.start(), start + at), report)
            continue
        span = Span(source, start + found.start(), start + at)
        if len(sign) > 1:
            report(template_in_text(span))
        else:
            report(invisible(span, "text"))


def _examine_escape(escape: re.Match[str], span: Span, report: Report) -> None:
    if escape[1]:
        if not _is_scalar(int(escape[1], 16)):
            report(Diagnostic(code="E0009", message=f"There is no sign with the number {escape[1]}.", span=span))
    elif escape[2] is None or escape[2] not in _PLAIN:
        report(
            Diagnostic(
                code="E0009",
                message=f"`\\{escape[2] or ''}` stands for nothing in a text.",
                span=span,
                helps=(
                    "There are " + r"`\"`, `\\`, `\n`, `\t`, `\r`, `\$`, `\{` and `\u{1f600}`. For `\` write `\\`.",
                ),
            )
        )
