"""Changes of offers and jobs, as they come; no I/O."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from .errors import PlannerError
from .events import Event, EventReader
from .following import SILENCE
from .patience import Patience
from .requests import REPEATED, Lost, Open, Pause, Plan, Read, Request, Response, Say, Shut, whole
from .service import Service


class Change(NamedTuple):
    """Something has changed.

    Attributes:
        kind: `start` (read all lists anew), `offer`, `job` or `book` (the calendar).
        document: What the service says of it, for example `id`, `state` and `phase` of a job.
    """

    kind: str
    document: Mapping[str, Any]

    @property
    def id(self) -> str | None:
        """The identifier of the offer or the job."""
        found = self.document.get("id")
        return None if found is None else str(found)


def changing(service: Service) -> Plan[None]:
    """Says changes for ever; comes again where the stream ends, after what it has."""
    place: str | None = None
    patience = Patience(service.clock, service.habits.random)
    while True:
        reader = EventReader()
        headers = {"Accept": "text/event-stream", "Accept-Encoding": "identity"}
        if place is not None:
            headers["Last-Event-ID"] = place
        response: Response | None = None
        lost: Lost | None = None
        try:
            head: Response = yield Open(Request("GET", "/events", headers=headers, timeout=SILENCE))
            service.noticed(head)
            if head.status == 200:
                _demand_events(head)
                while data := (yield Read()):
                    patience.heard()
                    for event in reader.feed(data):
                        place = event.id or place
                        patience.moved()
                        yield Say(_change(event))
            else:
                response = yield from whole(head)
        except Lost as error:
            lost = error
        yield Shut()
        yield Pause(_pause(service, patience, reader, response, lost))


def _demand_events(head: Response) -> None:
    kind = head.headers.get("content-type", "of no type")
    if not kind.startswith("text/event-stream"):
        # A page to log in at would be read again for ever.
        raise PlannerError(
            f"The answer ({kind}) has no changes of a planner: is the url right?",
            code="not-a-planner",
            status=head.status,
        )


def _change(event: Event) -> Change:
    try:
        document = json.loads(event.data or "{}")
    except ValueError:
        document = None
    if isinstance(document, dict):
        return Change(event.name, document)
    raise PlannerError("The changes are none of a planner", code="not-a-planner")


def _pause(
    service: Service,
    patience: Patience,
    reader: EventReader,
    response: Response | None,
    lost: Lost | None,
) -> float:
    if response is not None and response.status not in REPEATED:
        raise service.refusal(response)
    if response is None and lost is None:
        # Where too many listen, the service says how long to stay away.
        return patience.pause() if reader.retry is None else reader.retry
    delay = patience.after_loss(response)
    if delay is None:
        raise service.unreachable(lost or Lost("the service is busy"))
    return delay
