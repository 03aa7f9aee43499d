"""The conversation: ask, look, accept, give back; no I/O."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any

from .addresses import path_of
from .errors import OfferExpired, OfferTaken, PlannerError, Refused
from .requests import Plan, Request, Response, retry_after
from .service import Service

JSON = {"Content-Type": "application/json"}


def ask(
    service: Service,
    body: Mapping[str, Any] | bytes,
    *,
    key: str | None,
    nearest: bool,
    timeout: float | None,
) -> Plan[Mapping[str, Any]]:
    """Asks.

    Args:
        service: The planner.
        body: A document, or YAML as bytes.
        key: The Idempotency-Key; without one, a new one is made.
        nearest: Whether a NO says what would be a YES.
        timeout: Seconds of silence after which the request is lost.

    Returns:
        The answer, a YES.

    Raises:
        Refused: The answer is a NO.
    """
    response = yield from _post(service, body, [], key or new_key(), nearest, timeout)
    answer = _answer(response)
    if answer["result"] != "YES":
        raise refused(response, answer)
    return answer


def check(
    service: Service,
    body: Mapping[str, Any] | bytes,
    *,
    nearest: bool,
    timeout: float | None,
) -> Plan[tuple[Mapping[str, Any], float | None]]:
    """Asks what the answer would be; holds nothing, so it may be repeated without a key.

    Returns:
        The answer, a YES or a NO, and the seconds of `Retry-After`.
    """
    response = yield from _post(service, body, [("dry-run", "true")], None, nearest, timeout)
    return _answer(response), retry_after(response)


def offer(service: Service, ident: str) -> Plan[Mapping[str, Any]]:
    """An offer as it is now."""
    response = yield from service.asking(Request("GET", path_of("offers", ident), repeat=True))
    return _offer(response)


def accept(
    service: Service, ident: str, start: str, request: Mapping[str, Any]
) -> Plan[Mapping[str, Any]]:
    """Accepts an offer.

    Returns:
        The offer afterwards.

    Raises:
        OfferExpired: It is over.
        OfferTaken: Another one of the same answer was accepted, or this one was given back.
    """
    update = {"status": "ACCEPTED", "start": start}
    try:
        response = yield from service.asking(
            Request(
                "POST",
                path_of("offers", ident),
                headers={**JSON, "Idempotency-Key": new_key()},
                content=_bytes(update),
                repeat=True,
            )
        )
    except PlannerError as problem:
        raise _of_offer(problem, request) from None
    return _offer(response)


def reject(service: Service, ident: str, why: str | None) -> Plan[Mapping[str, Any]]:
    """Gives an offer back."""
    update = {"status": "REJECTED", **({} if why is None else {"why": why})}
    response = yield from service.asking(
        Request("POST", path_of("offers", ident), headers=JSON, content=_bytes(update))
    )
    return _offer(response)


def explain(service: Service, folder: str, ident: str, text: bool) -> Plan[Mapping[str, Any] | str]:
    """The record of a decision, as a document or as text for people."""
    accept_header = {"Accept": "text/plain, application/json;q=0.5"} if text else {}
    response = yield from service.asking(
        Request("GET", path_of(folder, ident, "explain"), headers=accept_header, repeat=True)
    )
    if text:
        return response.text
    document: Mapping[str, Any] = response.part("explanation")
    return document


def new_key() -> str:
    """A key that no other request has."""
    return str(uuid.uuid4())


def refused(response: Response | None, answer: Mapping[str, Any]) -> Refused:
    """The exception for a NO."""
    request_id = None if response is None else response.headers.get("x-request-id")
    return Refused(
        answer,
        status=None if response is None else response.status,
        retry_after=retry_after(response),
        request_id=request_id,
    )


def _post(
    service: Service,
    body: Mapping[str, Any] | bytes,
    query: list[tuple[str, str]],
    key: str | None,
    nearest: bool,
    timeout: float | None,
) -> Plan[Response]:
    kind = "application/yaml" if isinstance(body, bytes) else "application/json"
    headers = {"Content-Type": kind, **({} if key is None else {"Idempotency-Key": key})}
    if not nearest:
        query = [*query, ("nearest", "false")]
    content = body if isinstance(body, bytes) else _bytes(body)
    return (
        yield from service.asking(
            Request("POST", "/request", query, headers, content, repeat=True, timeout=timeout)
        )
    )


def _of_offer(problem: PlannerError, request: Mapping[str, Any]) -> PlannerError:
    common: dict[str, Any] = {
        name: getattr(problem, name)
        for name in ("code", "status", "errors", "request_id", "retry_after", "document")
    }
    if problem.status == 410:
        return OfferExpired(problem.detail, ask=request, **common)
    if problem.status == 409:
        winner = problem.document.get("winner")
        return OfferTaken(problem.detail, winner=winner, ask=request, **common)
    return problem


def _answer(response: Response) -> Mapping[str, Any]:
    answer: Mapping[str, Any] = response.part("response")
    return answer


def _offer(response: Response) -> Mapping[str, Any]:
    document: Mapping[str, Any] = response.part("offer")
    return document


def _bytes(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document, ensure_ascii=False, allow_nan=False).encode()
