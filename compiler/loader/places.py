"""Where the keys of a TOML text stand. The text is known to be valid; `tomllib` gives values without places."""

from __future__ import annotations

import re

Path = tuple[str | int, ...]
"""Keys and positions in lists, from the top."""

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)+")
_PLAIN = re.compile(r"[^,\]}\n#]+")
_TEXT = re.compile(
    r'"""(?:[^\\"]|\\.|"(?!""))*"{3,5}' + r"|'''(?:[^']|'(?!''))*'{3,5}" + r'|"(?:[^"\\\n]|\\.)*"' + r"|'[^'\n]*'",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "\\": "\\"}


def places(text: str) -> dict[Path, tuple[int, int]]:
    """(start, end) of every key and of every item of a list; of a key that is written more than once the first."""
    return _Scanner(text).run()


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.found: dict[Path, tuple[int, int]] = {}
        self.counts: dict[Path, int] = {}  # arrays of tables → tables seen

    def run(self) -> dict[Path, tuple[int, int]]:
        table: Path = ()
        while self._skip():
            if self.text.startswith("[", self.at):
                table = self._header()
            else:
                self._entry(table)
        return self.found

    def _skip(self) -> bool:
        blank = _BLANK.match(self.text, self.at)
        self.at = blank.end() if blank else self.at
        return self.at < len(self.text)

    def _header(self) -> Path:
        array = self.text.startswith("[[", self.at)
        self.at += 2 if array else 1
        path = self._keys(())
        self.at = self.text.index("]", self.at) + (2 if array else 1)
        if array:
            number = self.counts[path] = self.counts.get(path, -1) + 1
            self.found[(*path, number)] = self.found[path]
            return (*path, number)
        return path

    def _entry(self, table: Path) -> None:
        path = self._keys(table)
        self.at = self.text.index("=", self.at) + 1
        self._value(path)

    def _keys(self, path: Path) -> Path:
        """A dotted key. A table of an array of tables goes on in the last one."""
        while self._skip():
            quoted = _TEXT.match(self.text, self.at)
            found = quoted or _BARE.match(self.text, self.at)
            if found is None:
                return path
            path = (*path, _unquoted(found[0]) if quoted else found[0])
            self.found.setdefault(path, found.span())
            self.at = found.end()
            if path in self.counts and self.text[self.at : self.at + 1] == ".":
                path = (*path, self.counts[path])
            self._skip_inline()
            if not self.text.startswith(".", self.at):
                return path
            self.at += 1
        return path

    def _skip_inline(self) -> None:
        while self.text[self.at : self.at + 1] in (" ", "\t"):
            self.at += 1

    def _value(self, path: Path) -> None:
        self._skip()
        text = _TEXT.match(self.text, self.at)
        if text:
            self.at = text.end()
        elif self.text.startswith("[", self.at):
            self._items(path)
        elif self.text.startswith("{", self.at):
            self.at += 1
            while self._skip() and not self.text.startswith("}", self.at):
                self._entry(path)
                self._comma()
            self.at += 1
        else:
            plain = _PLAIN.match(self.text, self.at)
            self.at = plain.end() if plain else self.at + 1

    def _items(self, path: Path) -> None:
        self.at += 1
        number = 0
        while self._skip() and not self.text.startswith("]", self.at):
            start = self.at
            self._value((*path, number))
            self.found.setdefault((*path, number), (start, self.at))
            self._comma()
            number += 1
        self.at += 1

    def _comma(self) -> None:
        if self._skip() and self.text.startswith(",", self.at):
            self.at += 1


def _unquoted(text: str) -> str:
    if text.startswith("'"):
        return text[1:-1]
    return _ESCAPE.sub(
        lambda m: _ESCAPES.get(m[1]) or (chr(int(m[1][1:], 16)) if m[1][0] in "uU" else m[1]), text[1:-1]
    )
