"""Answers that no planner gives: of a page to log in at, of a proxy, of another service."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from execution_planner import Job, Planner, PlannerError, executable

HTML = httpx.Response(200, html="<html>Log in</html>")
CALLS: list[Callable[[Planner], Any]] = [
    lambda planner: planner.ask(executable("true")),
    lambda planner: planner.check(executable("true")),
    lambda planner: planner.job("a"),
    lambda planner: list(planner.jobs()),
    lambda planner: planner.offer("a"),
    lambda planner: planner.offers(),
    lambda planner: planner.calendar(),
    lambda planner: planner.site(),
    lambda planner: planner.me(),
    lambda planner: planner.asked("a"),
    lambda planner: planner.explain("a"),
    lambda planner: planner.audit(),
]


def planner_of(answer: httpx.Response) -> Planner:
    return Planner("http://x", transport=httpx.MockTransport(lambda _: answer), retries=0)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    "answer",
    [
        HTML,
        httpx.Response(200),
        httpx.Response(200, json=[1]),
        httpx.Response(200, json=None),
        httpx.Response(200, json={"ok": True}),
        httpx.Response(200, content=b'{"site": "\xff"}'),
        httpx.Response(200, content=b"[" * 100_000),
    ],
)
def test_every_call_says_that_it_is_no_planner(
    call: Callable[[Planner], Any], answer: httpx.Response
) -> None:
    with pytest.raises(PlannerError, match="is the url right") as raised:
        call(planner_of(answer))
    assert (raised.value.code, raised.value.status) == ("not-a-planner", 200)


CHANGES: list[Callable[[Planner, Job], Any]] = [
    lambda _, job: job.run(),
    lambda _, job: job.abort(),
    lambda _, job: job.delete(),
    lambda planner, _: planner.undrain("a"),
]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("answer", [HTML, httpx.Response(200), httpx.Response(202)])
def test_no_change_is_taken_for_done(
    change: Callable[[Planner, Job], Any], answer: httpx.Response
) -> None:
    job = {"jobId": "a", "phase": "EXECUTING"}

    def answers(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json=job) if request.method == "GET" else answer

    planner = Planner("http://x", transport=httpx.MockTransport(answers), retries=0)
    with pytest.raises(PlannerError, match="is the url right") as raised:
        change(planner, planner.job("a"))
    assert raised.value.code == "not-a-planner"


def test_it_says_what_came_instead() -> None:
    with pytest.raises(PlannerError, match=r"The answer \(text/html.*\) is no document"):
        planner_of(HTML).site()
    with pytest.raises(PlannerError, match="has no site of a planner"):
        planner_of(httpx.Response(200, json={})).site()


@pytest.mark.parametrize("errors", ["abc", 5, ["a", 5], {"a": 1}, None])
def test_a_refusal_with_other_errors_can_be_read(errors: object) -> None:
    problem = {"code": "x", "detail": "No.", "errors": errors}
    with pytest.raises(PlannerError) as raised:
        planner_of(httpx.Response(400, json=problem)).site()
    assert str(raised.value) == "x: No."


def test_a_time_to_wait_in_other_digits_is_none() -> None:
    busy = httpx.Response(503, headers={b"Retry-After": "²".encode("latin-1")})
    with pytest.raises(PlannerError) as raised:
        planner_of(busy).site()
    assert raised.value.retry_after is None


@pytest.mark.parametrize("data", ["none", "5", '["a"]', "null"])
def test_a_log_of_other_events_is_none(data: str) -> None:
    stream = httpx.Response(
        200, headers={"Content-Type": "text/event-stream"}, content=f"data: {data}\n\n".encode()
    )
    job = httpx.Response(200, json={"jobId": "a", "phase": "EXECUTING"})

    def answer(request: httpx.Request) -> httpx.Response:
        return stream if "/results/" in request.url.path else job

    planner = Planner("http://x", transport=httpx.MockTransport(answer), retries=0)
    with pytest.raises(PlannerError) as raised:
        list(planner.job("a").follow())
    assert raised.value.code == "not-a-planner"


@pytest.mark.parametrize("data", ["none", "5", '["a"]', "null"])
def test_a_stream_of_other_events_has_no_changes(data: str) -> None:
    stream = httpx.Response(
        200, headers={"Content-Type": "text/event-stream"}, content=f"data: {data}\n\n".encode()
    )
    with pytest.raises(PlannerError) as raised:
        next(planner_of(stream).events())
    assert raised.value.code == "not-a-planner"


def test_a_page_to_log_in_at_has_no_changes() -> None:
    with pytest.raises(PlannerError, match=r"text/html.*is the url right") as raised:
        next(planner_of(HTML).events())
    assert (raised.value.code, raised.value.status) == ("not-a-planner", 200)


def test_the_refusal_of_changes_is_read_to_its_end() -> None:
    pieces = [b'{"code": "forbidden", ', b'"detail": "Not for you."}']
    kind = {"Content-Type": "application/json"}
    refusal = httpx.Response(403, headers=kind, stream=_Pieces(pieces))
    with pytest.raises(PlannerError, match="forbidden: Not for you"):
        next(planner_of(refusal).events())


class _Pieces(httpx.SyncByteStream):
    """A body that comes in pieces."""

    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = pieces

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._pieces)
