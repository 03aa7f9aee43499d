"""Which requests are sent again, when, and with what."""

from __future__ import annotations

from typing import Any

import pytest
from stage import Stage, document, in_turn, job

from execution_planner import asking, running
from execution_planner.errors import OfferExpired, OfferTaken, PlannerError, Unreachable
from execution_planner.requests import Lost, Request, Response, retry_after, sending
from execution_planner.waiting import current

YES = document({"response": {"result": "YES", "ident": "a1", "offers": []}})
ACCEPTED = document({"offer": {"ident": "o1", "status": "ACCEPTED"}})


def ask(stage: Stage, **words: Any) -> Any:
    plan = asking.ask(stage.service(**words), {"task": {}}, key=None, nearest=True, timeout=None)
    return stage.run(plan)


@pytest.mark.parametrize(
    "trouble", [Lost("reset"), *(Response(s, {}) for s in (429, 502, 503, 504))]
)
def test_an_ask_is_sent_again_under_the_same_key(trouble: Any) -> None:
    stage = Stage(in_turn(trouble, trouble, YES))
    assert ask(stage)["ident"] == "a1"
    keys = [request.headers["Idempotency-Key"] for request in stage.requests]
    assert len(keys) == 3 and len(set(keys)) == 1 and len(keys[0]) > 20


def test_two_asks_have_two_keys() -> None:
    stage = Stage(in_turn(YES))
    ask(stage), ask(stage)
    assert len({request.headers["Idempotency-Key"] for request in stage.requests}) == 2


def test_the_client_can_give_the_key() -> None:
    stage = Stage(in_turn(YES))
    plan = asking.ask(stage.service(), b"task: {}", key="mine", nearest=False, timeout=5)
    stage.run(plan)
    request = stage.requests[0]
    assert request.headers == {"Content-Type": "application/yaml", "Idempotency-Key": "mine"}
    assert (request.query, request.timeout) == ([("nearest", "false")], 5)


def test_an_accept_is_sent_again_under_the_same_key() -> None:
    stage = Stage(in_turn(Lost("reset"), Response(503, {"retry-after": "2"}), ACCEPTED))
    stage.run(asking.accept(stage.service(), "o1", "auto", {}))
    assert len({request.headers["Idempotency-Key"] for request in stage.requests}) == 1
    assert len(stage.requests) == 3 and 2 <= stage.pauses[1] <= 2.5


@pytest.mark.parametrize("trouble", [Lost("reset"), Response(503, {}), Response(429, {})])
@pytest.mark.parametrize(
    "write",
    [
        lambda service: asking.reject(service, "o1", None),
        lambda service: running.change_phase(service, "j1", "ABORT", None),
        lambda service: running.delete(service, "j1", None),
    ],
)
def test_other_writes_are_sent_once(write: Any, trouble: Any) -> None:
    stage = Stage(in_turn(trouble))
    with pytest.raises(PlannerError):
        stage.run(write(stage.service()))
    assert len(stage.requests) == 1 and stage.pauses == []


def test_reading_is_repeated() -> None:
    stage = Stage(in_turn(Lost("reset"), Response(502, {}), job("QUEUED")))
    assert stage.run(current(stage.service(), "j1"))["phase"] == "QUEUED"


def test_the_pause_doubles_from_half_a_second() -> None:
    stage = Stage(in_turn(Lost("reset")))
    with pytest.raises(Unreachable, match="reset"):
        ask(stage, retries=4)
    assert stage.pauses == [0.5, 1, 2, 4] and len(stage.requests) == 5


@pytest.mark.parametrize("random", [0.0, 1.0])
def test_pauses_differ_from_client_to_client(random: float) -> None:
    stage = Stage(in_turn(Lost("reset")))
    habits = stage.service().habits._replace(random=lambda: random)
    with pytest.raises(Lost):
        stage.run(sending(Request("GET", "/me", repeat=True), habits))
    assert stage.pauses == [seconds * (0.75 + random / 2) for seconds in (0.5, 1, 2)]


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_an_ask_outlives_a_service_that_is_started_anew_behind_a_proxy(status: int) -> None:
    stage = Stage(lambda _: Response(status, {}) if stage.now < 1015 else YES)
    assert ask(stage)["ident"] == "a1"
    assert len({request.headers["Idempotency-Key"] for request in stage.requests}) == 1


def test_a_service_that_stays_busy_ends_an_ask_after_half_a_minute() -> None:
    stage = Stage(in_turn(Response(503, {"retry-after": "5"})))
    with pytest.raises(PlannerError) as busy:
        ask(stage)
    assert busy.value.retry_after == 5 and 30 <= stage.now - 1000 <= 36


def test_a_busy_service_is_read_again_as_often_as_a_lost_one() -> None:
    stage = Stage(in_turn(Response(502, {})))
    with pytest.raises(PlannerError):
        stage.run(current(stage.service(), "j1"))
    assert stage.pauses == [0.5, 1, 2]


def test_a_service_that_wants_to_be_asked_at_once_is_asked_in_no_tight_loop() -> None:
    stage = Stage(in_turn(Response(503, {"retry-after": "0"})))
    with pytest.raises(PlannerError):
        stage.run(current(stage.service(), "j1"))
    assert stage.pauses == [0.5, 1, 2]


@pytest.mark.parametrize("trouble", [Lost("reset"), Response(503, {})])
def test_without_retries_nothing_is_sent_again(trouble: Any) -> None:
    stage = Stage(in_turn(trouble))
    with pytest.raises(PlannerError):
        ask(stage, retries=0)
    assert len(stage.requests) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 410, 413, 422, 500, 501])
def test_a_refusal_is_not_sent_again(status: int) -> None:
    stage = Stage(in_turn(document({"code": "some", "detail": "No."}, status)))
    with pytest.raises(PlannerError) as refused:
        ask(stage)
    assert (refused.value.status, refused.value.code, len(stage.requests)) == (status, "some", 1)


def test_retry_after_in_seconds_is_kept() -> None:
    stage = Stage(in_turn(Response(429, {"retry-after": "7"}), YES))
    ask(stage)
    assert 7 <= stage.pauses[0] <= 7.5


def test_retry_after_as_a_date_is_counted_by_the_clock_of_the_service() -> None:
    headers = {
        "retry-after": "Sun, 06 Nov 1994 08:49:37 GMT",
        "date": "Sun, 06 Nov 1994 08:49:25 GMT",
    }
    stage = Stage(in_turn(Response(503, headers), YES))
    ask(stage)
    assert 12 <= stage.pauses[0] <= 12.5


def test_a_date_that_is_over_means_at_once() -> None:
    past = {"retry-after": "Sun, 06 Nov 1994 08:49:37 GMT"}
    assert retry_after(Response(503, past)) == 0
    assert retry_after(Response(503, {"retry-after": "tomorrow"})) is None
    assert retry_after(Response(503, {})) is None


def test_a_long_retry_after_is_told_instead_of_waited_for() -> None:
    stage = Stage(in_turn(Response(503, {"retry-after": "3600"})))
    with pytest.raises(PlannerError) as refused:
        ask(stage)
    assert refused.value.retry_after == 3600 and stage.pauses == []


def test_an_offer_that_is_over_has_the_ask_to_ask_again() -> None:
    stage = Stage(in_turn(document({"code": "offer-expired", "detail": "Over."}, 410)))
    with pytest.raises(OfferExpired) as over:
        stage.run(asking.accept(stage.service(), "o1", "auto", {"task": {"type": "t"}}))
    assert over.value.ask == {"task": {"type": "t"}} and over.value.code == "offer-expired"


def test_an_offer_that_lost_names_the_winner() -> None:
    body = {"code": "offer-taken", "detail": "Taken.", "winner": "o2"}
    stage = Stage(in_turn(document(body, 409)))
    with pytest.raises(OfferTaken) as taken:
        stage.run(asking.accept(stage.service(), "o1", "auto", {"task": {}}))
    assert taken.value.winner == "o2" and taken.value.ask == {"task": {}}
