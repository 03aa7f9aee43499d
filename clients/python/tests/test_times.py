"""Times and durations, from people to the service and back."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from execution_planner.times import (
    countdown,
    duration_bounds,
    duration_text,
    duration_words,
    instant_words,
    iso_duration,
    read_duration,
    read_instant,
    start_text,
)  # fmt: skip

NOON = datetime(2026, 8, 10, 12, tzinfo=timezone.utc)
CEST = timezone(timedelta(hours=2), "CEST")


def test_a_start_is_sent_in_utc() -> None:
    assert start_text(NOON) == "2026-08-10T12:00:00Z"
    assert start_text(NOON.astimezone(CEST)) == "2026-08-10T12:00:00Z"
    assert start_text(NOON.replace(microsecond=1500)) == "2026-08-10T12:00:00.001Z"
    assert start_text(" 2026-08-10T10:00Z/T12:00Z ") == "2026-08-10T10:00Z/T12:00Z"


def test_a_pair_is_an_interval() -> None:
    assert (
        start_text((NOON, NOON + timedelta(hours=1))) == "2026-08-10T12:00:00Z/2026-08-10T13:00:00Z"
    )
    assert start_text((NOON, timedelta(minutes=90))) == "2026-08-10T12:00:00Z/PT1H30M"
    assert start_text(("2026-08-10T10:00Z", NOON)) == "2026-08-10T10:00Z/2026-08-10T12:00:00Z"


def test_a_time_of_astropy_is_read() -> None:
    class Time:
        def to_datetime(self, timezone: timezone) -> datetime:
            return NOON.astimezone(timezone)

    assert start_text(Time()) == "2026-08-10T12:00:00Z"


def test_what_is_no_start_is_refused() -> None:
    for naive in (datetime(2026, 8, 10), (NOON, datetime(2026, 8, 11))):
        with pytest.raises(ValueError, match="has no time zone. Add tzinfo=timezone.utc"):
            start_text(naive)
    with pytest.raises(ValueError, match="is before"):
        start_text((NOON, NOON - timedelta(hours=1)))
    with pytest.raises(ValueError, match="has 3 parts"):
        start_text((NOON, NOON, NOON))
    with pytest.raises(ValueError, match="the text is empty"):
        start_text(" ")
    with pytest.raises(TypeError, match="start: 5 is no time"):
        start_text(5)


@pytest.mark.parametrize("value, text", [
    (timedelta(seconds=90), "PT1M30S"), (timedelta(days=1, hours=2), "P1DT2H"),
    (timedelta(days=7), "P7D"), (timedelta(milliseconds=1), "PT1S"), (timedelta(hours=1), "PT1H"),
])  # fmt: skip
def test_durations_are_written_and_read(value: timedelta, text: str) -> None:
    assert iso_duration(value) == text
    read = read_duration(text)
    assert read is not None and read - value < timedelta(seconds=1)


def test_durations_of_other_spellings_are_read() -> None:
    assert read_duration("P1H") == timedelta(hours=1)
    assert read_duration("1D") == timedelta(days=1)
    assert read_duration("PT0.5H") == timedelta(minutes=30)
    assert [read_duration(text) for text in ("P1Y", "", "P", "soon", "PT1.2.3S")] == [None] * 5


def test_a_duration_has_bounds() -> None:
    assert duration_bounds((timedelta(hours=1), "PT4H")) == {"min": "PT1H", "max": "PT4H"}
    assert duration_bounds((None, "PT4H")) == {"max": "PT4H"}
    with pytest.raises(ValueError, match="Shortest first"):
        duration_bounds(("PT4H", timedelta(hours=1)))
    with pytest.raises(ValueError, match="is no pair"):
        duration_bounds((None, None))
    with pytest.raises(ValueError, match="must be longer than nothing"):
        duration_text(timedelta(0))


def test_times_of_the_service_are_read_on_every_python() -> None:
    assert read_instant("2026-08-10T12:00Z") == NOON
    assert read_instant("2026-08-10T14:00:00.1+02:00") == NOON + timedelta(milliseconds=100)
    assert read_instant("2026-08-10T12:00:00.123456789Z").microsecond == 123456
    with pytest.raises(ValueError, match="is no time such as"):
        read_instant("2026-08-10T12:00:00")


def test_a_shown_time_names_its_day_and_its_zone() -> None:
    assert instant_words(NOON, timezone.utc, year=2026) == "Mon 10 Aug 12:00 UTC"
    assert instant_words("2026-08-10T12:00:05Z", CEST, year=2026) == "Mon 10 Aug 14:00 CEST"
    assert instant_words(NOON, timezone.utc, year=2025) == "Mon 10 Aug 2026 12:00 UTC"
    plain = timezone(timedelta(hours=3), "+03")
    assert instant_words(NOON, plain, year=2026, seconds=True) == "Mon 10 Aug 15:00:00 UTC+03"
    assert instant_words("tomorrow") == "tomorrow"


def test_durations_in_words() -> None:
    said = {"PT5M": "5 min", "PT90M": "1 h 30 min", "P2D": "2 d", "PT45S": "45 s", "P1M": "P1M",
            "PT60S": "1 min", "PT3601S": "1 h 1 s"}  # fmt: skip
    assert {text: duration_words(text) for text in said} == said


def test_a_countdown_is_a_clock() -> None:
    assert [countdown(s) for s in (296.9, 59, 0, -3, 3723)] == [
        "4:56",
        "0:59",
        "0:00",
        "0:00",
        "1:02:03",
    ]
