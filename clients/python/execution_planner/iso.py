"""Times and durations as ISO 8601 writes them."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

_INSTANT = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)"
)
_DURATION = re.compile(
    r"P?(?:(?P<weeks>[\d.]+)W)?(?:(?P<days>[\d.]+)D)?"
    r"(?:T?(?:(?P<hours>[\d.]+)H)?(?:(?P<minutes>[\d.]+)M)?(?:(?P<seconds>[\d.]+)S)?)?",
    re.IGNORECASE,
)


def iso_duration(value: timedelta) -> str:
    """ISO 8601 of a duration: `P1DT2H`, `PT90S` is `PT1M30S`. Parts of a second are rounded up."""
    total = value.days * 86400 + value.seconds + (1 if value.microseconds else 0)
    days, rest = divmod(total, 86400)
    hours, rest = divmod(rest, 3600)
    minutes, seconds = divmod(rest, 60)
    date = f"{days}D" if days else ""
    parts = ((hours, "H"), (minutes, "M"), (seconds, "S"))
    time = "".join(f"{number}{unit}" for number, unit in parts if number)
    if date == "" and time == "":
        return "PT0S"
    return f"P{date}{'T' if time else ''}{time}"


def read_instant(text: str) -> datetime:
    """Reads a time of the service.

    Raises:
        ValueError: The text is no time with a zone.
    """
    found = _INSTANT.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text!r} is no time such as 2026-08-10T10:00:00Z.")
    year, month, day, hour, minute, second, part, zone = found.groups()
    microseconds = int((part or "0").ljust(6, "0")[:6])
    return datetime(
        int(year),
        int(month),
        int(day),
        int(hour),
        int(minute),
        int(second or 0),
        microseconds,
        tzinfo=_zone(zone),
    )


def read_duration(text: str) -> timedelta | None:
    """Reads an ISO 8601 duration; None for what this client cannot read."""
    found = _DURATION.fullmatch(text.strip())
    if found is None or not any(found.groupdict().values()):
        return None
    if found["minutes"] and "T" not in text.upper() and not found["hours"]:
        # P1M is a month, which has no fixed length.
        return None
    try:
        parts = {unit: float(part) for unit, part in found.groupdict().items() if part}
        return timedelta(**parts)
    except (ValueError, OverflowError):
        return None


def _zone(text: str) -> timezone:
    if text == "Z":
        return timezone.utc
    sign = -1 if text[0] == "-" else 1
    digits = text[1:].replace(":", "")
    return timezone(sign * timedelta(hours=int(digits[:2]), minutes=int(digits[2:])))
