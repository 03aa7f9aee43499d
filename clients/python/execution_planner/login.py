"""Signs in at an issuer with the device flow (RFC 8628): the browser may be on another device."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import httpx

from .credentials import SignedIn
from .issuer import IssuerAway, SignInFailed, client_for, discover, endpoint, post, refusal

__all__ = ["Device", "Pending", "SignInFailed", "begin", "devices", "finish", "renew", "revoke"]

GRANT = "urn:ietf:params:oauth:grant-type:device_code"


@dataclass(frozen=True)
class Device:
    """How programs without a browser sign in at one issuer of a planner.

    Args:
        name: The issuer's name for people.
        issuer: Its address.
        client_id: The public client of the planner.
        scopes: What to ask for.
        resource: For what the token is, where the issuer wants to be told (RFC 8707).
    """

    name: str
    issuer: str
    client_id: str
    scopes: tuple[str, ...] = ("openid",)
    resource: str | None = None


@dataclass(frozen=True)
class Pending:
    """A sign-in that its user has to allow.

    Args:
        url: The page to open.
        code: What to type there.
        url_with_code: A page that knows the code already, when the issuer has one.
        interval: Seconds between two questions.
        expires_in: Seconds until the code ends.
    """

    url: str
    code: str
    url_with_code: str | None
    interval: float
    expires_in: float
    device: Device
    device_code: str
    token_endpoint: str


def devices(site: dict[str, Any]) -> list[Device]:
    """The issuers of a planner where programs can sign in.

    Args:
        site: The document of `GET /site`.
    """
    found = []
    for entry in site.get("sign-in", []):
        device = entry.get("device")
        if not isinstance(device, dict) or "client-id" not in device or "issuer" not in entry:
            continue
        found.append(
            Device(
                name=str(entry.get("name", entry["issuer"])),
                issuer=str(entry["issuer"]),
                client_id=str(device["client-id"]),
                scopes=tuple(device.get("scopes") or ("openid",)),
                resource=device.get("resource"),
            )
        )
    return found


def begin(device: Device, *, http: httpx.Client | None = None) -> Pending:
    """Asks the issuer for a code.

    Raises:
        SignInFailed: The issuer has no device flow, or refuses.
    """
    with client_for(http) as client:
        about = discover(client, device.issuer)
        form = {"client_id": device.client_id, "scope": " ".join(device.scopes)}
        answer = post(
            client, endpoint(about, "device_authorization_endpoint"), form, device.resource
        )
    if "device_code" not in answer:
        raise SignInFailed(refusal(answer))
    return Pending(
        url=str(answer["verification_uri"]),
        code=str(answer["user_code"]),
        url_with_code=answer.get("verification_uri_complete"),
        interval=float(answer.get("interval", 5)),
        expires_in=float(answer.get("expires_in", 600)),
        device=device,
        device_code=str(answer["device_code"]),
        token_endpoint=endpoint(about, "token_endpoint"),
    )


def finish(
    pending: Pending,
    *,
    http: httpx.Client | None = None,
    sleep: Callable[[float], object] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> SignedIn:
    """Waits until the user has allowed the sign-in.

    Args:
        pending: What `begin` returned.
        http: Another client for the requests.
        sleep: How to wait.
        clock: Seconds that never go back.

    Raises:
        SignInFailed: The user refused, or the code ended.
    """
    interval = pending.interval
    end = clock() + pending.expires_in
    form = {
        "grant_type": GRANT,
        "device_code": pending.device_code,
        "client_id": pending.device.client_id,
    }
    with client_for(http) as client:
        while clock() < end:
            sleep(interval)
            try:
                answer = post(client, pending.token_endpoint, form, pending.device.resource)
            except (httpx.TransportError, IssuerAway):
                # RFC 8628, 3.5: after a lost connection, ask less often. A proxy before the issuer
                # has a page of its own while the issuer is started anew.
                interval *= 2
                continue
            if "access_token" in answer:
                return _signed_in(answer, pending.device)
            if answer.get("error") == "slow_down":
                interval += 5
            elif answer.get("error") != "authorization_pending":
                raise SignInFailed(refusal(answer))
    raise SignInFailed("the code has ended before the sign-in was allowed")


def renew(signed_in: SignedIn, *, http: httpx.Client | None = None) -> SignedIn:
    """New tokens for a refresh token.

    Raises:
        SignInFailed: The issuer gives none; the user has to sign in again.
    """
    device = Device("", signed_in.issuer, signed_in.client_id, resource=signed_in.resource)
    form = {
        "grant_type": "refresh_token",
        "refresh_token": signed_in.refresh_token or "",
        "client_id": signed_in.client_id,
    }
    with client_for(http) as client:
        about = discover(client, signed_in.issuer)
        answer = post(client, endpoint(about, "token_endpoint"), form, device.resource)
    if "access_token" not in answer:
        raise SignInFailed(refusal(answer))
    renewed = _signed_in(answer, device)
    # An issuer that sends none goes on taking the old one.
    refresh_token = renewed.refresh_token or signed_in.refresh_token
    return replace(renewed, refresh_token=refresh_token, more=signed_in.more)


def revoke(signed_in: SignedIn, *, http: httpx.Client | None = None) -> bool:
    """Tells the issuer to end the tokens.

    Returns:
        Whether the issuer did.
    """
    with client_for(http) as client:
        about = discover(client, signed_in.issuer)
        if "revocation_endpoint" not in about:
            return False
        url = endpoint(about, "revocation_endpoint")
        token = signed_in.refresh_token or signed_in.access_token
        form = {"token": token, "client_id": signed_in.client_id}
        return client.post(url, data=form).is_success


def _signed_in(answer: dict[str, Any], device: Device) -> SignedIn:
    lasts = answer.get("expires_in")
    return SignedIn(
        access_token=str(answer["access_token"]),
        expires=None if lasts is None else time.time() + float(lasts),
        refresh_token=answer.get("refresh_token"),
        issuer=device.issuer,
        client_id=device.client_id,
        resource=device.resource,
    )
