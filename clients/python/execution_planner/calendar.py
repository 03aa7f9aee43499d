"""The calendar: what is free where, as lines and as an answer to "where is there room?"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta, tzinfo
from typing import Any

from . import rooms
from .amounts import gibibytes, number_words, size, size_words
from .rooms import Room as Room
from .rooms import Step
from .tables import Bars, Table
from .times import (
    duration_text,
    duration_words,
    instant_words,
    read_duration,
    read_instant,
)

BARS = "▁▂▃▄▅▆▇█"
CLOSED = "×"
WIDTH = 48


class Destination:
    """A destination of the calendar.

    Attributes:
        document: As the service sent it.
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.document["destination"])

    @property
    def capacity(self) -> Mapping[str, Any]:
        """What it has: `cores`, `memory` and `scratch` in GiB, `gpus`."""
        capacity: Mapping[str, Any] = self.document["capacity"]
        return capacity

    @property
    def steps(self) -> list[Step]:
        """What is free from when to when, without gaps."""
        return [
            Step(read_instant(step["start"]), read_instant(step["end"]), step["free"])
            for step in self.document["steps"]
        ]

    @property
    def closures(self) -> list[tuple[datetime, datetime, str]]:
        """Times in which all of it is away, with the reason."""
        return [
            (read_instant(closure["start"]), read_instant(closure["end"]), str(closure["reason"]))
            for closure in self.document.get("maintenance") or ()
            if closure.get("takes") == "all"
        ]

    def line(self, columns: int = WIDTH, of: str = "cores") -> str:
        """How much is free, a column for each part of the time.

        Args:
            columns: How many columns.
            of: `cores`, `memory` or `scratch`.

        Returns:
            Bars, from nothing (▁) to everything (█); × where the destination is away. A column has
            the least that is free in its part, so what it shows can be had all the time.
        """
        most = float(self.capacity.get(of) or 0)
        least = rooms.least(self.steps, columns, lambda free: float(free.get(of) or 0))
        away = rooms.covered(self.steps, columns, [(a, b) for a, b, _ in self.closures])
        return "".join(
            CLOSED if is_away else _bar(free, most)
            for free, is_away in zip(least, away, strict=True)
        )


class Calendar(Sequence[Destination]):
    """What is free at each destination.

    Attributes:
        document: As the service sent it.
    """

    def __init__(self, document: Mapping[str, Any], *, zone: tzinfo | None = None) -> None:
        """Reads a calendar.

        Args:
            document: The document, with or without `calendar:` around it.
            zone: Whose time to show; that of this computer when left out.
        """
        self.document: Mapping[str, Any] = document.get("calendar", document)
        self._zone = zone
        self._destinations = [Destination(one) for one in self.document["destinations"]]

    @property
    def start(self) -> datetime:
        """Where it begins."""
        return read_instant(self.document["from"])

    @property
    def end(self) -> datetime:
        """Where it ends."""
        return read_instant(self.document["to"])

    @property
    def destinations(self) -> list[Destination]:
        """Its destinations."""
        return list(self._destinations)

    def __getitem__(self, key: Any) -> Any:
        """A destination by its number or its name."""
        if isinstance(key, str):
            for destination in self._destinations:
                if destination.name == key:
                    return destination
            names = ", ".join(destination.name for destination in self._destinations)
            raise KeyError(f"{key}: the calendar has {names or 'no destination'}")
        return self._destinations[key]

    def __len__(self) -> int:
        return len(self._destinations)

    def __iter__(self) -> Iterator[Destination]:
        return iter(self._destinations)

    def room(
        self,
        *,
        cores: float = 0,
        memory: object = 0,
        gpus: int = 0,
        gpu_type: str | None = None,
        duration: object = None,
    ) -> list[Room]:
        """Times in which there is room for a task, the earliest first.

        The calendar holds nothing, and neither rules nor quotas are asked: `planner.check(...)`
        says whether you get it.

        Args:
            cores: How many.
            memory: GiB, a text such as "512MiB", or a `Quantity`.
            gpus: How many of one kind.
            gpu_type: Which kind, if it matters.
            duration: For how long: a `timedelta`, a `Quantity`, or an ISO 8601 text.

        Raises:
            ValueError: An amount or a duration cannot be read.
            TypeError: It is of another kind.
        """
        wanted = gibibytes(size(memory, "memory")) or 0
        length = timedelta(0) if duration is None else read_duration(duration_text(duration))
        if length is None:
            raise ValueError(f"duration: {duration!r} cannot be read. Write it as 'PT2H'.")

        def fits(free: Mapping[str, Any]) -> bool:
            kinds = [kind for kind in free.get("gpus") or ()
                     if gpu_type is None or kind.get("type") == gpu_type]  # fmt: skip
            most = max((int(kind["count"]) for kind in kinds), default=0)
            return free["cores"] >= cores and free["memory"] >= wanted and most >= gpus

        found = [
            Room(destination.name, start, end)
            for destination in self
            for start, end in rooms.spans(destination.steps, fits)
            if end > start and end - start >= length
        ]
        return sorted(found, key=lambda room: (room.start, room.destination))

    def table(self, columns: int = WIDTH, zone: tzinfo | None = None) -> Table:
        """A line of free cores for each destination.

        Args:
            columns: The length of the lines.
            zone: Whose time to show.
        """
        zone = zone or self._zone
        first, last = (instant_words(end, zone) for end in (self.start, self.end))
        each = duration_words((self.end - self.start) / columns)
        notes = [f"Free cores from {first} to {last}, {each} a column."]
        notes += self._closures(zone)
        rows = [
            (
                destination.name,
                Bars(destination.line(columns)),
                number_words(destination.capacity["cores"]),
                size_words(destination.capacity["memory"]),
            )
            for destination in self
        ]
        headers = ("destination", "free cores", "of", "memory")
        return Table(headers, tuple(rows), notes=tuple(notes), empty="no destinations",
                     numbers=frozenset(("of", "memory")))  # fmt: skip

    def _closures(self, zone: tzinfo | None) -> list[str]:
        return [
            f"{CLOSED} {destination.name} is away from {instant_words(start, zone)} "
            f"to {instant_words(end, zone)}: {reason}"
            for destination in self
            for start, end, reason in destination.closures
        ]

    def __repr__(self) -> str:
        return self.table().text()

    def _repr_html_(self) -> str:
        return self.table().html()


def rooms_table(found: Sequence[Room], *, zone: tzinfo | None = None) -> Table:
    """Times with room, one a line."""
    rows = tuple(
        (room.destination, instant_words(room.start, zone), instant_words(room.end, zone),
         duration_words(room.length))
        for room in found
    )  # fmt: skip
    return Table(("destination", "from", "to", "for"), rows, empty="no room")


def _bar(free: float, most: float) -> str:
    if most <= 0 or free <= 0:
        return BARS[0]
    full = len(BARS) - 1
    # Something is more than nothing, and only everything is everything.
    return BARS[full if free >= most else min(full - 1, max(1, int(free / most * full)))]
