"""Timestamps, dates and durations: the texts on the wire, exact integers inside.

Timestamps are RFC 3339 texts with an offset, years 0001 to 9999; dates are `YYYY-MM-DD`. An instant is a number of
nanoseconds since 1970-01-01T00:00:00Z; finer digits are cut. A leap second (`:60`, where UTC has one: at 23:59:60)
is read as the first instant of the following minute, as in POSIX time.

Durations are ISO 8601 texts of weeks, days, hours, minutes and seconds (never years or months: they have no fixed
length); a day is 24 hours. Inside they are nanoseconds. A sign in front is read and written, because the difference
of two timestamps may be negative. The language itself writes one number and one unit: `4h`, `30s`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Final

NANOS: Final = 1_000_000_000
DAY: Final = 86_400 * NANOS
LONGEST: Final = 3_652_059 * DAY
"""The longest duration: from the first day that a timestamp can name to the last."""

_EPOCH = date(1970, 1, 1).toordinal()
_TIMESTAMP = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_PART = r"(?:([0-9]{1,18})(?:\.([0-9]{1,18}))?%s)?"
_DURATION = re.compile(
    r"(-)?P(?=.)" + _PART % "W" + _PART % "D" + r"(?:T(?=.)" + "".join(_PART % unit for unit in "HMS") + ")?"
)
_SPOKEN = re.compile(r"([0-9]{1,18})(ms|s|m|h|d)")
_UNITS: Final = {"ms": NANOS // 1000, "s": NANOS, "m": 60 * NANOS, "h": 3600 * NANOS, "d": DAY}
_ISO_UNITS: Final = (7 * DAY, DAY, 3600 * NANOS, 60 * NANOS, NANOS)


class TimeError(ValueError):
    """The text is no such time, or the result lies outside what can be written. The message is a sentence."""


@dataclass(frozen=True, slots=True)
class Timestamp:
    """An instant (nanoseconds since the epoch) and the offset in minutes in which it is written."""

    nanos: int
    offset: int = 0


def read_timestamp(text: str) -> Timestamp:
    """Reads RFC 3339 with offset; raises TimeError."""
    found = _TIMESTAMP.fullmatch(text)
    if not found:
        raise TimeError(f"`{_cut(text)}` is no timestamp: write 2026-06-01T08:00:00Z, with an offset.")
    hour, minute, second = (int(found[i]) for i in (4, 5, 6))
    offset_hour, offset_minute = int(found[9] or 0), int(found[10] or 0)
    offset = (offset_hour * 60 + offset_minute) * (-1 if found[8] == "-" else 1)
    days = _ordinal(found[1], found[2], found[3], text)
    whole = (days * 24 + hour) * 3600 + minute * 60 + second - offset * 60
    leap = second == 60 and whole % 86_400 == 0
    if hour > 23 or minute > 59 or (second > 59 and not leap) or offset_hour > 23 or offset_minute > 59:
        raise TimeError(f"`{_cut(text)}` is no timestamp: there is no such time of day.")
    fraction = 0 if leap else int((found[7] or "")[:9].ljust(9, "0"))
    return Timestamp(whole * NANOS + fraction, offset)


def write_timestamp(instant: Timestamp) -> str:
    """RFC 3339 in the instant's own offset, `Z` for zero, as many digits of a second as are needed."""
    days, rest = divmod(instant.nanos + instant.offset * 60 * NANOS, DAY)
    seconds, fraction = divmod(rest, NANOS)
    digits = f".{fraction:09d}".rstrip("0") if fraction else ""
    clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{digits}"
    return f"{write_date(days)}T{clock}{write_offset(instant.offset)}"


def write_offset(minutes: int) -> str:
    """`Z`, `+02:00`."""
    if not minutes:
        return "Z"
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"


def read_date(text: str) -> int:
    """Days since 1970-01-01; raises TimeError."""
    found = _DATE.fullmatch(text)
    if not found:
        raise TimeError(f"`{_cut(text)}` is no date: write 2026-06-01.")
    return _ordinal(found[1], found[2], found[3], text)


def write_date(days: int) -> str:
    """`YYYY-MM-DD`; raises TimeError outside the years 0001 to 9999."""
    return civil(days).isoformat()


def civil(days: int) -> date:
    """The calendar day; raises TimeError outside the years 0001 to 9999."""
    try:
        return date.fromordinal(days + _EPOCH)
    except (ValueError, OverflowError):
        raise TimeError("The date lies outside the years 0001 to 9999.") from None


def _ordinal(year: str, month: str, day: str, text: str) -> int:
    try:
        return date(int(year), int(month), int(day)).toordinal() - _EPOCH
    except ValueError:
        raise TimeError(f"`{_cut(text)}` names a day that does not exist.") from None


def read_duration(text: str) -> int:
    """ISO 8601 to nanoseconds. Only the last part may have a fraction. Raises TimeError."""
    found = _DURATION.fullmatch(text)
    if not found:
        raise TimeError(f"`{_cut(text)}` is no duration: write PT4H, P30D or PT0.5S (no years, no months).")
    total = 0
    fraction_seen = False
    for unit, whole, fraction in zip(_ISO_UNITS, found.groups()[1::2], found.groups()[2::2], strict=True):
        if whole is None:
            continue
        if fraction_seen:
            raise TimeError(f"`{_cut(text)}` is no duration: only its last part may have a fraction.")
        total += int(whole) * unit
        if fraction is not None:
            fraction_seen = True
            total += int(fraction) * unit // 10 ** len(fraction)
    return bounded(-total if found[1] else total)


def write_duration(nanos: int) -> str:
    """The one canonical spelling: `P1DT2H3M4.5S`, `PT4H`, `PT0S`, `-PT30S`; raises TimeError when too long."""
    days, rest = divmod(abs(bounded(nanos)), DAY)
    seconds, fraction = divmod(rest, NANOS)
    digits = f".{fraction:09d}".rstrip("0") if fraction else ""
    hours, minutes, seconds = seconds // 3600, seconds // 60 % 60, seconds % 60
    clock = f"{hours}H" if hours else ""
    clock += f"{minutes}M" if minutes else ""
    clock += f"{seconds}{digits}S" if seconds or digits else ""
    text = (f"{days}D" if days else "") + (f"T{clock}" if clock else "")
    return ("-P" if nanos < 0 else "P") + (text or "T0S")


def bounded(nanos: int) -> int:
    """The duration itself; raises TimeError where it is longer than `LONGEST`."""
    if abs(nanos) > LONGEST:
        raise TimeError("The duration is longer than 10000 years.")
    return nanos


def duration_text(milliseconds: int) -> str:
    """Milliseconds, as the language counts them, to the text on the wire."""
    return write_duration(milliseconds * (NANOS // 1000))


def parse_duration(text: str) -> str:
    """What a person types on the command line (`4h`, `500ms`, or ISO 8601) to the canonical text on the wire."""
    spoken = _SPOKEN.fullmatch(text)
    if spoken:
        return write_duration(int(spoken[1]) * _UNITS[spoken[2]])
    try:
        return write_duration(read_duration(text))
    except TimeError:
        raise TimeError(f"`{_cut(text)}` is no duration: write 500ms, 30s, 15m, 4h or 7d.") from None


def _cut(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
