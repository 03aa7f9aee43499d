"""Steps of free amounts: parts of them, and spans in which something fits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any


@dataclass(frozen=True)
class Step:
    """What is free from a start, included, to an end, excluded."""

    start: datetime
    end: datetime
    free: Mapping[str, Any]


@dataclass(frozen=True)
class Room:
    """A time with room at a destination.

    Attributes:
        destination: Where.
        start: The first moment.
        end: The last moment; a run must end by then.
    """

    destination: str
    start: datetime
    end: datetime

    @property
    def length(self) -> timedelta:
        """From start to end."""
        return self.end - self.start


Span = tuple[datetime, datetime]


def spans(steps: Sequence[Step], fits: Callable[[Mapping[str, Any]], bool]) -> list[Span]:
    """The longest spans of neighbouring steps in which it fits."""
    found: list[Span] = []
    for step in steps:
        if not fits(step.free):
            continue
        if found and found[-1][1] == step.start:
            found[-1] = (found[-1][0], step.end)
        else:
            found.append((step.start, step.end))
    return found


def least(
    steps: Sequence[Step], columns: int, amount: Callable[[Mapping[str, Any]], float]
) -> list[float]:
    """The least amount in each of so many equal parts of the time of the steps."""
    smallest = [float("inf")] * columns
    for step in steps:
        for column in _columns_of(steps, columns, (step.start, step.end)):
            smallest[column] = min(smallest[column], amount(step.free))
    return [0.0 if part == float("inf") else part for part in smallest]


def covered(steps: Sequence[Step], columns: int, times: Sequence[Span]) -> list[bool]:
    """Whether one of the times is in each of so many equal parts of the time of the steps."""
    found = [False] * columns
    for span in times:
        for column in _columns_of(steps, columns, span):
            found[column] = True
    return found


def _columns_of(steps: Sequence[Step], columns: int, span: Span) -> range:
    """The parts that share some time with the span."""
    first, last = steps[0].start, steps[-1].end
    start, end = max(span[0], first), min(span[1], last)
    if start >= end:
        return range(0)
    length = (last - first) / columns
    begin = int((start - first) / length)
    past = (end - first) / length
    until = int(past) if past == int(past) else int(past) + 1
    return range(min(begin, columns - 1), min(until, columns))
