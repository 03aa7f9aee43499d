"""Runs plans without a network and without a clock: both are what the test says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from execution_planner.requests import (
    Lost,
    Open,
    Pause,
    Plan,
    Read,
    Request,
    Response,
    Say,
    Send,
)
from execution_planner.service import Service

Body = Iterable["bytes | Lost"]


class Stage:
    """The network and the clock of a test.

    Args:
        answer: Makes the answer to a request: a `Response`, a `Response` and the pieces of its body
            (a `Lost` among them breaks it off), or a `Lost`.

    Attributes:
        now: The clock's seconds; pauses move it, and an answer may.
    """

    def __init__(self, answer: Callable[[Request], Any]) -> None:
        self.now = 1000.0
        self.pauses: list[float] = []
        self.requests: list[Request] = []
        self.said: list[Any] = []
        self._answer = answer
        self._body: Iterator[bytes | Lost] = iter(())

    def service(self, *, retries: int = 3, timeout: float = 30.0) -> Service:
        """A service with this clock."""
        service = Service(
            "https://planner.test/at",
            token="secret",
            auth=None,
            timeout=timeout,
            retries=retries,
            transport=None,
            verify=True,
            clock=lambda: self.now,
        )
        service.habits = service.habits._replace(random=lambda: 0.5)
        return service

    def run(self, plan: Plan[Any]) -> Any:
        """Runs a plan to its end, and returns what it returns."""
        try:
            step = next(plan)
            while True:
                try:
                    outcome = self._do(step)
                except Lost as lost:
                    step = plan.throw(lost)
                else:
                    step = plan.send(outcome)
        except StopIteration as end:
            return end.value

    def _do(self, step: Any) -> Any:
        if isinstance(step, Pause):
            assert step.seconds >= 0
            self.pauses.append(step.seconds)
            self.now += step.seconds
        elif isinstance(step, Say):
            self.said.append(step.item)
        elif isinstance(step, (Send, Open)):
            return self._send(step)
        elif isinstance(step, Read):
            piece = next(self._body, b"")
            if isinstance(piece, Lost):
                raise piece
            return piece
        return None

    def _send(self, step: Send | Open) -> Response:
        self.requests.append(step.request)
        answer = self._answer(step.request)
        if isinstance(answer, Lost):
            raise answer
        if isinstance(answer, Response):
            if isinstance(step, Send):
                return answer
            answer = answer, [answer.content]
        assert isinstance(step, Open), "only an open answer comes in pieces"
        head, pieces = answer
        self._body = iter(pieces)
        return Response(head.status, head.headers)


def document(body: Any, status: int = 200, **headers: str) -> Response:
    """An answer with a document."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    kind = {"content-type": "application/json"}
    return Response(status, {**kind, **named}, json.dumps(body).encode())


def job(phase: str, **more: Any) -> Response:
    """An answer with a job."""
    return document({"jobId": "j1", "phase": phase, "results": [], **more})


def in_turn(*answers: Any) -> Callable[[Request], Any]:
    """One answer after the other; the last one for ever."""
    left = list(answers)

    def answer(request: Request) -> Any:
        found = left.pop(0) if len(left) > 1 else left[0]
        return found(request) if callable(found) else found

    return answer
