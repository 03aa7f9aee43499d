"""Following a log: no line lost, none twice, whatever happens on the way."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from stage import Stage, document, job

from execution_planner.errors import PlannerError, Unreachable
from execution_planner.following import Lines, following
from execution_planner.requests import Lost, Request, Response

TEXT = "step 1\nstep 2: é€😀\r\n\nprogress 10%\rprogress 90%\rdone\nlast without end"
LINES = ["step 1", "step 2: é€😀", "", "progress 10%\rprogress 90%\rdone", "last without end"]
STREAM = {"content-type": "text/event-stream; charset=utf-8"}


def events(text: str, at: int, piece: int = 7) -> bytes:
    """What the service sends from a place on, as its `src/uws/live/events.ts` does."""
    rest = text.encode()[at:].decode()
    said, place = b": \n\n", at
    for begin in range(0, len(rest), piece):
        part = rest[begin : begin + piece]
        place += len(part.encode())
        said += f"id: {place}\ndata: {json.dumps(part)}\n\n".encode()
    return said + f'event: end\nid: {place}\ndata: "COMPLETED"\n\n'.encode()


class Log:
    """A log that can be followed from any place; how its stream comes is up to the test."""

    def __init__(self, deliver: Any, phase: str = "COMPLETED") -> None:
        self.deliver = deliver
        self.phase = phase
        self.places: list[str | None] = []

    def __call__(self, request: Request) -> Any:
        if request.path == "/jobs/j1":
            return job(self.phase)
        assert request.path == "/jobs/j1/results/stdout"
        assert list(request.query) == [("EVENTS", "json")] and request.timeout == 40
        self.places.append(request.headers.get("Last-Event-ID"))
        return self.deliver(int(self.places[-1] or 0), len(self.places))


def follow(answer: Any, name: str = "stdout") -> tuple[list[str], Stage]:
    stage = Stage(answer)
    final = stage.run(following(stage.service(), "j1", name))
    assert final["phase"] in ("COMPLETED", "ERROR", "ABORTED")
    lines = Lines()
    said = [line for piece in stage.said for line in lines.feed(piece)]
    return said + list(lines.end()), stage


def streamed(*pieces: bytes | Lost) -> Any:
    return Response(200, STREAM), pieces


WHOLE = events(TEXT, 0)


def test_a_log_has_its_lines_and_the_job_is_read_at_its_end() -> None:
    lines, stage = follow(Log(lambda at, _: streamed(events(TEXT, at))))
    assert lines == LINES and stage.requests[-1].path == "/jobs/j1"


@pytest.mark.parametrize("at", range(len(WHOLE)))
def test_a_stream_that_breaks_at_any_byte_goes_on_with_the_next_line(at: int) -> None:
    def deliver(place: int, time: int) -> Any:
        if time == 1:
            return streamed(WHOLE[:at], Lost("reset"))
        return streamed(events(TEXT, place))

    log = Log(deliver)
    lines, stage = follow(log)
    assert lines == LINES and "".join(stage.said) == TEXT


@pytest.mark.parametrize("at", range(len(WHOLE)))
def test_a_stream_that_just_ends_at_any_byte_goes_on_with_the_next_line(at: int) -> None:
    def deliver(place: int, time: int) -> Any:
        return streamed(WHOLE[:at] if time == 1 else events(TEXT, place))

    assert follow(Log(deliver))[0] == LINES


@pytest.mark.parametrize("length", [1, 2, 3, 5, 40])
def test_a_connection_that_breaks_again_and_again_loses_nothing(length: int) -> None:
    def deliver(place: int, _: int) -> Any:
        whole = events(TEXT, place, length)
        if place == len(TEXT.encode()):
            return streamed(whole)
        # One event comes whole each time, and some bytes of the next one.
        first = whole.index(b"\n\n", 6) + 2
        return streamed(whole[:first], whole[first : first + 9], Lost("reset"))

    lines, stage = follow(Log(deliver))
    assert lines == LINES and "".join(stage.said) == TEXT


def test_the_first_reading_names_no_place_and_the_next_one_the_bytes_that_came() -> None:
    def deliver(place: int, time: int) -> Any:
        whole = events("aé\nb\n", place, 3)
        return streamed(whole[: whole.index(b"b")], Lost("reset")) if time == 1 else streamed(whole)

    log = Log(deliver)
    assert follow(log)[0] == ["aé", "b"]
    assert log.places == [None, "4"]


def test_a_log_that_begins_while_the_job_waits_is_followed_from_its_beginning() -> None:
    phases = iter(["PENDING", "QUEUED", "EXECUTING"])
    stage_log = Log(lambda at, _: streamed(events(TEXT, at)))

    def answer(request: Request) -> Any:
        if request.path == "/jobs/j1":
            return job(next(phases, "COMPLETED"))
        if len(stage_log.places) < 3:
            stage_log.places.append(None)
            return Response(404, {"content-type": "text/plain"}, b"result-unknown: Not yet.")
        return stage_log(request)

    lines, stage = follow(answer)
    assert lines == LINES and len(stage.pauses) == 3


def test_everything_that_is_known_already_is_no_text() -> None:
    def deliver(_: int, time: int) -> Any:
        before_end = WHOLE[: WHOLE.index(b"event: end")]
        return streamed(before_end, Lost("reset")) if time == 1 else Response(204, {})

    log = Log(deliver)
    assert follow(log)[0] == LINES
    assert log.places == [None, str(len(TEXT.encode()))]


def test_a_job_that_never_began_has_an_empty_log() -> None:
    def answer(request: Request) -> Any:
        if request.path == "/jobs/j1":
            return job("ABORTED")
        return Response(404, {"content-type": "text/plain"}, b"result-unknown: None.")

    assert follow(answer)[0] == []


def test_a_log_of_another_name_is_an_error_that_says_so() -> None:
    def answer(request: Request) -> Any:
        if request.path == "/jobs/j1":
            return job("COMPLETED", results=[{"id": "machine-0.stdout"}])
        return Response(404, {"content-type": "text/plain"}, b"result-unknown: No stdout.")

    with pytest.raises(PlannerError, match="No stdout"):
        follow(answer)


def test_a_job_that_is_gone_ends_the_following() -> None:
    gone = Response(404, {"content-type": "text/plain"}, b"job-unknown: Gone.")
    with pytest.raises(PlannerError) as refused:
        follow(lambda _: gone)
    assert refused.value.code == "job-unknown"


def test_a_file_is_no_log() -> None:
    html = Response(200, {"content-type": "text/html"}), [b"<p>"]
    with pytest.raises(PlannerError, match="no log"):
        follow(lambda _: html)


def test_a_client_above_the_limit_of_streams_looks_again_with_pauses() -> None:
    def deliver(at: int, time: int) -> Any:
        now = TEXT if time > 12 else TEXT[:8]
        whole = events(now, at)
        return streamed(whole if time > 12 else whole[: whole.index(b"event: end")])

    lines, stage = follow(Log(deliver))
    assert lines == LINES and len(stage.pauses) == 12
    assert max(stage.pauses) <= 5 and stage.now - 1000 > 30


@pytest.mark.parametrize("trouble", [Lost("refused"), Response(503, {}), Response(502, {})])
def test_trouble_does_not_end_the_following(trouble: Any) -> None:
    log = Log(lambda at, time: trouble if time in (1, 2, 3) else streamed(events(TEXT, at)))
    assert follow(log)[0] == LINES


def test_after_a_loss_that_text_came_before_the_next_reading_begins_soon() -> None:
    def deliver(place: int, _: int) -> Any:
        whole = events(TEXT, place)
        first = whole.index(b"\n\n", 6) + 2
        return streamed(whole[:first], Lost("reset")) if place < 40 else streamed(whole)

    _, stage = follow(Log(deliver))
    assert len(stage.pauses) > 4 and max(stage.pauses) < 0.3


def test_a_service_that_stays_away_ends_the_following() -> None:
    stage = Stage(lambda _: Lost("refused"))
    with pytest.raises(Unreachable, match="refused"):
        stage.run(following(stage.service(), "j1", "stdout"))
    assert 120 < stage.now - 1000 < 130


def test_a_log_of_many_hours_with_a_loss_now_and_then_never_ends_early() -> None:
    def deliver(at: int, time: int) -> Any:
        if time < 100:
            stage.now += 3600
            return streamed(b": \n\n", Lost("silence"))
        return streamed(events(TEXT, at))

    stage = Stage(Log(deliver))
    stage.run(following(stage.service(), "j1", "stdout"))
    assert "".join(stage.said) == TEXT


def test_a_refusal_ends_the_following() -> None:
    with pytest.raises(PlannerError) as refused:
        follow(lambda _: document({"code": "credential", "detail": "Sign in."}, 401))
    assert refused.value.status == 401


def cuts(text: str) -> Iterator[tuple[str, str]]:
    return ((text[:at], text[at:]) for at in range(len(text) + 1))


def test_lines_are_the_same_however_the_text_is_cut() -> None:
    for first, second in cuts(TEXT):
        lines = Lines()
        found = [*lines.feed(first), *lines.feed(second), *lines.end()]
        assert found == LINES
