"""From an answer of the service to an exception."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .errors import PlannerError, Unauthorized
from .requests import Response, retry_after


def problem_of(response: Response, what: str = "") -> PlannerError:
    """The exception for an answer that is a refusal.

    Args:
        response: An answer with a status of 300 or more.
        what: A sentence to add, for example that the service may be older.
    """
    document = _document(response)
    code, detail = str(document.get("code", "")), str(document.get("detail", ""))
    if not detail:
        code, detail = _from_text(response)
    if what:
        detail = f"{detail} {what}"
    common: dict[str, Any] = {
        "code": code,
        "status": response.status,
        "errors": _places(document.get("errors")),
        "request_id": response.headers.get("x-request-id"),
        "retry_after": retry_after(response),
        "document": document,
    }
    if response.status == 401:
        challenges = response.headers.get("www-authenticate", "")
        return Unauthorized(detail, challenges=[challenges] if challenges else (), **common)
    return PlannerError(detail, **common)


def _document(response: Response) -> Mapping[str, Any]:
    if "json" not in response.headers.get("content-type", ""):
        return {}
    try:
        document = json.loads(response.content)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def _places(errors: object) -> list[Mapping[str, Any]]:
    """The places that are wrong; a proxy's document may have something else there."""
    return (
        [error for error in errors if isinstance(error, dict)] if isinstance(errors, list) else []
    )


def _from_text(response: Response) -> tuple[str, str]:
    """Below /jobs, the service sends lines that begin with a code."""
    if 300 <= response.status < 400:
        location = response.headers.get("location", "elsewhere")
        return "redirected", (
            f"The answer leads to {location}. Redirects are not followed, because the credential "
            "is for this planner only: give the planner's own url."
        )
    plain = response.headers.get("content-type", "").startswith("text/plain")
    text = response.text.strip() if plain else ""
    code, colon, detail = text.partition(": ")
    if colon and code and all(letter.isalnum() or letter == "-" for letter in code):
        return code, detail
    return "", text or f"The answer is HTTP {response.status}."
