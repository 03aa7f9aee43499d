"""Waiting for the end of a job; no I/O."""

from __future__ import annotations

import math
from typing import Any

from .addresses import path_of
from .errors import WaitTimeout
from .patience import Patience
from .phases import FINAL
from .requests import REPEATED, Lost, Pause, Plan, Request, Response, Send
from .service import Service

LONGEST_WAIT = 60.0
"""What the service waits at most."""
MARGIN = 15.0
"""Seconds of silence after the end of a WAIT that mean a lost connection."""


def waiting(service: Service, job: str, phase: str, timeout: float | None) -> Plan[dict[str, Any]]:
    """Waits until a job has ended.

    Args:
        service: The planner.
        job: The identifier of the job.
        phase: Its last known phase.
        timeout: Seconds for all of it, or None.

    Returns:
        The job's document.

    Raises:
        WaitTimeout: The job goes on after that time.
        PlannerError: The service refused, or was silent for too long.
    """
    clock = service.clock
    until = None if timeout is None else clock() + timeout
    patience = Patience(clock, service.habits.random)
    document: dict[str, Any] | None = None
    while True:
        left = None if until is None else until - clock()
        # The last look comes at the end of the time, also where none was given.
        wait = LONGEST_WAIT if left is None else min(LONGEST_WAIT, math.floor(max(0.0, left)))
        if left is not None and 0 < left < 1:
            yield Pause(left)
        began, held = clock(), document is not None
        latest = yield from _look(service, job, phase if held else None, int(wait), left, patience)
        if latest is not None:
            document = latest
            if document["phase"] in FINAL:
                return document
        if until is not None and clock() >= until:
            raise WaitTimeout(
                f"Job {job} goes on after {timeout:g} s; its phase is "
                f"{document['phase'] if document else phase}",
                code="wait-timeout",
            )
        if latest is None:
            continue
        if latest["phase"] != phase:
            phase = latest["phase"]
            patience.moved()
        elif held and clock() - began < wait - 1:
            # It may ignore WAIT, or have too many who wait: it is not asked in a tight loop.
            pause = patience.pause()
            yield Pause(pause if until is None else max(0.0, min(pause, until - clock())))


def current(service: Service, job: str) -> Plan[dict[str, Any]]:
    """The document of a job as it is now."""
    response = yield from service.asking(Request("GET", path_of("jobs", job), repeat=True))
    return _document(response)


def current_patiently(service: Service, job: str) -> Plan[dict[str, Any]]:
    """The document of a job as it is now, also when the service is just started anew."""
    patience = Patience(service.clock, service.habits.random)
    while True:
        document = yield from _look(service, job, None, 0, None, patience)
        if document is not None:
            return document


def _look(
    service: Service,
    job: str,
    phase: str | None,
    wait: int,
    left: float | None,
    patience: Patience,
) -> Plan[dict[str, Any] | None]:
    """One look at a job. None where no answer came and another look is worth it."""
    # The first look does not wait: the last known phase may be an old one.
    query = [("WAIT", str(wait)), ("PHASE", phase)] if phase is not None and wait >= 1 else []
    seconds = (wait if query else service.timeout) + MARGIN
    if left is not None:
        seconds = min(seconds, max(left, 0.0) + 1.0)
    request = Request("GET", path_of("jobs", job), query, timeout=seconds)
    response: Response | None = None
    try:
        response = yield Send(request)
    except Lost as lost:
        delay = patience.after_loss()
        if delay is None:
            raise service.unreachable(lost) from lost
    else:
        assert response is not None
        service.noticed(response)
        if response.status == 200:
            patience.heard()
            return _document(response)
        delay = patience.after_loss(response) if response.status in REPEATED else None
        if delay is None:
            raise service.refusal(response)
    yield Pause(delay if left is None else max(0.0, min(delay, left)))
    return None


def _document(response: Response) -> dict[str, Any]:
    return response.document("jobId", "phase")
