"""Functions on times. A timestamp's day, hour and so on are those of its own offset."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, Final, TypeVar

from ..values.time import (
    DAY,
    NANOS,
    TimeError,
    Timestamp,
    civil,
    parse_duration,
    read_date,
    read_duration,
    read_timestamp,
    write_timestamp,
)
from .entry import Family, FunctionFault, bounded_text

TIMES = Family("Times")
_X = TypeVar("_X")
_OFFSET = re.compile(r"Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9]")
_PATTERN = re.compile(r"YYYY|MMM|MM|DDD|DD|hh|mm|ss")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def _read(reader: Callable[[str], _X], text: str) -> _X:
    try:
        return reader(text)
    except TimeError as error:
        raise FunctionFault(str(error), "shape_mismatch") from None


def _write(instant: Timestamp) -> str:
    try:
        return write_timestamp(instant)
    except TimeError as error:
        raise FunctionFault(str(error)) from None


def _whole(duration: str, unit: int) -> int:
    nanos = _read(read_duration, duration)
    return nanos // unit if nanos >= 0 else -(-nanos // unit)


@TIMES.function(
    "days(duration) -> integer",
    "The whole days (of 24 hours) in a duration, cut towards 0.",
    ("days(36h)", 1),
    ("days(30d)", 30),
)
def days(duration: str) -> int:
    return _whole(duration, DAY)


@TIMES.function(
    "hours(duration) -> integer",
    "The whole hours in a duration, cut towards 0.",
    ("hours(90m)", 1),
)
def hours(duration: str) -> int:
    return _whole(duration, 3600 * NANOS)


@TIMES.function(
    "minutes(duration) -> integer",
    "The whole minutes in a duration, cut towards 0.",
    ("minutes(2h)", 120),
)
def minutes(duration: str) -> int:
    return _whole(duration, 60 * NANOS)


@TIMES.function(
    "seconds(duration) -> integer",
    "The whole seconds in a duration, cut towards 0.",
    ("seconds(1500ms)", 1),
)
def seconds(duration: str) -> int:
    return _whole(duration, NANOS)


@TIMES.function(
    "milliseconds(duration) -> integer",
    "The whole milliseconds in a duration, cut towards 0.",
    ("milliseconds(2s)", 2000),
)
def milliseconds(duration: str) -> int:
    return _whole(duration, NANOS // 1000)


@TIMES.function(
    "to_timestamp(string) -> timestamp?",
    "The text as a timestamp, null where it is none (RFC 3339 with offset).",
    ('to_timestamp("2026-06-01T08:00:00Z")', "2026-06-01T08:00:00Z"),
    ('to_timestamp("2026-06-01 08:00")', None),
)
def to_timestamp(text: str) -> str | None:
    return _valid(read_timestamp, text)


@TIMES.function(
    "to_date(string) -> date?",
    "The text as a date, null where it is none (YYYY-MM-DD).",
    ('to_date("2026-06-01")', "2026-06-01"),
    ('to_date("2026-02-30")', None),
)
def to_date(text: str) -> str | None:
    return _valid(read_date, text)


def _valid(reader: Callable[[str], object], text: str) -> str | None:
    try:
        reader(text)
    except TimeError:
        return None
    return text


@TIMES.function(
    "to_duration(string) -> duration?",
    "The text as a duration, null where it is none; written as in the language or in ISO 8601.",
    ('to_duration("90m")', "PT1H30M"),
    ('to_duration("P1D")', "P1D"),
    ('to_duration("soon")', None),
)
def to_duration(text: str) -> str | None:
    try:
        return parse_duration(text)
    except TimeError:
        return None


@TIMES.function(
    "date_of(timestamp) -> date",
    "The day on which the timestamp lies, in its own offset.",
    ('date_of("2026-06-01T01:00:00+02:00")', "2026-06-01"),
)
def date_of(timestamp: str) -> str:
    _read(read_timestamp, timestamp)
    return timestamp[:10]


@TIMES.function(
    "start_of_day(timestamp) -> timestamp",
    "Midnight of the timestamp's day, in its own offset.",
    ('start_of_day("2026-06-01T13:30:00+02:00")', "2026-06-01T00:00:00+02:00"),
)
def start_of_day(timestamp: str) -> str:
    instant = _read(read_timestamp, timestamp)
    shift = instant.offset * 60 * NANOS
    return _write(Timestamp((instant.nanos + shift) // DAY * DAY - shift, instant.offset))


@TIMES.function(
    "at_offset(timestamp, string) -> timestamp",
    "The same instant written in another offset; fails where the text is no offset.",
    ('at_offset("2026-06-01T08:00:00Z", "+02:00")', "2026-06-01T10:00:00+02:00"),
    ('at_offset("2026-06-01T10:00:00+02:00", "Z")', "2026-06-01T08:00:00Z"),
)
def at_offset(timestamp: str, offset: str) -> str:
    if not _OFFSET.fullmatch(offset):
        raise FunctionFault(f"`{offset[:40]}` is no offset: write +02:00, or Z.")
    wanted = read_timestamp(f"2000-01-01T00:00:00{offset}").offset
    return _write(Timestamp(_read(read_timestamp, timestamp).nanos, wanted))


@TIMES.function(
    "at_time(date, string) -> timestamp",
    "The timestamp of a time on that day; the time is written with its offset, and anything else fails.",
    ('at_time("2026-06-01", "09:00:00+02:00")', "2026-06-01T09:00:00+02:00"),
)
def at_time(date: str, time: str) -> str:
    return _write(_read(read_timestamp, f"{date}T{time}"))


@TIMES.function(
    "to_unix(timestamp) -> integer",
    "The whole seconds from 1970-01-01T00:00:00Z to the timestamp, rounded down.",
    ('to_unix("1970-01-02T00:00:00Z")', 86400),
)
def to_unix(timestamp: str) -> int:
    return _read(read_timestamp, timestamp).nanos // NANOS


@TIMES.function(
    "from_unix(number) -> timestamp",
    "The timestamp so many seconds after 1970-01-01T00:00:00Z.",
    ("from_unix(86400)", "1970-01-02T00:00:00Z"),
    ("from_unix(0.5)", "1970-01-01T00:00:00.5Z"),
)
def from_unix(number: int | float) -> str:
    # A double cannot tell nanoseconds apart today: microseconds are what it holds.
    whole = math.floor(number)
    return _write(Timestamp(whole * NANOS + round((number - whole) * 1_000_000) * 1000))


@TIMES.function(
    "year(date | timestamp) -> integer",
    "The year of a day.",
    ('year("2026-06-01")', 2026),
)
def year(day: str) -> int:
    return civil(_day(day)).year


@TIMES.function(
    "month(date | timestamp) -> integer",
    "The month of a day, 1 to 12.",
    ('month("2026-06-01T00:00:00Z")', 6),
)
def month(day: str) -> int:
    return civil(_day(day)).month


@TIMES.function(
    "day(date | timestamp) -> integer",
    "The day of the month, 1 to 31.",
    ('day("2026-06-01")', 1),
)
def day_(day: str) -> int:
    return civil(_day(day)).day


@TIMES.function(
    "weekday(date | timestamp) -> integer",
    "The day of the week: 1 is Monday, 7 is Sunday.",
    ('weekday("2026-06-01")', 1),
)
def weekday(day: str) -> int:
    return civil(_day(day)).isoweekday()


@TIMES.function(
    "hour(timestamp) -> integer",
    "The hour that the clock shows there, 0 to 23.",
    ('hour("2026-06-01T23:05:00+02:00")', 23),
)
def hour(instant: str) -> int:
    return _second(_read(read_timestamp, instant)) // 3600


@TIMES.function(
    "minute(timestamp) -> integer",
    "The minute that the clock shows there, 0 to 59.",
    ('minute("2026-06-01T08:05:00+05:30")', 5),
)
def minute(instant: str) -> int:
    return _second(_read(read_timestamp, instant)) // 60 % 60


def _second(instant: Timestamp) -> int:
    """Seconds since midnight in the timestamp's own offset."""
    return (instant.nanos + instant.offset * 60 * NANOS) // NANOS % 86_400


def _day(text: str) -> int:
    """Days since 1970-01-01 of a date or of a timestamp in its own offset."""
    if len(text) == 10:
        return _read(read_date, text)
    instant = _read(read_timestamp, text)
    return (instant.nanos + instant.offset * 60 * NANOS) // DAY


@TIMES.function(
    "format_date(date | timestamp, string) -> string",
    "The day in a pattern of YYYY, MM, MMM (Jan), DD, DDD (Mon), hh, mm, ss; all else stays as it is.",
    ('format_date("2026-06-01", "DDD DD MMM YYYY")', "Mon 01 Jun 2026"),
    ('format_date("2026-06-01T08:05:09+02:00", "DD.MM.YYYY hh:mm")', "01.06.2026 08:05"),
)
def format_date(day: str, pattern: str) -> str:
    date = civil(_day(day))
    instant = read_timestamp(day) if len(day) > 10 else Timestamp(0)
    second = _second(instant)
    parts: dict[str, Any] = {
        "YYYY": f"{date.year:04d}",
        "MMM": _MONTHS[date.month - 1],
        "MM": f"{date.month:02d}",
        "DDD": _DAYS[date.weekday()],
        "DD": f"{date.day:02d}",
        "hh": f"{second // 3600:02d}",
        "mm": f"{second // 60 % 60:02d}",
        "ss": f"{second % 60:02d}",
    }
    return bounded_text(_PATTERN.sub(lambda found: parts[found[0]], pattern))
