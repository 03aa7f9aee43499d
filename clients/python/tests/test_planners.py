"""Several planners at once: real services, one of them with smaller machines."""

from __future__ import annotations

import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import httpx
import pytest
from real_service import ADA, RealService

from execution_planner import (
    AsyncPlanners,
    Planner,
    PlannerError,
    Planners,
    Refused,
    Unreachable,
    executable,
)  # fmt: skip
from execution_planner.many import AllRefused, merged, names_of, notes_of
from execution_planner.many_view import PlannersWarning
from execution_planner.together import together

TASK = executable("echo", "here")
NOWHERE = "http://127.0.0.1:9"


class Switch(httpx.BaseTransport):
    """The network of a planner: slow, or away, when a test wants that."""

    def __init__(self) -> None:
        self.network = httpx.HTTPTransport(verify=False)
        self.is_away = False
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.answered: list[httpx.Request] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self.is_away:
            raise httpx.ConnectError("the cable is cut")
        response = self.network.handle_request(request)
        assert self.may_answer.wait(60)
        self.answered.append(request)
        return response


@pytest.fixture
def switch() -> Switch:
    return Switch()


@pytest.fixture
def both(service: RealService, second: RealService, switch: Switch) -> Iterator[Planners]:
    """A large and a small planner; the network of the small one can be switched."""
    with Planners([
        Planner(service.url, token=ADA),
        Planner(second.url, token=ADA, transport=switch, retries=0),
    ], timeout=60) as planners:  # fmt: skip
        yield planners


def eventually(holds: Callable[[], bool]) -> None:
    """Wait for something that another thread or the service does."""
    until = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.05)


def statuses(planner: Planner, offers: Any) -> set[str]:
    return {planner.offer(offer.id).status for offer in offers}


def test_the_offers_of_all_are_one_table(both: Planners) -> None:
    with both.ask(TASK, cores=1) as offers:
        assert set(offers.by_planner) == set(both.names)
        assert len(offers) == sum(map(len, offers.by_planner.values())) == 4
        assert {offer.planner for offer in offers} == set(both.names)
        assert offers.table().headers[:3] == ("", "planner", "destination")
        lines = repr(offers).splitlines()
        assert len(lines) == 5
        assert all(name in repr(offers) and name in offers._repr_html_() for name in both.names)
        starts = [offer.start.timestamp() // 60 for offer in offers]
        assert starts == sorted(starts)
        assert offers.soonest.start == min(offer.start for offer in offers)


def test_accepting_one_gives_back_the_others_at_all_planners(both: Planners) -> None:
    offers = both.ask(TASK)
    large, little = (offers.by_planner[name] for name in both.names)
    chosen = next(offer for offer in offers if offer.planner == both.names[1])
    job = chosen.accept()
    assert job.wait(120).results["stdout"].text() == "here\n"
    assert job.url.startswith(both[1].url)
    assert statuses(both[0], large) == {"REJECTED"}
    others = [offer for offer in little if offer.id != chosen.id]
    assert statuses(both[1], others) == {"REJECTED"}
    assert offers.notes == []


def test_leaving_the_block_gives_everything_back(both: Planners) -> None:
    with both.ask(TASK) as offers:
        pass
    for name, planner in zip(both.names, both, strict=True):
        assert statuses(planner, offers.by_planner[name]) == {"REJECTED"}


def test_a_no_is_a_note_while_another_says_yes(both: Planners) -> None:
    with both.ask(TASK, cores=8) as offers:
        assert set(offers.by_planner) == {both.names[0]}
        assert isinstance(offers.refusals[both.names[1]], Refused)
        [note] = offers.notes
        assert note.startswith(f"{both.names[1]}: NO: ") and "8" in note
        assert repr(offers).splitlines()[-1] == note


def test_if_all_say_no_the_reasons_are_told_by_planner(both: Planners) -> None:
    with pytest.raises(Refused) as caught:
        both.ask(TASK, cores=64)
    no = caught.value
    assert isinstance(no, AllRefused)
    assert list(no.planners) == both.names
    assert {reason["planner"] for reason in no.reasons} == set(both.names)
    assert no.nearest is not None and both[0].check(no.nearest.ask)
    text = str(no)
    assert text.startswith("No planner says YES.\n")
    assert [f"{name}: The planner says NO:" in text for name in both.names] == [True, True]


def test_check_tells_what_each_would_answer_and_is_true_if_one_says_yes(both: Planners) -> None:
    large, little = both.names
    before = {offer.id for offers in both.offers().values() for offer in offers}
    answers = both.check(TASK, cores=8)
    assert answers and list(answers) == both.names and len(answers) == 2
    assert answers[large] and not answers[little]
    assert answers[little].reasons and answers.notes == []
    assert repr(answers).startswith(f"{large}: YES\n")
    assert f"\n{little}: The planner says NO:" in repr(answers)
    assert not both.check(TASK, cores=64)
    assert {offer.id for offers in both.offers().values() for offer in offers} <= before


def test_offers_and_calendars_are_those_of_each_planner(both: Planners) -> None:
    with both.ask(TASK) as asked:
        offers = both.offers(status="OFFERED")
        assert list(offers) == both.names
        for name in both.names:
            ids = {offer.id for offer in asked.by_planner[name]}
            assert ids and ids <= {offer.id for offer in offers[name]}
    calendars = both.calendar(mine=True)
    assert list(calendars) == both.names
    assert [len(calendar) for calendar in calendars.values()] == [
        len(planner.calendar()) for planner in both
    ]


def test_a_planner_that_is_away_is_a_note_of_check_and_a_warning_of_the_lists(
    both: Planners, switch: Switch
) -> None:
    switch.is_away = True
    said = f"{both.names[1]}: No answer from {both[1].url}: the cable is cut"
    assert both.check(TASK).notes == [said]
    for call in (both.offers, both.calendar):
        with pytest.warns(PlannersWarning, match="the cable is cut") as warned:
            assert list(call()) == both.names[:1]
        mine = [one.filename for one in warned if issubclass(one.category, PlannersWarning)]
        assert mine == [__file__]


def test_check_offers_and_calendar_are_unreachable_if_all_are_away() -> None:
    nobody = Planners([Planner(NOWHERE, retries=0), Planner("http://127.0.0.1:10", retries=0)])
    for call in (partial(nobody.check, TASK), nobody.offers, nobody.calendar):
        with pytest.raises(Unreachable, match="No planner answers"):
            call()


def test_a_wrong_word_is_the_callers_mistake_whatever_the_planners_say(both: Planners) -> None:
    with pytest.raises(TypeError, match="coers"):
        both.check(TASK, coers=1)
    with pytest.raises(TypeError, match="staus"):
        both.offers(staus=None)


def test_a_planner_that_is_away_is_a_note(both: Planners, switch: Switch) -> None:
    switch.is_away = True
    with both.ask(TASK) as offers:
        assert offers.notes == [f"{both.names[1]}: No answer from {both[1].url}: the cable is cut"]
    with pytest.raises(Refused, match="the cable is cut"):
        both.ask(TASK, cores=64)


def test_if_all_are_away_it_is_unreachable() -> None:
    nobody = Planners([Planner(NOWHERE, retries=0), Planner("http://127.0.0.1:10", retries=0)])
    with pytest.raises(Unreachable) as caught:
        nobody.ask(TASK)
    assert "No planner answers.\n127.0.0.1:9: " in str(caught.value)
    assert "\n127.0.0.1:10: " in str(caught.value)


def test_a_slow_planner_does_not_hold_back_and_its_late_offers_are_given_back(
    both: Planners, switch: Switch
) -> None:
    begun = time.monotonic()
    both[0].ask(TASK).reject()
    # As long as this machine needs now for many asks.
    enough = 2 + round(20 * (time.monotonic() - begun))
    switch.may_answer.clear()
    before = {offer.id for offer in both[0].offers(status=None)}
    with Planner(both[1].url, token=ADA) as watching:
        known = {offer.id for offer in watching.offers(status=None)}
        with both.ask(TASK, timeout=enough) as offers:
            assert set(offers.by_planner) == {both.names[0]}
            assert offers.notes == [f"{both.names[1]}: no answer within {enough} s"]
            assert {offer.id for offer in offers}.isdisjoint(before)
            eventually(lambda: len(_new(watching, known, "OFFERED")) == 2)
            switch.may_answer.set()
            eventually(lambda: len(_new(watching, known, "REJECTED")) == 2)


def _new(planner: Planner, known: set[str], status: str) -> list[str]:
    return [offer.id for offer in planner.offers(status=status) if offer.id not in known]


def test_what_cannot_be_given_back_is_said_and_the_job_runs(both: Planners, switch: Switch) -> None:
    offers = both.ask(TASK)
    chosen = next(offer for offer in offers if offer.planner == both.names[0])
    switch.is_away = True
    with pytest.warns(PlannersWarning, match=r"not given back \(.*the cable is cut\)") as warned:
        job = chosen.accept()
    said = [one for one in warned if one.category is PlannersWarning]
    assert [one.filename for one in said] == [__file__]
    assert job.wait(120).phase == "COMPLETED"
    [note] = offers.notes
    assert note.startswith(f"{both.names[1]}: ") and "expire by themselves in " in note
    assert offers.table().text().splitlines()[-1] == note


def test_an_offer_that_is_over_leaves_the_others_open(both: Planners) -> None:
    with both.ask(TASK) as offers:
        chosen = offers[0]
        chosen.reject()
        with pytest.raises(PlannerError):
            chosen.accept()
        others = [offer for offer in offers if offer.planner != chosen.planner]
        assert all(offer.refresh().status == "OFFERED" for offer in others)


def test_jobs_of_all_planners_come_newest_first(both: Planners, switch: Switch) -> None:
    made = []
    for name in (both.names[0], both.names[1], both.names[0]):
        offers = both.ask(executable("true"), name="threads")
        made.append(next(o for o in offers if o.planner == name).accept())
    jobs = list(both.jobs(name="threads"))
    assert [job.id for job in jobs] == [job.id for job in reversed(made)]
    assert [job.id for job in both.jobs(name="threads", limit=2)] == [job.id for job in jobs[:2]]
    assert both.job(made[1].url).id == both.job(made[1].id).id == made[1].id
    switch.is_away = True
    with pytest.warns(PlannersWarning, match="the cable is cut"):
        assert [job.id for job in both.jobs(name="threads")] == [made[2].id, made[0].id]
    with pytest.raises(PlannerError, match="No planner has the job .*the cable is cut"):
        both.job(made[1].id)


def test_a_wrong_word_is_the_callers_error(both: Planners) -> None:
    with pytest.raises(TypeError, match="cores: 'many' is no number"):
        both.ask(TASK, cores="many")
    with pytest.raises(TypeError, match="unexpected keyword argument 'core'"):
        both.ask(TASK, core=1)


def test_planners_have_short_names_that_differ() -> None:
    assert names_of(["https://a.example", "https://b.example/planner"]) == [
        "a.example",
        "b.example",
    ]
    assert names_of(["https://a.example/x", "https://a.example/y"]) == [
        "a.example/x",
        "a.example/y",
    ]
    with pytest.raises(ValueError, match="there is none"):
        names_of([])
    with pytest.raises(ValueError, match="https://a.example is there twice"):
        names_of(["https://a.example", "https://a.example"])
    with pytest.raises(TypeError, match="is one text. Give a list of URLs"):
        Planners("https://a.example")


def test_calls_that_are_late_are_left_out_and_handed_over_afterwards() -> None:
    go = threading.Event()
    late: list[tuple[str, int]] = []

    def slow() -> int:
        assert go.wait(60)
        return 1

    def broken() -> int:
        raise ValueError("no")

    found = together({"a": slow, "b": lambda: 2, "c": broken}, 0.3,
                     late=lambda key, value: late.append((key, value)))  # fmt: skip
    assert list(found) == ["b", "c"] and found["b"].value == 2
    assert str(found["c"].error) == "no"
    go.set()
    eventually(lambda: late == [("a", 1)])


def test_after_ctrl_c_everything_is_handed_over() -> None:
    waited = threading.main_thread().ident
    handed: queue.Queue[str] = queue.Queue()
    go = threading.Event()

    def interrupting() -> int:
        assert waited is not None
        signal.pthread_kill(waited, signal.SIGINT)
        assert go.wait(60)
        return 2

    with pytest.raises(KeyboardInterrupt):
        together({"quick": lambda: 1, "slow": interrupting}, 60,
                 late=lambda key, value: handed.put(f"{key} {value}"))  # fmt: skip
    go.set()
    assert {handed.get(timeout=60), handed.get(timeout=60)} == {"quick 1", "slow 2"}


def test_there_are_no_notes_without_a_cause() -> None:
    assert notes_of({}, {}) == [] and merged({}) == []


def test_a_token_that_could_be_meant_for_any_planner_goes_to_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PLANNER_TOKEN", "secret")
    for kind in (Planners, AsyncPlanners):
        with pytest.raises(ValueError, match="PLANNER_URL"):
            kind(["http://one.example", "http://two.example"])
    monkeypatch.setenv("PLANNER_URL", "http://one.example")
    Planners(["http://one.example", "http://two.example"]).close()
