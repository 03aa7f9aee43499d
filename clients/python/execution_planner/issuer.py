"""Talks to an OpenID Connect issuer: its discovery document and its endpoints."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from .credentials import is_private
from .service import verification

TIMEOUT = 30.0
AWAY = (429, 500, 502, 503, 504)


class SignInFailed(Exception):
    """The issuer refused, or said what cannot be trusted; the message says what."""


class IssuerAway(SignInFailed):
    """The issuer, or what is before it, cannot answer now."""


@contextmanager
def client_for(http: httpx.Client | None) -> Iterator[httpx.Client]:
    """The given client, or one for this conversation."""
    if http is not None:
        yield http
        return
    # No redirects: an issuer's endpoints are where its discovery document says.
    headers = {"Accept": "application/json"}
    with httpx.Client(timeout=TIMEOUT, headers=headers, verify=verification()) as own:
        yield own


def discover(client: httpx.Client, issuer: str) -> dict[str, Any]:
    """The issuer's discovery document.

    Raises:
        SignInFailed: There is none, or it is another issuer's.
    """
    _demand_private(issuer)
    url = issuer.rstrip("/") + "/.well-known/openid-configuration"
    about = _object(client.get(url), url)
    if str(about.get("issuer", "")).rstrip("/") != issuer.rstrip("/"):
        raise SignInFailed(f"{url} belongs to another issuer: {about.get('issuer')}")
    return about


def endpoint(about: dict[str, Any], name: str) -> str:
    """An endpoint of the discovery document.

    Raises:
        SignInFailed: The issuer has none, or one that others could listen to.
    """
    url = about.get(name)
    if not isinstance(url, str):
        raise SignInFailed(f"{about['issuer']} has no {name}: it does not let programs sign in")
    _demand_private(url)
    return url


def post(
    client: httpx.Client, url: str, form: dict[str, str], resource: str | None
) -> dict[str, Any]:
    """Sends a form.

    Args:
        client: From `client_for`.
        url: An endpoint of the issuer.
        form: What to send.
        resource: For what a token shall be (RFC 8707).
    """
    aim = {} if resource is None else {"resource": resource}
    return _object(client.post(url, data={**form, **aim}), url)


def refusal(answer: dict[str, Any]) -> str:
    """What an answer without tokens says."""
    words = {
        "access_denied": "the sign-in was refused",
        "expired_token": "the code has ended before the sign-in was allowed",
    }
    error = str(answer.get("error", "the issuer refuses"))
    detail = answer.get("error_description")
    return words.get(error) or (f"{error}: {detail}" if detail else error)


def _demand_private(url: str) -> None:
    if not is_private(url):
        raise SignInFailed(f"{url} is not https, so others could read the tokens")


def _object(response: httpx.Response, url: str) -> dict[str, Any]:
    try:
        document = response.json()
    except ValueError:
        document = None
    if not isinstance(document, dict) and response.status_code in AWAY:
        raise IssuerAway(f"{url} answers {response.status_code}")
    if not isinstance(document, dict):
        raise SignInFailed(f"{url} answers {response.status_code}, and not what an issuer says")
    return document
