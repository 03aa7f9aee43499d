"""Lists, page by page; no I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .requests import Plan, Request, Say
from .service import Service

Query = list[tuple[str, str]]
PAGE = 200
"""Items of a page: enough for one request in most cases, and quick for the service."""


def pages(
    service: Service,
    path: str,
    key: str,
    query: Query,
    *,
    words: tuple[str, str],
    limit: int | None,
) -> Plan[None]:
    """Says each item of a list.

    Args:
        service: The planner.
        path: The list.
        key: Its key in the document.
        query: Its filters.
        words: What the list calls the size of a page and the place of the next one.
        limit: The most items, or None for all.
    """
    left = limit
    place: Query = []
    while left is None or left > 0:
        size = PAGE if left is None else min(PAGE, left)
        request = Request("GET", path, [*query, (words[0], str(size)), *place], repeat=True)
        document: Mapping[str, Any] = (yield from service.asking(request)).document(key)
        items = document[key]
        for item in items if left is None else items[:left]:
            yield Say(item)
        left = None if left is None else left - len(items)
        if document.get("next") is None:
            return
        place = [(words[1], str(document["next"]))]


def filters(**words: str | Iterable[str] | None) -> Query:
    """The parameters of the words that are given; one with several values comes several times."""
    query: Query = []
    for name, value in words.items():
        if value is None:
            continue
        values = [value] if isinstance(value, str) else list(value)
        query += [(name.replace("_", "-"), one) for one in values]
    return query


def jobs(service: Service, *, limit: int | None, **words: Any) -> Plan[None]:
    """Says each job; the words are those of `Planner.jobs`."""
    times = {name: _utc(words.pop(name), name) for name in ("after", "before", "ended_after")}
    query = filters(
        PHASE=words["phase"],
        DESTINATION=words["destination"],
        NAME=words["name"],
        OWNER=words["owner"],
        AFTER=times["after"],
        BEFORE=times["before"],
        ENDEDAFTER=times["ended_after"],
    )
    yield from pages(service, "/jobs", "jobs", query, words=("LIMIT", "CURSOR"), limit=limit)


def offers(
    service: Service,
    status: str | Iterable[str] | None,
    destination: str | Iterable[str] | None,
    owner: str | None,
) -> Plan[None]:
    """Says each offer."""
    query = filters(status=status, destination=destination, owner=owner)
    yield from pages(service, "/offers", "offers", query, words=("limit", "after"), limit=None)


def asks(service: Service, owner: str | None, limit: int | None) -> Plan[None]:
    """Says each ask."""
    query = filters(owner=owner)
    yield from pages(service, "/asks", "asks", query, words=("limit", "after"), limit=limit)


def _utc(value: object, argument: str) -> str | None:
    """A time in UTC, as UWS wants it."""
    if value is None:
        return None
    from datetime import timezone

    from .times import instant_text, read_instant

    moment = read_instant(instant_text(value, argument)).astimezone(timezone.utc)
    return moment.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
