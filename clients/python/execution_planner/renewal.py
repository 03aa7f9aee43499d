"""Sends the access token of `execplan login`, and renews it before it ends."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncGenerator, Generator, Iterator
from contextlib import contextmanager, suppress

import httpx

from . import credentials
from .credentials import SignedIn

MARGIN = 30.0
"""Seconds before its end in which a token is renewed: clocks differ, requests take time."""


class Renewing(httpx.Auth):
    """An `httpx.Auth` that renews its token with the refresh token.

    Args:
        url: The planner, under which the tokens are kept.
        signed_in: The tokens.
    """

    def __init__(self, url: str, signed_in: SignedIn) -> None:
        self._url = url
        self._tokens = signed_in

    def sync_auth_flow(
        self, request: httpx.Request
    ) -> Generator[httpx.Request, httpx.Response, None]:
        """Called by httpx for each request of a `Client`."""
        if self._tokens.ends_within(MARGIN):
            self._renew(self._tokens)
        sent = self._tokens
        response = yield self._authorized(request, sent)
        if response.status_code == 401:
            self._renew(sent)
            if self._tokens.access_token != sent.access_token:
                yield self._authorized(request, self._tokens)

    async def async_auth_flow(
        self, request: httpx.Request
    ) -> AsyncGenerator[httpx.Request, httpx.Response]:
        """Called by httpx for each request of an `AsyncClient`."""
        if self._tokens.ends_within(MARGIN):
            await self._renew_aside(self._tokens)
        sent = self._tokens
        response = yield self._authorized(request, sent)
        if response.status_code == 401:
            await self._renew_aside(sent)
            if self._tokens.access_token != sent.access_token:
                yield self._authorized(request, self._tokens)

    def _authorized(self, request: httpx.Request, tokens: SignedIn) -> httpx.Request:
        request.headers["Authorization"] = f"Bearer {tokens.access_token}"
        return request

    async def _renew_aside(self, old: SignedIn) -> None:
        # In a thread, since it waits for a lock of files and for the issuer.
        await asyncio.to_thread(self._renew, old)

    def _renew(self, old: SignedIn) -> None:
        """Takes the tokens that another thread or process has got for old ones, or renews them."""
        from . import login

        # Many issuers give a new refresh token each time and end all when an old one comes again:
        # so one renews, and the others take what it got. Who could not tell them does not renew.
        with _may_be_read_only(), credentials.locked():
            if self._taken_over(old) or old.refresh_token is None:
                return
            credentials.store_locked(self._url, old)
            with suppress(login.SignInFailed, httpx.HTTPError):
                self._tokens = login.renew(old)
                credentials.store_locked(self._url, self._tokens)
            return
        with suppress(OSError):
            self._taken_over(old)

    def _taken_over(self, old: SignedIn) -> bool:
        """Takes the tokens of somebody who has renewed the old ones."""
        if self._tokens.access_token != old.access_token:
            return True
        kept = credentials.load(self._url)
        if kept is None or kept.access_token == old.access_token:
            return False
        self._tokens = kept
        return True


@contextmanager
def _may_be_read_only() -> Iterator[None]:
    """Goes on where the file cannot be written: the old token may still do."""
    try:
        yield
    except OSError as error:
        warnings.warn(
            f"The sign-in cannot be renewed here, since {credentials.path()} cannot be written: "
            f"{error}",
            stacklevel=2,
        )
