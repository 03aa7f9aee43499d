"""What a job says, for the sync and the async class."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from .addresses import path_of
from .phases import FINAL
from .service import Service


class JobView:
    """A job, as its document says, or its line in a list of jobs.

    Attributes:
        document: The last document of the job that the service sent.
    """

    def __init__(self, service: Service, document: Mapping[str, Any]) -> None:
        self._service = service
        self.document: Mapping[str, Any] = document

    @property
    def id(self) -> str:
        """The identifier, the same as that of its offer."""
        return str(self.document.get("jobId") or self.document["id"])

    @property
    def url(self) -> str:
        """Where the job is, for other clients of UWS 1.1."""
        return self._service.url + path_of("jobs", self.id)

    @property
    def phase(self) -> str:
        """The phase of UWS: PENDING, QUEUED, EXECUTING, COMPLETED, ERROR, ABORTED or ARCHIVED."""
        return str(self.document["phase"])

    @property
    def ended(self) -> bool:
        """Whether the job is over."""
        return self.phase in FINAL

    @property
    def state(self) -> str | None:
        """The state of the session, which tells more than the phase: PREPARING, RELEASING, …"""
        return self._told("state", "state")

    @property
    def queue_position(self) -> int | None:
        """The place in the queue of the destination."""
        found = self._session().get("queuePosition")
        return None if found is None else int(found)

    @property
    def destination(self) -> str | None:
        """Where it runs."""
        return self._told("destination", "destination")

    @property
    def name(self) -> str | None:
        """What the client calls it."""
        found = self.document.get("runId") or self.document.get("name")
        return None if found is None else str(found)

    @property
    def created(self) -> datetime | None:
        """When it was made."""
        return _instant(self.document.get("creationTime"))

    @property
    def start(self) -> datetime | None:
        """When it began; before that, None."""
        return _instant(self.document.get("startTime"))

    @property
    def offered_start(self) -> datetime | None:
        """When it should begin, by its offer."""
        return _instant(self._told("offeredStart", "offeredStart"))

    @property
    def end(self) -> datetime | None:
        """When it ended; before that, None."""
        return _instant(self.document.get("endTime"))

    @property
    def error(self) -> str | None:
        """Why it failed or was stopped."""
        summary = self.document.get("errorSummary")
        return None if not summary else str(summary["message"])

    def _session(self) -> Mapping[str, Any]:
        session: Mapping[str, Any] = (self.document.get("jobInfo") or {}).get("session") or {}
        return session

    def _told(self, in_list: str, in_session: str) -> str | None:
        found = self.document.get(in_list) or self._session().get(in_session)
        return None if found is None else str(found)

    def _is_line(self) -> bool:
        """A line of a list has no results."""
        return "jobId" not in self.document

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        where = f" at {self.destination}" if self.destination else ""
        why = f": {self.error}" if self.error else ""
        return f"<{type(self).__name__} {self.id}{name} {self.phase}{where}{why}>"

    def _repr_html_(self) -> str:
        from html import escape

        results = "".join(
            f'<li><a href="{escape(self.url)}/results/{escape(str(result["id"]))}">'
            f"{escape(str(result['id']))}</a> {escape(str(result.get('mimeType', '')))}</li>"
            for result in self.document.get("results", ())
        )
        title = escape(self.name or self.id)
        error = f"<pre>{escape(self.error)}</pre>" if self.error else ""
        return (
            f'<div><a href="{escape(self.url)}">{title}</a> <b>{escape(self.phase)}</b> '
            f"{escape(self.destination or '')}{error}<ul>{results}</ul></div>"
        )


def _instant(text: Any) -> datetime | None:
    from .times import read_instant

    return None if text is None else read_instant(str(text))
