"""Documents that are only read; no I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .addresses import last_of, path_of
from .asking import explain
from .errors import PlannerError
from .job_view import JobView
from .listing import filters
from .offer_view import OffersView, OfferView
from .requests import Plan, Request
from .service import Service


def part(service: Service, name: str) -> Plan[Any]:
    """A document whose path and whose only key have the same name, such as `/site`."""
    response = yield from service.asking(Request("GET", path_of(name), repeat=True))
    return response.part(name)


def asked(service: Service, ident: str) -> Plan[Mapping[str, Any]]:
    """The record of an ask."""
    response = yield from service.asking(Request("GET", path_of("asks", ident), repeat=True))
    document: Mapping[str, Any] = response.part("ask")
    return document


def calendar(
    service: Service,
    start: object,
    end: object,
    destinations: str | Iterable[str] | None,
    mine: bool,
) -> Plan[Mapping[str, Any]]:
    """The calendar."""
    query = filters(
        **{"from": instant(start, "start"), "to": instant(end, "end")},
        destination=destinations,
        mine="true" if mine else None,
    )
    response = yield from service.asking(Request("GET", "/calendar", query, repeat=True))
    document: Mapping[str, Any] = response.part("calendar")
    return document


def explanation(service: Service, ident: Any, text: bool) -> Plan[Any]:
    """The record of a decision by what came of it, or by an identifier of an ask or an offer."""
    if isinstance(ident, (OfferView, JobView)):
        return (yield from explain(service, "offers", ident.id, text))
    if isinstance(ident, OffersView):
        ident = ident.ident
    if not isinstance(ident, str):
        raise TypeError("explain wants offers, an offer, a job, or an identifier")
    if "/" in ident:
        folder, found = _place_of(service, ident)
        return (yield from explain(service, folder, found, text))
    try:
        return (yield from explain(service, "asks", ident, text))
    except PlannerError as problem:
        if problem.status != 404:
            raise
    return (yield from explain(service, "offers", ident, text))


def _place_of(service: Service, url: str) -> tuple[str, str]:
    """Whose explanation a URL means, and its identifier; a job has that of its offer."""
    for folder in ("offers", "jobs", "asks"):
        try:
            found = last_of(url, folder, service.url)
        except ValueError:
            continue
        return "asks" if folder == "asks" else "offers", found
    raise ValueError(f"{url!r} is no URL of an ask, an offer or a job")


def instant(value: object, argument: str) -> str | None:
    """A time as the service reads it."""
    if value is None:
        return None
    from .times import instant_text

    return instant_text(value, argument)
