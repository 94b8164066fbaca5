"""Functions on texts. Positions and lengths count code points."""

from __future__ import annotations

import re

from .entry import ITEMS_LIMIT, TEXT_LIMIT, Family, FunctionFault, bounded_text, too_long, too_many

TEXT = Family("Text")
_LINE_END = re.compile(r"\r\n|\n|\r")


@TEXT.function(
    "upper(string) -> string",
    "The text in upper case, by the rules of Unicode for no language in particular.",
    ('upper("emea")', "EMEA"),
    ('upper("straße")', "STRASSE"),
)
def upper(text: str) -> str:
    return bounded_text(text.upper())


@TEXT.function(
    "lower(string) -> string",
    "The text in lower case.",
    ('lower("HIGH")', "high"),
)
def lower(text: str) -> str:
    return bounded_text(text.lower())


@TEXT.function(
    "capitalize(string) -> string",
    "The text with its first character in upper case; the rest stays.",
    ('capitalize("open incident")', "Open incident"),
    ('capitalize("")', ""),
)
def capitalize(text: str) -> str:
    return bounded_text(text[:1].upper() + text[1:])


@TEXT.function(
    "trim(string) -> string",
    "The text without white space at both ends.",
    ('trim("  a b \\n")', "a b"),
)
def trim(text: str) -> str:
    return text.strip()


@TEXT.function(
    "starts_with(string, string) -> boolean",
    "Whether the text begins with another one.",
    ('starts_with("al-2291", "al-")', True),
    ('starts_with("al-2291", "AL")', False),
)
def starts_with(text: str, start: str) -> bool:
    return text.startswith(start)


@TEXT.function(
    "ends_with(string, string) -> boolean",
    "Whether the text ends with another one.",
    ('ends_with("report.pdf", ".pdf")', True),
)
def ends_with(text: str, end: str) -> bool:
    return text.endswith(end)


@TEXT.function(
    "replace(string, string, with: string) -> string",
    "The text with every occurrence of another text replaced; an empty text occurs nowhere.",
    ('replace("a-b-c", "-", with: "_")', "a_b_c"),
    ('replace("abc", "", with: "x")', "abc"),
)
def replace(text: str, part: str, new: str) -> str:
    if not part:
        return text
    if len(text) + text.count(part) * (len(new) - len(part)) > TEXT_LIMIT:
        raise too_long()
    return text.replace(part, new)


@TEXT.function(
    "split(string, string) -> list<string>",
    "The parts of the text between the occurrences of a separator; an empty separator gives single characters.",
    ('split("a, b, c", ", ")', ["a", "b", "c"]),
    ('split("", ",")', [""]),
    ('split("né", "")', ["n", "é"]),
)
def split(text: str, separator: str) -> list[str]:
    if (text.count(separator) if separator else len(text)) >= ITEMS_LIMIT:
        raise too_many()
    return text.split(separator) if separator else list(text)


@TEXT.function(
    "join(list<string>, string) -> string",
    "All texts of the list as one, with a separator between them.",
    ('join(["a", "b"], ", ")', "a, b"),
    ('join([], ", ")', ""),
)
def join(items: list[str], separator: str) -> str:
    if sum(map(len, items)) + len(separator) * len(items) > TEXT_LIMIT:
        raise too_long()
    return separator.join(items)


@TEXT.function(
    "lines(string) -> list<string>",
    "The lines of the text without their ends; a line end at the very end begins no further line.",
    ('lines("a\\nb\\r\\n\\nc\\n")', ["a", "b", "", "c"]),
    ('lines("")', []),
)
def lines(text: str) -> list[str]:
    if text.count("\n") + text.count("\r") >= ITEMS_LIMIT:
        raise too_many()
    parts = _LINE_END.split(text)
    return parts[:-1] if not parts[-1] else parts


@TEXT.function(
    "words(string) -> list<string>",
    "The parts of the text between white space.",
    ('words(" two  words ")', ["two", "words"]),
)
def words(text: str) -> list[str]:
    if len(text) >= 2 * ITEMS_LIMIT:
        raise too_many()
    return text.split()


@TEXT.function(
    "substring(string, from: integer = 0, to: integer?) -> string",
    "The part of the text from one position up to, not including, another; negative positions count from the end.",
    ('substring("2026-06-01", from: 5, to: 7)', "06"),
    ('substring("report.pdf", from: -3)', "pdf"),
    ('substring("abc", from: 7)', ""),
)
def substring(text: str, start: int, end: int | None) -> str:
    return text[start:end]


@TEXT.function(
    'shorten(string, integer, end: string = "…") -> string',
    "The text where it has at most so many characters, else its beginning and an end mark, together so many.",
    ('shorten("A long title", 7)', "A long…"),
    ('shorten("Short", 7)', "Short"),
)
def shorten(text: str, length: int, end: str) -> str:
    if len(text) <= max(length, 0):
        return text
    return (text[: max(length - len(end), 0)] + end)[: max(length, 0)]


@TEXT.function(
    'pad_start(string, integer, with: string = " ") -> string',
    "The text filled up at its start to so many characters; `with` is one character.",
    ('pad_start("7", 3, with: "0")', "007"),
    ('pad_start("1234", 3)', "1234"),
)
def pad_start(text: str, length: int, fill: str) -> str:
    return _filling(text, length, fill) + text


@TEXT.function(
    'pad_end(string, integer, with: string = " ") -> string',
    "The text filled up at its end to so many characters; `with` is one character.",
    ('pad_end("ab", 4, with: ".")', "ab.."),
)
def pad_end(text: str, length: int, fill: str) -> str:
    return text + _filling(text, length, fill)


def _filling(text: str, length: int, fill: str) -> str:
    if len(fill) != 1:
        raise FunctionFault("The text to pad with must be one character.")
    if length > TEXT_LIMIT:
        raise too_long()
    return fill * (length - len(text))


@TEXT.function(
    "repeat(string, integer) -> string",
    "The text so many times; not at all where the number is negative.",
    ('repeat("-", 5)', "-----"),
    ('repeat("ab", 0)', ""),
)
def repeat(text: str, times: int) -> str:
    if len(text) * times > TEXT_LIMIT:
        raise too_long()
    return text * times if text else ""
