"""Free amounts as bars, and where there is room."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from execution_planner.calendar import Calendar, Room, rooms_table

UTC = timezone.utc
START = datetime(2026, 8, 10, tzinfo=UTC)


def at(hours: float) -> str:
    return (START + timedelta(hours=hours)).isoformat().replace("+00:00", "Z")


def amounts(cores: float, memory: float = 64, gpus: int = 0) -> dict[str, Any]:
    said: dict[str, Any] = {"cores": cores, "memory": memory, "scratch": 100}
    return {**said, "gpus": [{"type": "a100", "count": gpus}]} if gpus else said


def destination(
    name: str, free: list[tuple[float, dict[str, Any]]], most: float = 8, closures: Any = ()
) -> dict[str, Any]:
    """A destination with steps; each has its end in hours and what is free."""
    starts = [0.0, *(end for end, _ in free)]
    steps = [
        {"start": at(start), "end": at(end), "free": amount, "held": amounts(0), "firm": amounts(0)}
        for start, (end, amount) in zip(starts, free, strict=False)
    ]
    return {"destination": name, "capacity": amounts(most), "steps": steps,
            "maintenance": list(closures)}  # fmt: skip


def calendar(*destinations: dict[str, Any]) -> Calendar:
    document = {"from": at(0), "to": at(24), "destinations": list(destinations)}
    return Calendar({"calendar": document}, zone=UTC)


BUSY = destination("busy", [(6, amounts(8)), (12, amounts(2)), (18, amounts(0)), (24, amounts(8))])
FREE = destination("free", [(3, amounts(0)), (24, amounts(4, memory=8, gpus=2))])


def test_a_line_has_bars_from_nothing_to_everything() -> None:
    assert calendar(BUSY)[0].line(8) == "██▂▂▁▁██"
    assert calendar(BUSY)[0].line(4) == "█▂▁█"


def test_a_column_shows_the_least_of_its_time() -> None:
    assert calendar(BUSY)[0].line(2) == "▂▁"
    assert calendar(BUSY)[0].line(1) == "▁"


def test_something_is_more_than_nothing_and_less_than_everything() -> None:
    almost = destination("a", [(12, amounts(0.01)), (24, amounts(7.99))])
    assert calendar(almost)[0].line(2) == "▂▇"
    assert calendar(destination("none", [(24, amounts(0))], most=0))[0].line(3) == "▁▁▁"


def test_times_in_which_a_destination_is_away_are_crossed_out_and_explained() -> None:
    closure = {"start": at(6), "end": at(12), "reason": "new disks", "takes": "all"}
    part = {"start": at(12), "end": at(24), "reason": "half", "takes": amounts(4)}
    shown = calendar(destination("a", [(24, amounts(8))], closures=[closure, part]))
    assert shown[0].line(4) == "█×██"
    text = repr(shown)
    assert "× a is away from Mon 10 Aug" in text and "new disks" in text and "half" not in text


def test_there_is_room_where_everything_fits_for_long_enough() -> None:
    both = calendar(BUSY, FREE)
    found = both.room(cores=2, memory="4GiB", duration=timedelta(hours=8))
    assert [(room.destination, room.start, room.end) for room in found] == [
        ("busy", START, START + timedelta(hours=12)),
        ("free", START + timedelta(hours=3), START + timedelta(hours=24)),
    ]
    assert found[1].length == timedelta(hours=21)
    assert both.room(cores=9) == []
    assert [room.destination for room in both.room(cores=8, memory=9)] == ["busy"] * 2
    assert [room.destination for room in both.room(gpus=2)] == ["free"]
    assert both.room(gpus=2, gpu_type="h100") == []
    assert both.room(cores=8, duration=timedelta(hours=7)) == []
    assert both.room(cores=8, duration="PT6H") == both.room(cores=8, memory="64GiB")
    with pytest.raises(ValueError, match="memory: 'much' is no size"):
        both.room(memory="much")
    with pytest.raises(ValueError, match="duration: 'P1Y' cannot be read"):
        both.room(duration="P1Y")


def test_neighbouring_steps_with_room_are_one_time() -> None:
    assert len(calendar(BUSY).room(cores=2)) == 2
    assert len(calendar(BUSY).room()) == 1


def test_the_calendar_is_a_table_that_names_its_times_and_zone() -> None:
    both = calendar(BUSY, FREE)
    lines = repr(both).splitlines()
    assert lines[0].split() == ["destination", "free", "cores", "of", "memory"]
    assert lines[1].split() == ["busy", both[0].line(48), "8", "64", "GiB"]
    assert lines[3].startswith("Free cores from Mon 10 Aug") and "UTC, 30 min a column." in lines[3]
    assert both["free"].line(48) in both._repr_html_()
    assert str(both.table(columns=12).rows[0][1]) == both[0].line(12)


def test_destinations_are_found_by_name_and_number() -> None:
    both = calendar(BUSY, FREE)
    assert [one.name for one in both] == ["busy", "free"] and len(both) == 2
    assert both["free"] is both[1] and both.destinations[1] is both[1]
    assert (both.start, both.end) == (START, START + timedelta(hours=24))
    with pytest.raises(KeyError, match="the calendar has busy, free"):
        both["absent"]


def test_rooms_are_a_table() -> None:
    table = rooms_table([Room("a", START, START + timedelta(hours=2))], zone=UTC)
    assert table.rows[0][0] == "a" and table.rows[0][-1] == "2 h"
    assert rooms_table([]).text() == "no room"
