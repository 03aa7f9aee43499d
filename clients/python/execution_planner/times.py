"""Times and durations: from what people give to what the service reads, and back."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone, tzinfo
from typing import Any

from .iso import iso_duration as iso_duration
from .iso import read_duration as read_duration
from .iso import read_instant as read_instant

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def start_text(value: object, argument: str = "start") -> str:
    """The begin of a run as the service reads it.

    Args:
        value: A `datetime` with a zone, an astropy `Time`, an ISO 8601 text, or a pair: the
            earliest and the latest begin, or the earliest begin and a `timedelta`.
        argument: The name of the argument, for errors.

    Returns:
        An instant, or an interval `from/to`.

    Raises:
        ValueError: A `datetime` has no zone, or an interval ends before it begins.
        TypeError: It is no time.
    """
    if isinstance(value, (tuple, list)):
        if len(value) != 2:
            raise ValueError(
                f"{argument}: {value!r} has {len(value)} parts. "
                "Give the earliest and the latest begin: (from, to)."
            )
        first, last = value
        if isinstance(first, datetime) and isinstance(last, datetime):
            _check_zone(first, argument)
            _check_zone(last, argument)
            if last < first:
                raise ValueError(f"{argument}: {last} is before {first}. Give (earliest, latest).")
        if isinstance(last, timedelta) or _is_quantity(last):
            return f"{instant_text(first, argument)}/{duration_text(last, argument)}"
        return f"{instant_text(first, argument)}/{instant_text(last, argument)}"
    return instant_text(value, argument)


def instant_text(value: object, argument: str) -> str:
    """An instant in UTC, as `2026-08-10T10:00:00Z`; texts stay as they are.

    Raises:
        ValueError: A `datetime` has no zone, or a text is empty.
        TypeError: It is no time.
    """
    if isinstance(value, str):
        if value.strip() == "":
            raise ValueError(f"{argument}: the text is empty. Write a time as 2026-08-10T10:00Z.")
        return value.strip()
    if not isinstance(value, datetime):
        value = _from_astropy(value, argument)
    _check_zone(value, argument)
    utc = value.astimezone(timezone.utc)
    exactness = "milliseconds" if utc.microsecond else "seconds"
    return utc.replace(tzinfo=None).isoformat(timespec=exactness) + "Z"


def duration_text(value: object, argument: str = "duration") -> str:
    """A duration as ISO 8601, such as `PT1H30M`; texts stay as they are.

    Args:
        value: A `timedelta`, an astropy `Quantity` of time, or an ISO 8601 text.
        argument: The name of the argument, for errors.

    Raises:
        ValueError: It is not longer than nothing.
        TypeError: It is no duration; a bare number does not say its unit.
    """
    if isinstance(value, str):
        if value.strip() == "":
            raise ValueError(f"{argument}: the text is empty. Write a duration as PT2H.")
        return value.strip()
    if _is_quantity(value):
        value = timedelta(seconds=_seconds(value, argument))
    if not isinstance(value, timedelta):
        raise TypeError(
            f"{argument}: {value!r} is no duration. "
            "Give timedelta(hours=2), 2 * u.h, or an ISO 8601 text such as 'PT2H'."
        )
    if value <= timedelta(0):
        raise ValueError(f"{argument}: {value} must be longer than nothing.")
    return iso_duration(value)


def duration_bounds(value: object, argument: str = "duration") -> str | dict[str, str]:
    """A duration, or the `min` and `max` of a pair; None leaves an end open.

    Raises:
        ValueError: The pair is not two durations, the shorter one first.
        TypeError: It is no duration.
    """
    if not isinstance(value, (tuple, list)):
        return duration_text(value, argument)
    if len(value) != 2 or all(end is None for end in value):
        raise ValueError(f"{argument}: {value!r} is no pair. Give (shortest, longest).")
    texts = [None if end is None else duration_text(end, argument) for end in value]
    least, most = (None if text is None else read_duration(text) for text in texts)
    if least is not None and most is not None and most < least:
        raise ValueError(f"{argument}: {texts[1]} is shorter than {texts[0]}. Shortest first.")
    return {key: text for key, text in zip(("min", "max"), texts, strict=True) if text is not None}


def duration_words(value: timedelta | str) -> str:
    """A duration as people write it: `10 min`, `1 h 30 min`, `2 d`."""
    if isinstance(value, str):
        read = read_duration(value)
        if read is None:
            return value
        value = read
    total = round(value.total_seconds())
    if total < 60:
        return f"{total} s"
    parts: list[str] = []
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        number, total = divmod(total, size)
        if number:
            parts.append(f"{number} {unit}")
    return " ".join(parts)


def countdown(seconds: float) -> str:
    """Seconds that are left, as a clock shows them: `4:56`, `1:02:03`."""
    total = max(0, int(seconds))
    hours, rest = divmod(total, 3600)
    minutes, rest = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def instant_words(
    value: datetime | str,
    zone: tzinfo | None = None,
    *,
    year: int | None = None,
    seconds: bool = False,
) -> str:
    """A time with its day and its zone: `Sun 22 Nov 17:50 UTC`.

    Args:
        value: An instant, or its text; other texts stay as they are.
        zone: Whose time to show; that of this computer when left out.
        year: The year that goes without saying; this year when left out.
        seconds: Show seconds.
    """
    if isinstance(value, str):
        try:
            value = read_instant(value)
        except ValueError:
            return str(value)
    there = value.astimezone(zone)
    usual = datetime.now(there.tzinfo).year if year is None else year
    of_year = "" if there.year == usual else f" {there.year}"
    clock = f"{there:%H:%M:%S}" if seconds else f"{there:%H:%M}"
    day = f"{DAYS[there.weekday()]} {there.day} {MONTHS[there.month - 1]}{of_year}"
    return f"{day} {clock} {zone_name(there)}"


def zone_name(value: datetime) -> str:
    """The name of the zone of an instant; one without letters is an offset, as `UTC+03`."""
    name = value.tzname() or "UTC"
    return f"UTC{name}" if name[:1] in "+-" else name


def _check_zone(value: datetime, argument: str) -> None:
    if value.utcoffset() is None:
        raise ValueError(
            f"{argument}: {value} has no time zone. Add tzinfo=timezone.utc or a "
            "ZoneInfo('Europe/Berlin'), or write .astimezone() for the zone of this computer."
        )


def _from_astropy(value: Any, argument: str) -> datetime:
    if hasattr(value, "to_datetime"):
        converted = value.to_datetime(timezone=timezone.utc)
        if isinstance(converted, datetime):
            return converted
    raise TypeError(
        f"{argument}: {value!r} is no time. Give a datetime with a zone, "
        "a text such as '2026-08-10T10:00Z', or a pair (earliest, latest)."
    )


def _is_quantity(value: object) -> bool:
    return hasattr(value, "to_value")


def _seconds(value: Any, argument: str) -> float:
    try:
        return float(value.to_value("s"))
    except Exception as error:
        raise ValueError(f"{argument}: {value!r} is no duration: {error}") from error
