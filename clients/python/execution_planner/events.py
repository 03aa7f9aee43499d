"""Server-sent events from bytes, however they are cut (HTML Living Standard § 9.2); no I/O."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .errors import PlannerError

LONGEST_LINE = 16 * 2**20
"""A planner's lines are shorter than a mebibyte; a longer one would fill the memory."""

_LINE_END = re.compile(rb"\r\n|\r|\n")


class Event(NamedTuple):
    """One event.

    Attributes:
        name: Its type; `message` where it names none.
        data: Its text.
        id: The id to resume after it, or None where none was sent yet.
    """

    name: str
    data: str
    id: str | None


class EventReader:
    """Makes events of the bytes of one stream. What has not come whole is not an event."""

    def __init__(self) -> None:
        self.retry: float | None = None
        self._bytes = b""
        self._begun = False
        self._after_return = False
        self._name = ""
        self._data: list[str] = []
        self._id: str | None = None

    def feed(self, data: bytes) -> Iterator[Event]:
        """Takes the next bytes.

        Yields:
            The events that they complete.
        """
        for line in self._lines(data):
            if line:
                self._field(line)
            elif self._data:
                yield Event(self._name or "message", "\n".join(self._data), self._id)
                self._name, self._data = "", []
            else:
                self._name = ""

    def _lines(self, data: bytes) -> Iterator[str]:
        if not data:
            return
        # A \r ends a line at once; the \n that may follow in the next bytes belongs to it.
        if self._after_return:
            data = data[1:] if data[:1] == b"\n" else data
            self._after_return = False
        everything = self._bytes + data
        at = 0
        for end in _LINE_END.finditer(everything, max(0, len(self._bytes) - 1)):
            yield self._text(everything[at : end.start()])
            at = end.end()
        self._bytes = everything[at:]
        if len(self._bytes) > LONGEST_LINE:
            raise PlannerError("An event without an end is none of a planner", code="not-a-planner")
        self._after_return = at > 0 and at == len(everything) and everything[-1:] == b"\r"

    def _text(self, line: bytes) -> str:
        text = line.decode("utf-8", "replace")
        if not self._begun:
            self._begun = True
            return text.removeprefix("\ufeff")
        return text

    def _field(self, line: str) -> None:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
        elif field == "event":
            self._name = value
        elif field == "id" and "\0" not in value:
            self._id = value
        elif field == "retry" and value.isascii() and value.isdigit():
            self.retry = int(value) / 1000
