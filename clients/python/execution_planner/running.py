"""What a client does with a job; no I/O."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from .addresses import path_of
from .requests import Lost, Plan, Request, Send
from .service import Service
from .waiting import current

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
LAST_BYTES = 4000
"""How much of stderr an exception has."""


def change_phase(
    service: Service, job: str, phase: str, why: str | None
) -> Plan[Mapping[str, Any]]:
    """Runs or aborts a job; its document afterwards."""
    form = {"PHASE": phase, **({} if why is None else {"WHY": why})}
    yield from service.asking(
        Request(
            "POST", path_of("jobs", job, "phase"), headers=FORM, content=urlencode(form).encode()
        ),
        expected=(303,),
    )
    return (yield from current(service, job))


def delete(service: Service, job: str, why: str | None) -> Plan[None]:
    """Stops a job and removes its results. The redirect leads to the whole list: it stays there."""
    query = [] if why is None else [("WHY", why)]
    yield from service.asking(Request("DELETE", path_of("jobs", job), query), expected=(303,))


def last_lines(service: Service, job: Mapping[str, Any], count: int = 20) -> Plan[str]:
    """The last lines of stderr of a job's document; empty where there are none to be had."""
    sizes = {result["id"]: int(result.get("size", 0)) for result in job.get("results", ())}
    size = sizes.get("stderr", 0)
    if size == 0:
        return ""
    request = Request(
        "GET",
        path_of("jobs", str(job["jobId"]), "results", "stderr"),
        headers={"Range": f"bytes={max(0, size - LAST_BYTES)}-", "Accept": "text/plain"},
    )
    try:
        response = yield Send(request)
    except Lost:
        return ""
    if response.status not in (200, 206):
        return ""
    lines: list[str] = response.text[-LAST_BYTES:].splitlines()
    return "\n".join(lines[-count:])


def as_xml(service: Service, job: str) -> Plan[bytes]:
    """The job's document in the XML of UWS."""
    response = yield from service.asking(
        Request("GET", path_of("jobs", job), headers={"Accept": "application/xml"}, repeat=True)
    )
    return response.content
