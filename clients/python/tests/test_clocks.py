"""Clocks that jump, laptops that sleep, and connections that fall silent."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable
from typing import Any

import pytest
from broken_server import Got, answer, broken_server
from stage import Stage

from execution_planner import WaitTimeout, clock, following
from execution_planner.offers import Offer, Offers
from execution_planner.requests import Response

OFFER = {
    "ident": "o1",
    "status": "OFFERED",
    "expires": "2026-08-10T10:05:00.000Z",
    "expires-in": 300,
    "destination": "here",
    "time": {"start": "2026-08-10T10:00:00.000Z", "duration": "PT1H"},
    "request": {"task": {"type": "t"}, "resources": {}},
}
LOG = {"Content_Type": "text/event-stream"}


@pytest.fixture(params=[-1e9, 1e9])
def jump(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> float:
    """Sets the wall clock back or forward by thirty years."""
    real = time.time
    seconds: float = request.param
    monkeypatch.setattr(time, "time", lambda: real() + seconds)
    return seconds


def test_the_seconds_of_an_offer_are_those_of_the_service(jump: float) -> None:
    stage = Stage(lambda _: None)
    runner: Any = None
    offer = Offer(stage.service(), runner, OFFER)
    assert offer.seconds_left == 300
    stage.now += 299
    assert offer.seconds_left == 1
    stage.now += 86_400
    assert offer.seconds_left == 0


def test_an_offer_is_given_back_in_its_last_second_too() -> None:
    ended = {**OFFER, "status": "REJECTED"}
    stage = Stage(lambda _: Response(200, {}, json.dumps({"offer": ended}).encode()))
    runner: Any = stage
    offers = Offers(stage.service(), runner, {"offers": [OFFER, OFFER]})
    # `expires-in` is rounded down.
    stage.now += 300.9
    offers[0].reject()
    assert len(stage.requests) == 1
    offers.reject()
    assert len(stage.requests) == 2


def test_an_offer_that_is_over_is_not_given_back() -> None:
    stage = Stage(lambda _: None)
    runner: Any = stage
    offers = Offers(stage.service(), runner, {"offers": [OFFER]})
    stage.now += 301
    offers.reject()
    assert stage.requests == []


def test_a_decided_offer_has_no_seconds_left() -> None:
    runner: Any = None
    offer = Offer(Stage(lambda _: None).service(), runner, {**OFFER, "status": "ACCEPTED"})
    assert offer.seconds_left == 0


def test_a_wait_takes_its_time_though_the_clock_is_set(
    jump: float, opened: Callable[..., Any]
) -> None:
    def handle(got: Got, _: socket.socket) -> bytes:
        if "WAIT=" in got.target:
            time.sleep(0.5)
        return answer({"jobId": "j1", "phase": "EXECUTING", "results": []})

    with broken_server(handle) as server:
        job = opened(server.url).job("j1")
        begun = time.monotonic()
        with pytest.raises(WaitTimeout):
            job.wait(1)
        assert 1 <= time.monotonic() - begun < 7


def test_the_clock_counts_while_the_machine_sleeps(monkeypatch: pytest.MonkeyPatch) -> None:
    if clock._CLOCK is None:
        pytest.skip("this system has no clock that counts during sleep but its monotonic one")
    assert clock.steady() == pytest.approx(time.clock_gettime(time.CLOCK_BOOTTIME), abs=1)
    monkeypatch.setattr(clock, "_CLOCK", None)
    assert clock.steady() == pytest.approx(time.monotonic(), abs=1)


def test_a_log_that_falls_silent_is_followed_on_another_connection(
    opened: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "SILENCE", 0.5)

    def handle(got: Got, connection: socket.socket) -> bytes | None:
        if "/results/" not in got.target:
            return answer({"jobId": "j1", "phase": "COMPLETED", "results": []})
        if "last-event-id" not in got.headers:
            first = f"id: 4\ndata: {json.dumps('one' + chr(10))}\n\nid: 6\ndata: "
            connection.sendall(answer(first.encode(), length=9999, **LOG))
            connection.recv(1)
            return None
        assert got.headers["last-event-id"] == "4"
        rest = f'id: 8\ndata: {json.dumps("two" + chr(10))}\n\nevent: end\ndata: "COMPLETED"\n\n'
        return answer(rest.encode(), **LOG)

    with broken_server(handle) as server:
        assert list(opened(server.url).job("j1").follow()) == ["one", "two"]


def test_a_stream_that_only_says_that_it_lives_is_not_lost(
    opened: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "SILENCE", 1.0)

    def handle(got: Got, connection: socket.socket) -> bytes | None:
        if "/results/" not in got.target:
            return answer({"jobId": "j1", "phase": "COMPLETED", "results": []})
        end = b'event: end\ndata: "COMPLETED"\n\n'
        connection.sendall(answer(b"", length=4 * 8 + len(end), **LOG))
        for _ in range(8):
            connection.sendall(b": \n\n")
            time.sleep(0.3)
        connection.sendall(end)
        return None

    with broken_server(handle) as server:
        assert list(opened(server.url).job("j1").follow()) == []
        assert len([got for got in server.got if "/results/" in got.target]) == 1
