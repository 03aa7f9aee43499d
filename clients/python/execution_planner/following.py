"""Following a log, with no byte lost and none twice; no I/O."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .addresses import path_of
from .errors import PlannerError
from .events import EventReader
from .patience import Patience
from .phases import FINAL
from .requests import REPEATED, Lost, Open, Pause, Plan, Read, Request, Response, Say, Shut, whole
from .service import Service
from .waiting import current_patiently

SILENCE = 40.0
"""The service says something every 15 s: after this time the connection is lost."""


class Lines:
    """Makes lines of pieces of text. A carriage return stays, but for one before the line's end."""

    def __init__(self) -> None:
        # Pieces, since a log without line ends would be copied with each of them.
        self._rest: list[str] = []

    def feed(self, text: str) -> Iterator[str]:
        """Takes the next piece.

        Yields:
            The lines that it completes.
        """
        first, *others = text.split("\n")
        self._rest.append(first)
        for line in others:
            yield "".join(self._rest).removesuffix("\r")
            self._rest = [line]

    def end(self) -> Iterator[str]:
        """The last line, where the text does not end with a line's end."""
        rest, self._rest = "".join(self._rest), []
        if rest:
            yield rest


def following(service: Service, job: str, name: str) -> Plan[dict[str, Any]]:
    """Follows a log until the job has ended; says its pieces.

    Args:
        service: The planner.
        job: The identifier of the job.
        name: The log, such as `stdout` or `machine-0.stderr`.

    Returns:
        The job's document at the end.
    """
    log = _Log(service, job, name)
    while not (yield from log.take()):
        pass
    return (yield from current_patiently(service, job))


class _Log:
    """Where the reading of one log is."""

    def __init__(self, service: Service, job: str, name: str) -> None:
        self._service = service
        self._job = job
        self._name = name
        self._at = "0"
        self._patience = Patience(service.clock, service.habits.random)
        self._lost: Lost | None = None

    def take(self) -> Plan[bool]:
        """Reads from where the last reading ended. True at the end of the log."""
        before = self._at
        try:
            head: Response = yield Open(self._request())
            self._service.noticed(head)
            if head.status == 200:
                over: bool = yield from self._read(head)
            else:
                over = yield from self._refused((yield from whole(head)))
        except Lost as lost:
            yield Shut()
            self._note(before)
            yield from self._rest_after(lost, None)
            return False
        yield Shut()
        if over:
            return True
        self._note(before)
        yield Pause(self._patience.pause())
        return False

    def _note(self, before: str) -> None:
        """Where text came, the next reading begins soon."""
        if self._at != before:
            self._patience.moved()

    def _request(self) -> Request:
        place = {} if self._at == "0" else {"Last-Event-ID": self._at}
        return Request(
            "GET",
            path_of("jobs", self._job, "results", self._name),
            [("EVENTS", "json")],
            {"Accept": "text/event-stream", "Accept-Encoding": "identity", **place},
            timeout=SILENCE,
        )

    def _read(self, head: Response) -> Plan[bool]:
        if not head.headers.get("content-type", "").startswith("text/event-stream"):
            raise PlannerError(f"{self._name} of job {self._job} is no log", code="no-log")
        reader = EventReader()
        while True:
            data: bytes = yield Read()
            if not data:
                return False
            self._patience.heard()
            for event in reader.feed(data):
                # The place moves with the text: what is said now is not asked for again.
                self._at = event.id or self._at
                if event.name == "end":
                    return True
                text = _text(event.data)
                if text:
                    yield Say(text)

    def _refused(self, response: Response) -> Plan[bool]:
        if response.status == 204:
            self._patience.heard()
            return (yield from self._has_ended())
        if response.status in REPEATED:
            yield from self._rest_after(Lost(f"HTTP {response.status}"), response)
            return False
        problem = self._service.refusal(response)
        if response.status != 404 or problem.code == "job-unknown":
            raise problem
        # There is none yet, or there never will be.
        self._patience.heard()
        if not (yield from self._has_ended()):
            return False
        if self._name in ("stdout", "stderr") and not (yield from self._other_logs()):
            return True
        raise problem

    def _rest_after(self, lost: Lost, response: Response | None) -> Plan[None]:
        delay = self._patience.after_loss(response)
        if delay is None:
            raise self._service.unreachable(lost) from lost
        yield Pause(delay)

    def _has_ended(self) -> Plan[bool]:
        return (yield from current_patiently(self._service, self._job))["phase"] in FINAL

    def _other_logs(self) -> Plan[bool]:
        document = yield from current_patiently(self._service, self._job)
        results = document.get("results", ())
        return any(result["id"].endswith(f".{self._name}") for result in results)


def _text(data: str) -> str:
    try:
        text = json.loads(data)
    except ValueError:
        text = None
    if isinstance(text, str):
        return text
    raise PlannerError("The log's events are none of a planner", code="not-a-planner")
