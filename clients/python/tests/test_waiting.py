"""Waiting for the end of a job."""

from __future__ import annotations

from typing import Any

import pytest
from stage import Stage, document, in_turn, job

from execution_planner.errors import PlannerError, Unreachable, WaitTimeout
from execution_planner.requests import Lost, Request, Response
from execution_planner.waiting import waiting


def wait(stage: Stage, timeout: float | None = None, phase: str = "QUEUED") -> Any:
    return stage.run(waiting(stage.service(), "j1", phase, timeout))


def after(stage: Stage, seconds: float, answer: Any) -> Any:
    """An answer that takes a while."""

    def later(_: Request) -> Any:
        stage.now += seconds
        return answer

    return later


def holding(stage: Stage, phases: list[str], each: float) -> Any:
    """A service that holds a WAIT until the next phase, or until it is over."""

    def answer(request: Request) -> Any:
        query = dict(request.query)
        begun = int((stage.now - 1000) / each)
        phase = phases[min(begun, len(phases) - 1)]
        if query.get("PHASE") == phase and "WAIT" in query:
            until = 1000 + (begun + 1) * each
            stage.now = min(stage.now + float(query["WAIT"]), until)
            phase = phases[min(int((stage.now - 1000) / each), len(phases) - 1)]
        return job(phase)

    return answer


def test_a_wait_ends_with_the_job() -> None:
    stage = Stage(lambda _: None)
    stage._answer = holding(stage, ["QUEUED", "EXECUTING", "COMPLETED"], 30)
    assert wait(stage)["phase"] == "COMPLETED"
    assert stage.now == 1060 and stage.pauses == []


def test_a_job_that_has_ended_is_not_waited_for() -> None:
    stage = Stage(in_turn(job("ABORTED")))
    assert wait(stage)["phase"] == "ABORTED"
    assert len(stage.requests) == 1 and stage.requests[0].query == []


def test_the_first_look_does_not_wait_since_the_known_phase_may_be_old() -> None:
    stage = Stage(lambda _: None)
    stage._answer = holding(stage, ["EXECUTING", "COMPLETED"], 20)
    wait(stage, phase="QUEUED")
    first, second, *_ = stage.requests
    assert first.query == [] and second.query == [("WAIT", "60"), ("PHASE", "EXECUTING")]


def test_a_wait_is_at_most_a_minute_and_silence_is_longer() -> None:
    stage = Stage(lambda _: None)
    stage._answer = holding(stage, ["EXECUTING"] * 10 + ["COMPLETED"], 60)
    wait(stage)
    waits = [(dict(request.query).get("WAIT"), request.timeout) for request in stage.requests[1:]]
    assert set(waits) == {("60", 75.0)}


def test_a_wait_is_what_is_left_of_the_time() -> None:
    stage = Stage(lambda _: None)
    stage._answer = holding(stage, ["EXECUTING"], 10_000)
    with pytest.raises(WaitTimeout) as late:
        wait(stage, 100)
    assert [dict(request.query).get("WAIT") for request in stage.requests] == [None, "60", "40"]
    assert stage.now == 1100 and isinstance(late.value, TimeoutError)
    assert "EXECUTING" in str(late.value)


def test_the_reading_time_out_never_exceeds_what_is_left_by_more_than_a_second() -> None:
    stage = Stage(lambda _: None)
    stage._answer = holding(stage, ["EXECUTING"], 10_000)
    with pytest.raises(WaitTimeout):
        wait(stage, 90.5)
    assert all((request.timeout or 0) <= 91.5 for request in stage.requests)


def test_no_time_means_one_look() -> None:
    stage = Stage(in_turn(job("EXECUTING")))
    with pytest.raises(WaitTimeout):
        wait(stage, 0)
    assert len(stage.requests) == 1
    assert wait(Stage(in_turn(job("COMPLETED"))), 0)["phase"] == "COMPLETED"


def test_a_service_that_ignores_wait_is_asked_ever_more_slowly() -> None:
    stage = Stage(in_turn(*[job("EXECUTING")] * 30, job("COMPLETED")))
    wait(stage)
    assert len(stage.pauses) == 29 and max(stage.pauses) <= 5
    assert stage.pauses[:6] == sorted(stage.pauses[:6]) and stage.pauses[-1] > 4
    assert stage.now > 1100


def test_another_phase_makes_the_next_pause_short_again() -> None:
    stage = Stage(in_turn(*[job("QUEUED")] * 9, *[job("EXECUTING")] * 3, job("COMPLETED")))
    wait(stage)
    assert stage.pauses[7] > 4 > 1 > stage.pauses[8]


def test_a_pause_does_not_exceed_the_time() -> None:
    stage = Stage(in_turn(job("EXECUTING")))
    with pytest.raises(WaitTimeout):
        wait(stage, 12)
    assert stage.now == pytest.approx(1012)


@pytest.mark.parametrize("trouble", [Lost("reset"), Response(503, {}), Response(429, {})])
def test_trouble_does_not_end_a_wait(trouble: Any) -> None:
    stage = Stage(in_turn(job("QUEUED"), trouble, trouble, trouble, trouble, job("COMPLETED")))
    assert wait(stage)["phase"] == "COMPLETED"


def test_a_service_that_wants_to_be_asked_at_once_is_asked_in_no_tight_loop() -> None:
    busy = Response(503, {"retry-after": "0"})
    stage = Stage(in_turn(job("QUEUED"), *[busy] * 20, job("COMPLETED")))
    assert wait(stage)["phase"] == "COMPLETED"
    assert stage.now - 1000 > 60


def test_losses_that_come_now_and_then_never_end_a_wait() -> None:
    stage = Stage(lambda _: None)
    answers = [job("EXECUTING"), after(stage, 59, Lost("reset"))] * 20
    stage._answer = in_turn(*answers, job("COMPLETED"))
    assert wait(stage)["phase"] == "COMPLETED"


def test_a_service_that_stays_away_ends_a_wait() -> None:
    stage = Stage(in_turn(job("QUEUED"), Lost("refused")))
    with pytest.raises(Unreachable, match="refused"):
        wait(stage)
    assert 120 < stage.now - 1000 < 130


def test_a_service_that_stays_away_does_not_make_a_wait_longer() -> None:
    stage = Stage(lambda _: None)
    stage._answer = in_turn(after(stage, 5, Lost("silence")))
    with pytest.raises(WaitTimeout):
        wait(stage, 20)
    assert stage.now - 1000 < 26


def test_a_refusal_ends_a_wait() -> None:
    gone = Response(404, {"content-type": "text/plain"}, b"job-unknown: There is no job j1.")
    with pytest.raises(PlannerError) as refused:
        wait(Stage(in_turn(job("QUEUED"), gone)))
    assert (refused.value.code, refused.value.detail) == ("job-unknown", "There is no job j1.")
    with pytest.raises(PlannerError):
        wait(Stage(in_turn(document({"code": "x", "detail": "y"}, 401))))
