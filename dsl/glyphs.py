"""How text looks on a terminal: what each character is shown as and how many columns it takes.

Widths follow Unicode's East Asian Width (UAX 11), combining marks and the emoji sequences of UTS 51. What would act on
the terminal or hide from the reader (control characters, bidirectional and other invisible format characters) is shown
by name, so that a line on the screen is the line in the file.
"""

from __future__ import annotations

from unicodedata import category, combining, east_asian_width

Glyph = tuple[str, int]
"""What to print for one code point, and its width in columns (0 where it joins the one before)."""

TAB = "    "
_JOINER = "\u200d"
_EMOJI_STYLE = "\ufe0f"
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_JAMO_TAIL = range(0x1160, 0x1200)


def glyphs(text: str) -> list[Glyph]:
    """One glyph for each code point of the text."""
    if text.isascii() and text.isprintable():
        return [(char, 1) for char in text]
    out: list[Glyph] = []
    wide = joined = False  # inside an emoji or ideograph; just behind a joiner in one
    for char in text:
        if " " <= char <= "~" and not joined:
            out.append((char, 1))
            wide = False
            continue
        if char == _JOINER and wide:
            out.append((char, 0))
            joined = True
            continue
        shown, width = _glyph(char)
        if (joined and shown == char) or (wide and ord(char) in _SKIN_TONES):
            width = 0
        elif char == _EMOJI_STYLE and out and out[-1][1] not in (0, 2) and not out[-1][0][-1].isalnum():
            out[-1] = (out[-1][0], out[-1][1] + 1)  # also behind a name in brackets: `>` is what it joins then
            wide = True
        out.append((shown, width))
        wide = wide if width == 0 else width == 2
        joined = False
    return out


def printable(text: str, *, lines: bool = False) -> str:
    """The text as it may be printed; with `lines` its line breaks stay."""
    if text.isascii() and text.isprintable():
        return text
    if lines:
        return "\n".join(printable(line) for line in text.replace("\r\n", "\n").split("\n"))
    return "".join(shown for shown, _ in glyphs(text))


def _glyph(char: str) -> Glyph:
    if char == "\t":
        return TAB, len(TAB)
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code), 1
    if code == 0x7F:
        return "\u2421", 1
    kind = category(char)
    if kind in ("Cc", "Cf", "Cs", "Zl", "Zp"):
        name = f"<U+{code:04X}>"
        return name, len(name)
    if kind in ("Mn", "Me") or combining(char) or code in _JAMO_TAIL:
        return char, 0
    return char, 2 if east_asian_width(char) in ("W", "F") else 1
