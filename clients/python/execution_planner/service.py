"""What a client knows of its planner; the sync and the async shell have one each."""

from __future__ import annotations

import os
import random
import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from . import versions
from .addresses import base_url, proxy_for
from .clock import steady
from .errors import PlannerError, Unreachable
from .problems import problem_of
from .requests import Habits, Lost, Plan, Request, Response, sending

if TYPE_CHECKING:
    import httpx

CONNECTING = 10.0
"""Seconds for a connection; what comes after it may take longer."""


class Service:
    """The URL, the credential and the habits of one planner.

    Args:
        url: The planner; `PLANNER_URL` by default.
        token: A bearer token; `PLANNER_TOKEN` by default.
        auth: `(user, password)`, or an `httpx.Auth`; instead of a token.
        timeout: Seconds of silence after which a request is lost.
        retries: How often a request is sent again where that has no second effect.
        transport: An httpx transport, for tests and special networks.
        verify: As of httpx: `False`, or an `ssl.SSLContext`.
        clock: Seconds that never go back.
    """

    def __init__(
        self,
        url: str | None,
        *,
        token: str | None,
        auth: Any,
        timeout: float,
        retries: int,
        transport: Any,
        verify: Any,
        clock: Callable[[], float] = steady,
    ) -> None:
        wanted = url or os.environ.get("PLANNER_URL")
        if not wanted:
            raise ValueError("Which planner? Give its url, or set PLANNER_URL")
        if token is not None and auth is not None:
            raise ValueError("Give a token or auth, not both")
        self.url = base_url(wanted)
        self.timeout = timeout
        self.clock = clock
        self.habits = Habits(retries, clock, random.random)
        self.version: str | None = None
        self._auth = auth
        # An `httpx.Auth` may add requests; all others go below the planner's URL.
        self._may_go_elsewhere = auth is not None and not isinstance(auth, tuple)
        given = token is not None or auth is not None
        found = token if given else _token_of_environment(self.url)
        self._token = None if found is None else checked_token(found)
        self._transport = transport
        self._verify = verify
        self._warned = False
        self._looked = False

    def client_settings(self) -> dict[str, Any]:
        """The words for an httpx client."""
        import httpx

        return {
            "auth": self._credential(),
            "headers": {
                "User-Agent": f"execution-planner-client/{versions.VERSION}",
                "Accept": "application/json",
            },
            "timeout": httpx.Timeout(self.timeout, connect=min(CONNECTING, self.timeout)),
            # Each job that is followed or waited for holds a connection; the service has limits.
            "limits": httpx.Limits(max_connections=None, max_keepalive_connections=100),
            "follow_redirects": False,
            "transport": self._transport,
            "verify": self._certificates(),
        }

    def build(self, client: Any, request: Request) -> httpx.Request:
        """Makes httpx's request; its URL is always below the planner's."""
        import httpx

        query = f"?{urlencode(request.query)}" if request.query else ""
        seconds = self.timeout if request.timeout is None else request.timeout
        built: httpx.Request = client.build_request(
            request.method,
            self.url + request.path + query,
            headers=dict(request.headers),
            content=request.content,
            timeout=httpx.Timeout(seconds, connect=min(CONNECTING, seconds)),
        )
        return built

    def asking(self, request: Request, *, expected: tuple[int, ...] = (200,)) -> Plan[Response]:
        """Sends a request, and takes only an expected answer.

        Raises:
            PlannerError: The service refused it.
            Unreachable: No answer came.
        """
        try:
            response = yield from sending(request, self.habits)
        except Lost as lost:
            raise self.unreachable(lost) from lost
        self.noticed(response)
        if response.status not in expected:
            raise self.refusal(response)
        return response

    def refusal(self, response: Response) -> PlannerError:
        """The exception for an answer; it says when another version may be the cause."""
        if response.status < 300:
            return response.no_planner("is not the one")
        problem = problem_of(response)
        if problem.code not in ("route-unknown", "method-not-allowed"):
            return problem
        if self.version is None:
            return problem_of(response, "The planner may be older than this package.")
        return problem_of(response, versions.difference(self.version) or "")

    def unreachable(self, lost: Lost) -> Unreachable:
        """The exception where no answer came."""
        proxy = None if self._transport is not None else proxy_for(self.url)
        way = f" through the proxy {proxy}" if proxy else ""
        return Unreachable(f"No answer from {self.url}{way}: {lost}", code="unreachable")

    def noticed(self, response: Response) -> None:
        """Keeps the version of the service, and warns once where it differs."""
        self.version = response.headers.get("api-version", self.version)
        sentence = versions.difference(self.version)
        if sentence is not None and not self._warned:
            self._warned = True
            warnings.warn(f"{self.url}: {sentence}", versions.VersionWarning, stacklevel=2)

    @property
    def may_spread(self) -> bool:
        """Whether several httpx clients may share the requests; a given transport is one."""
        return self._transport is None

    def _certificates(self) -> Any:
        """Read once, and only for connections that need them: that takes 40 ms of a core."""
        if self._verify is True:
            self._verify = verification() if self._may_need_certificates() else nobody_vouches()
        return self._verify

    def _may_need_certificates(self) -> bool:
        if self._transport is not None:
            return False
        return self.url.startswith("https:") or self._may_go_elsewhere

    def _credential(self) -> Any:
        if self._auth is None and self._token is not None:
            self._auth = _bearer(self._token)
        if self._auth is None and not self._looked:
            from . import credentials

            # Once: a credential that renews itself must be one for all requests.
            self._auth, self._looked = credentials.find(self.url), True
        return self._auth


def _bearer(token: str) -> Any:
    def authorized(request: httpx.Request) -> httpx.Request:
        request.headers["Authorization"] = f"Bearer {token}"
        return request

    return authorized


def checked_token(token: str) -> str:
    """A token as it is sent; one that was read from a file often ends with its line."""
    bare = token.strip()
    if not bare or not bare.isascii() or not bare.isprintable() or " " in bare:
        raise ValueError("The token is empty, or has characters that no header may have")
    return bare


def _token_of_environment(url: str) -> str | None:
    """`PLANNER_TOKEN`, which is for `PLANNER_URL` alone where that names a planner."""
    named = os.environ.get("PLANNER_URL")
    if named and named.strip().rstrip("/") != url:
        return None
    return os.environ.get("PLANNER_TOKEN") or None


def require_one_owner(urls: Iterable[str]) -> None:
    """One planner must not get the token of another.

    Raises:
        ValueError: `PLANNER_TOKEN` could be meant for any of several planners.
    """
    named = os.environ.get("PLANNER_URL")
    if len(set(urls)) > 1 and os.environ.get("PLANNER_TOKEN") and not named:
        raise ValueError("PLANNER_TOKEN is for one planner: set PLANNER_URL to say for which")


def verification() -> Any:
    """The certificates of the operating system where truststore (extra `tls`) is installed."""
    try:
        import truststore
    except ImportError:
        import httpx

        return httpx.create_ssl_context()
    import ssl

    return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def nobody_vouches() -> Any:
    """Takes no certificate at all: for clients that open no connection with TLS."""
    import ssl

    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
