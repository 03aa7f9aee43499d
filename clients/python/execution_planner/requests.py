"""What is sent, and when it is sent again; no I/O.

A plan is a generator: it yields steps, and whoever runs it does them. So one text of retries,
waiting and following serves the sync and the async shell, and tests run it without a network or a
clock.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from .errors import PlannerError

T = TypeVar("T")

REPEATED = frozenset({429, 502, 503, 504})
"""Answers after which the same request may succeed."""
LONGEST_PAUSE = 60.0
"""A longer Retry-After is for the caller to decide on."""
BUSY = 30.0
"""Seconds for which an ask or an acceptance goes on while the service is busy: one that is started
anew behind a proxy is back by then."""


_NONE: Mapping[str, str] = {}


class Request(NamedTuple):
    """One request, below the URL of the planner.

    Attributes:
        repeat: Whether a second sending has no second effect.
        timeout: Seconds of silence after which the connection is lost; None for the planner's.
    """

    method: str
    path: str
    query: Sequence[tuple[str, str]] = ()
    headers: Mapping[str, str] = _NONE
    content: bytes | None = None
    repeat: bool = False
    timeout: float | None = None


class Response(NamedTuple):
    """An answer; the names of its headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes = b""

    @property
    def text(self) -> str:
        """The body as text."""
        return self.content.decode("utf-8", "replace")

    def document(self, *keys: str) -> dict[str, Any]:
        """The body as a document.

        Args:
            keys: What it must have.

        Raises:
            PlannerError: It is none of a planner: a page to log in at, for example.
        """
        try:
            document = json.loads(self.content)
        except (ValueError, RecursionError):
            document = None
        if isinstance(document, dict) and all(key in document for key in keys):
            return document
        no_dict = not isinstance(document, dict)
        raise self.no_planner("is no document" if no_dict else f"has no {' and no '.join(keys)}")

    def no_planner(self, what: str) -> PlannerError:
        """The exception for an answer that no planner gives."""
        kind = self.headers.get("content-type", "of no type")
        return PlannerError(
            f"The answer ({kind}) {what} of a planner: is the url right?",
            code="not-a-planner",
            status=self.status,
            request_id=self.headers.get("x-request-id"),
        )

    def part(self, key: str) -> Any:
        """What the document has under a key."""
        return self.document(key)[key]


class Lost(Exception):
    """No answer, or no more of it: no connection, a lost one, or silence."""


class Send(NamedTuple):
    """Step: send, and come back with the whole `Response`; raises `Lost`."""

    request: Request


class Open(NamedTuple):
    """Step: send, and come back with a `Response` whose body is read by `Read`; raises `Lost`."""

    request: Request


class Read:
    """Step: come back with the next bytes of what is open, none at its end; raises `Lost`."""


class Shut:
    """Step: close what is open."""


class Pause(NamedTuple):
    """Step: do nothing for some seconds."""

    seconds: float


class Say(NamedTuple):
    """Step: hand an item to whoever iterates."""

    item: Any


Step = Send | Open | Read | Shut | Pause | Say
Plan = Generator[Step, Any, T]


class Habits(NamedTuple):
    """How often and how fast requests are repeated.

    Attributes:
        retries: How often a request is sent again.
        clock: Seconds that never go back, whatever the wall clock does.
        random: A number from 0 to 1, so that many clients do not come back at the same time.
    """

    retries: int
    clock: Callable[[], float]
    random: Callable[[], float]

    def delay(
        self, tries: int, response: Response | None = None, until: float = 0.0
    ) -> float | None:
        """How long to wait before sending again.

        Args:
            tries: How often the request was sent again already.
            response: The answer, if one came.
            until: Up to this time of the clock a busy service is asked again, however often.

        Returns:
            Seconds, or None to give up.
        """
        wanted = retry_after(response)
        goes_on = response is not None and self.retries > 0 and self.clock() < until
        if not goes_on and tries >= self.retries:
            return None
        if wanted is not None and wanted > LONGEST_PAUSE:
            return None
        # Clients that were told the same second must not come in the same instant.
        if wanted:
            return wanted + self.random() * min(0.5, wanted)
        return 0.5 * 2.0**tries * (0.75 + 0.5 * self.random())


def sending(request: Request, habits: Habits) -> Plan[Response]:
    """Sends a request, and again where that has no second effect.

    Returns:
        The last answer, whatever its status.

    Raises:
        Lost: No answer came, however often the request was sent.
    """
    tries = 0
    until = habits.clock() + BUSY if "Idempotency-Key" in request.headers else 0.0
    while True:
        response: Response | None = None
        try:
            response = yield Send(request)
        except Lost:
            delay = habits.delay(tries) if request.repeat else None
            if delay is None:
                raise
        else:
            assert response is not None
            if response.status not in REPEATED or not request.repeat:
                return response
            delay = habits.delay(tries, response, until)
            if delay is None:
                return response
        yield Pause(delay)
        tries += 1


def whole(head: Response) -> Plan[Response]:
    """The answer that is open, with its body."""
    content = b""
    while data := (yield Read()):
        content += data
    return head._replace(content=content)


def retry_after(response: Response | None) -> float | None:
    """The seconds of `Retry-After`, which has seconds or a date.

    A date is compared with the service's own `Date`: the client's clock may be wrong.
    """
    text = "" if response is None else response.headers.get("retry-after", "").strip()
    if response is None or not text:
        return None
    if text.isascii() and text.isdigit():
        return float(text)
    until, now = _instant(text), _instant(response.headers.get("date", ""))
    if until is None:
        return None
    if now is None:
        import time

        now = time.time()
    return max(0.0, until - now)


def _instant(text: str) -> float | None:
    from email.utils import parsedate_to_datetime

    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None
