"""What administrators do; no I/O."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .addresses import path_of
from .asking import JSON
from .listing import filters
from .looking import instant
from .requests import Plan, Request
from .service import Service


def drain(
    service: Service, destination: str, reason: str, start: object, end: object
) -> Plan[Mapping[str, Any]]:
    """Drains a destination; the drain afterwards."""
    wanted = {"reason": reason, "from": instant(start, "start"), "until": instant(end, "end")}
    body = {name: value for name, value in wanted.items() if value is not None}
    response = yield from service.asking(
        Request(
            "PUT",
            path_of("destinations", destination, "drain"),
            headers=JSON,
            content=json.dumps(body).encode(),
        )
    )
    document: Mapping[str, Any] = response.part("drain")
    return document


def undrain(service: Service, destination: str, why: str | None) -> Plan[None]:
    """Ends a drain."""
    request = Request("DELETE", path_of("destinations", destination, "drain"), filters(why=why))
    yield from service.asking(request, expected=(204,))


def audit(service: Service, before: object, limit: int | None) -> Plan[list[Mapping[str, Any]]]:
    """The audit trail."""
    query = filters(before=instant(before, "before"), limit=None if limit is None else str(limit))
    response = yield from service.asking(Request("GET", "/audit", query, repeat=True))
    return list(response.part("audit"))
