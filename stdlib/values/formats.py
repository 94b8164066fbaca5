"""What the texts of the format types must look like."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from .time import TimeError, read_date, read_duration, read_timestamp

# RFC 3986: a scheme, then only the characters that a URI is made of (RFC 3987 letters beyond ASCII pass, too).
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=\u00a0-\U0010ffff-]|%[0-9A-Fa-f]{2})+")
# RFC 5321 without quoted local parts and address literals.
_EMAIL = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u00a0-\U0010ffff-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u00a0-\U0010ffff-]+)*"
    r"@[A-Za-z0-9\u00a0-\U0010ffff](?:[A-Za-z0-9.\u00a0-\U0010ffff-]*[A-Za-z0-9\u00a0-\U0010ffff])?"
)
_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
# RFC 4648 section 4, padded, on one line.
_BYTES = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")


def valid_format(name: str, text: str) -> bool:
    """True where `text` is a text of the format type `name` (`timestamp date duration url email uuid bytes`).

    timestamp: RFC 3339 with offset · date: `YYYY-MM-DD` · duration: ISO 8601 without years and months, signed or not ·
    url: absolute (RFC 3986) · email: RFC 5321, at most 320 characters · uuid: RFC 9562 · bytes: base64 (RFC 4648).
    Every text is valid for any other name.
    """
    check = _CHECKS.get(name)
    return check is None or check(text)


def _reads(reader: Callable[[str], object]) -> Callable[[str], bool]:
    def check(text: str) -> bool:
        try:
            reader(text)
        except TimeError:
            return False
        return True

    return check


def _email(text: str) -> bool:
    return len(text) <= 320 and ".." not in text and _EMAIL.fullmatch(text) is not None


_CHECKS: Final[dict[str, Callable[[str], bool]]] = {
    "timestamp": _reads(read_timestamp),
    "date": _reads(read_date),
    "duration": _reads(read_duration),
    "url": lambda text: _URL.fullmatch(text) is not None,
    "email": _email,
    "uuid": lambda text: _UUID.fullmatch(text) is not None,
    "bytes": lambda text: _BYTES.fullmatch(text) is not None,
}
