"""What is to be printed, before anyone knows where lines end: text, and the places where a line may break.

A document is made from the leaves up, and each one knows then

- `width`: its length on one line, `TOO_WIDE` where something in it needs a line of its own,
- `head`: the length up to the first place where the line may end, and whether there is one (`may_end`),
- `lead`: whether comments stand before its first word,
- `hugs`: whether it is one bracket, which may open while the text before and behind it stays on its lines.

Lengths count code points.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

TOO_WIDE: Final = 1 << 30


class Remark(NamedTuple):
    """A comment or a `///` line: on a line of its own or behind a word, below a blank line or not."""

    text: str
    own_line: bool
    blank: bool


@dataclass(frozen=True, slots=True)
class Gap:
    """What stood before a word: remarks, then perhaps a blank line."""

    remarks: tuple[Remark, ...]
    blank: bool


@dataclass(frozen=True, slots=True)
class Cat:
    """One after the other."""

    parts: tuple[Document, ...]
    width: int
    head: int
    may_end: bool
    lead: bool
    hugs: bool


@dataclass(frozen=True, slots=True)
class Bracket:
    """All on one line, `pad` within the signs; or open: every item on its own line, a comma behind each."""

    opening: str
    items: tuple[Document, ...]
    closing: str
    pad: str
    comma: bool
    gap: Gap | None
    """Before the closing sign."""
    width: int

    @property
    def head(self) -> int:
        return len(self.opening)


@dataclass(frozen=True, slots=True)
class Chain:
    """All on one line, or every part but the first on a line of its own, indented."""

    first: Document
    rest: tuple[Document, ...]
    level: str
    """Chains of one level on each other's left are one chain."""
    width: int
    head: int
    lead: bool


@dataclass(frozen=True, slots=True)
class Flat:
    """What stands in the middle of a text: no line breaks in it but those of comments and of other texts."""

    inner: Document


@dataclass(frozen=True, slots=True)
class Block:
    r"""A `\"""` text: the line of its opening quotes, then its other lines, the last one with the closing quotes.

    The lines carry no common indentation; an empty one stays empty.
    """

    first: Document
    lines: tuple[Document, ...]


@dataclass(frozen=True, slots=True)
class Lines:
    """The top level: every item on its own line."""

    items: tuple[Document, ...]


Document = str | Gap | Cat | Bracket | Chain | Flat | Block | Lines


def width_of(document: Document) -> int:
    if isinstance(document, str):
        return len(document)
    if isinstance(document, Cat | Bracket | Chain):
        return document.width
    return 0 if isinstance(document, Gap) else TOO_WIDE


def head_of(document: Document) -> tuple[int, bool]:
    """The length up to the first place where the line may end, and whether there is one."""
    if isinstance(document, str):
        return len(document), False
    if isinstance(document, Cat):
        return document.head, document.may_end
    if isinstance(document, Bracket | Chain):
        return document.head, True
    if isinstance(document, Gap):
        return 0, bool(document.remarks)
    if isinstance(document, Block):
        return head_of(document.first)[0], True
    return 0, True


def leads(document: Document) -> bool:
    """Whether comments stand before the first word."""
    if isinstance(document, Cat | Chain):
        return document.lead
    return isinstance(document, Gap) and bool(document.remarks)


def is_blank(document: Document) -> bool:
    """Whether this is a blank line, which means nothing in the middle of a line."""
    return isinstance(document, Gap) and not document.remarks


def bare(document: Document) -> Document:
    """A document without the blank line before it."""
    if isinstance(document, Cat) and is_blank(document.parts[0]):
        return cat(document.parts[1:])
    return document


def hugs(document: Document) -> bool:
    return isinstance(document, Bracket | Block) or (isinstance(document, Cat) and document.hugs)


def begins_with(document: Document, sign: str) -> bool:
    """Whether a document begins with this text, comments aside."""
    while not isinstance(document, str):
        if isinstance(document, Cat):
            parts = document.parts
            document = parts[1] if isinstance(parts[0], Gap) else parts[0]
        elif isinstance(document, Chain | Block):
            document = document.first
        elif isinstance(document, Flat):
            document = document.inner
        else:
            return isinstance(document, Bracket) and document.opening == sign
    return document.startswith(sign)


def tail_of(document: Document) -> int:
    """The length of what stands behind the line breaks of an open bracket, its closing sign included."""
    length = 0
    while isinstance(document, Cat):
        for part in reversed(document.parts):
            if not isinstance(part, str):
                document = part
                break
            length += len(part)
    return length + (len(document.closing) if isinstance(document, Bracket) else 3)


def cat(parts: Iterable[Document]) -> Document:
    """One after the other. Text stays text, so that most lines are one piece long before they are printed."""
    merged: list[Document] = []
    for part in parts:
        for piece in part.parts if isinstance(part, Cat) else (part,):
            if isinstance(piece, str) and merged and isinstance(merged[-1], str):
                merged[-1] += piece
            elif piece != "" and not (merged and is_blank(piece)):
                merged.append(piece)
    if not merged:
        return ""
    if len(merged) == 1:
        return merged[0]
    width = head = 0
    may_end = False
    for place, piece in enumerate(merged):
        width += TOO_WIDE if place and leads(piece) else width_of(piece)
        if not may_end:
            length, may_end = head_of(piece)
            head += length
    others = [piece for piece in merged if not isinstance(piece, str) and not is_blank(piece)]
    hugging = len(others) == 1 and hugs(others[0])
    return Cat(tuple(merged), min(width, TOO_WIDE), head, may_end, leads(merged[0]), hugging)


def bracket(
    opening: str,
    items: Sequence[Document],
    closing: str,
    *,
    pad: str = "",
    comma: bool = True,
    gap: Gap | None = None,
    opened: bool = False,
) -> Document:
    """A bracket; `opened` where its author began a new line in it."""
    remarks = gap is not None and bool(gap.remarks)
    if not items and not remarks:
        return opening + closing
    if opened or remarks or any(leads(item) for item in items):
        width = TOO_WIDE
    elif len(items) == 1 and not pad and hugs(items[0]):
        return cat((opening, items[0], closing))
    else:
        between = 2 if comma else 1
        width = sum(width_of(item) for item in items) + between * (len(items) - 1)
        width = min(width + len(opening) + len(closing) + 2 * len(pad), TOO_WIDE)
    return Bracket(opening, tuple(items), closing, pad, comma, gap, width)


def chain(first: Document, rest: Sequence[Document], level: str) -> Document:
    """Parts that belong together, one space between them while they fit on the line."""
    if not rest:
        return first
    width = width_of(first) + sum(TOO_WIDE if leads(part) else 1 + width_of(part) for part in rest)
    return Chain(first, tuple(rest), level, min(width, TOO_WIDE), head_of(first)[0], leads(first))


def flat(document: Document) -> Document:
    """A document on one line: text if nothing in it needs a line break."""
    pieces: list[str] = []
    waiting: list[Document] = [document]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            pieces.append(part)
        elif isinstance(part, Cat):
            waiting += reversed(part.parts)
        elif isinstance(part, Bracket | Chain):
            waiting += reversed(one_line(part))
        elif not isinstance(part, Gap) or part.remarks:
            return Flat(document)
    return "".join(pieces)


def one_line(document: Bracket | Chain) -> list[Document]:
    """The parts of a bracket or a chain that is not opened."""
    if isinstance(document, Chain):
        parts = [document.first]
        for part in document.rest:
            parts += (" ", part)
        return parts
    parts = [document.opening + document.pad if document.items else document.opening]
    for place, item in enumerate(document.items):
        if place:
            parts.append(", " if document.comma else " ")
        parts.append(item)
    if document.gap is not None:
        parts.append(document.gap)
    parts.append(document.pad + document.closing if document.items else document.closing)
    return parts
