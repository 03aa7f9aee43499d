"""The whole conversation with the real service, sync and async, each body as in the contract."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from contract import CONTRACT, contract
from real_service import RealService

from execution_planner import (
    JobAborted,
    JobFailed,
    OfferExpired,
    OfferTaken,
    PlannerError,
    Refused,
    ResultBroken,
    Unauthorized,
    WaitTimeout,
    executable,
    notebook,
    python_program,
)
from execution_planner.digests import Digest

SLEEP = executable("sleep", "600")


def shell(script: str) -> Any:
    return executable("sh", "-c", script)


def test_an_ask_has_offers_with_everything_that_a_person_wants_to_know(planner: Any) -> None:
    offers = planner.ask(shell("true"), cores=(1, 2), memory="512MiB", duration=timedelta(hours=1))
    assert len(offers) >= 2 and offers.ident in offers.explain
    first = offers[0]
    assert first.status == "OFFERED" and first.destination == "programs"
    assert first.duration == timedelta(hours=1) and first.gpus == 0 and first.cores >= 1
    assert abs(first.start - datetime.now(timezone.utc)) < timedelta(minutes=10)
    assert 240 < first.seconds_left <= 300 and first.expires > first.start
    assert first.costs == [] and first.environment is None
    assert "programs-long" in repr(offers)
    assert "<table" in offers._repr_html_()
    assert offers.first.id == first.id
    assert offers.cheapest.cores <= min(offer.cores for offer in offers)
    assert offers.soonest.start == min(offer.start for offer in offers)
    offers.reject(why="a test")
    assert {offer.status for offer in offers} == {"REJECTED"}


@pytest.mark.parametrize("size", [10, 17 << 20])
def test_a_result_is_compared_with_the_checksum_that_the_service_states(
    planner: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    job = planner.ask(shell(f"head -c {size} /dev/zero > zeros")).first.accept().wait(60)
    zeros = job.results["zeros"]
    assert zeros.save(tmp_path).stat().st_size == size
    monkeypatch.setattr(Digest, "update", lambda *_: None)
    with pytest.raises(ResultBroken, match="sha-256"):
        zeros.save(tmp_path / "broken")


def test_a_job_is_accepted_followed_waited_for_and_read(planner: Any, tmp_path: Path) -> None:
    script = "for i in 1 2 3; do echo step $i; sleep 0.2; done; printf end; echo trouble >&2"
    job = planner.ask(shell(script), name="deep field 7").first.accept()
    assert list(job.follow()) == ["step 1", "step 2", "step 3", "end"]
    assert job.phase == "COMPLETED" and job.name == "deep field 7" and job.ended
    assert job.wait(60).id == job.id and job.error is None and job.destination == "programs"
    assert job.start <= job.end and job.state == "COMPLETED"
    assert list(job.follow("stderr")) == ["trouble"]
    results = job.results
    assert {"stdout", "stderr", "result"} <= set(results) and len(results) == 3
    assert results["stdout"].text() == "step 1\nstep 2\nstep 3\nend"
    assert results["stdout"].size == len(results["stdout"].read())
    assert results["stdout"].open().read() == results["stdout"].read()
    assert results["stdout"].url.endswith(f"/jobs/{job.id}/results/stdout")
    saved = results["stderr"].save(tmp_path)
    assert saved == tmp_path / "stderr" and saved.read_text() == "trouble\n"
    assert sorted(path.name for path in results.save(tmp_path / "all")) == sorted(results)
    with pytest.raises(KeyError, match="stdout"):
        results["plot.png"]
    assert "step 3" in repr(results["stdout"].show())
    job.delete(why="a test")
    with pytest.raises(PlannerError) as gone:
        job.refresh()
    assert gone.value.code == "job-unknown"


def test_pieces_of_a_log_have_the_carriage_returns_of_progress_bars(planner: Any) -> None:
    job = planner.ask(shell(r"printf '10%%\r90%%\rdone\n'")).first.accept()
    assert "".join(job.follow(pieces=True)) == "10%\r90%\rdone\n"
    assert list(job.follow()) == ["10%\r90%\rdone"]


def test_a_job_on_several_machines_has_a_log_for_each(planner: Any) -> None:
    offers = planner.ask(shell("echo here"), resources={"compute": [{"replicas": 2}]})
    job = offers.first.accept()
    assert list(job.follow("machine-1.stdout")) == ["here"]
    assert list(job.follow("machine-0.stdout")) == ["here"]
    with pytest.raises(PlannerError):
        list(job.follow("stdout"))


def test_a_job_that_fails_is_an_exception_with_its_last_words(planner: Any) -> None:
    job = planner.ask(shell("echo out of film >&2; exit 3")).first.accept()
    with pytest.raises(JobFailed) as failed:
        job.wait(60)
    assert failed.value.stderr == "out of film" and "exit code 3" in str(failed.value)
    assert failed.value.job.id == job.id
    assert job.wait(60, check=False).phase == "ERROR"


def test_a_job_that_is_stopped_is_another_exception(planner: Any) -> None:
    job = planner.ask(SLEEP).first.accept()
    with pytest.raises(WaitTimeout) as late:
        job.wait(1.5)
    assert late.value.job.id == job.id
    assert job.abort(why="a test").phase == "ABORTED"
    with pytest.raises(JobAborted):
        job.wait(60)


def test_a_wait_takes_its_time_and_no_more(planner: Any) -> None:
    job = planner.ask(SLEEP).first.accept()
    begun = time.monotonic()
    with pytest.raises(WaitTimeout):
        job.wait(3)
    assert 3 <= time.monotonic() - begun < 10
    job.delete()


def test_the_client_may_start_its_job_itself(planner: Any) -> None:
    job = planner.ask(shell("echo mine")).first.accept(start="client")
    assert job.phase == "PENDING"
    assert job.run().wait(60).phase == "COMPLETED"


def test_with_gives_back_what_was_not_accepted(planner: Any) -> None:
    with planner.ask(shell("true")) as offers:
        pass
    assert {offer.refresh().status for offer in offers} == {"REJECTED"}
    with planner.ask(shell("true")) as offers:
        job = offers[-1].accept()
    assert job.wait(60).phase == "COMPLETED"
    with pytest.raises(RuntimeError, match="mine"), planner.ask(shell("true")) as offers:
        raise RuntimeError("mine")
    assert {offer.status for offer in offers} == {"REJECTED"}


def test_of_one_answer_one_offer_is_accepted(planner: Any) -> None:
    first, second, *_ = planner.ask(shell("true"))
    job = first.accept()
    assert first.accept().id == job.id
    with pytest.raises(OfferTaken) as taken:
        second.accept()
    assert taken.value.winner == job.id
    assert planner.ask(taken.value.ask).first.accept().wait(60).phase == "COMPLETED"


def test_a_rejected_offer_is_over(planner: Any) -> None:
    offer = planner.ask(shell("true")).first
    offer.reject()
    with pytest.raises((OfferTaken, OfferExpired)):
        offer.accept()


def test_a_no_has_every_reason_and_what_would_be_a_yes(planner: Any) -> None:
    with pytest.raises(Refused) as no:
        planner.ask(shell("true"), cores=20)
    assert {reason["code"] for reason in no.value.reasons} >= {"above-max-accepted"}
    assert "programs, programs-long" in str(no.value) and "16 instead of 20" in str(no.value)
    assert no.value.nearest is not None
    offers = planner.ask(no.value.nearest.ask)
    assert offers.first.cores == 16
    offers.reject()
    assert "above-max-accepted" in str(planner.explain(no.value.explain))
    with pytest.raises(Refused) as without:
        planner.ask(shell("true"), cores=20, nearest=False)
    assert without.value.nearest is None


def test_a_check_holds_nothing_and_a_no_is_no_exception(planner: Any) -> None:
    before = len(planner.offers())
    yes = planner.check(shell("true"), cores=2)
    assert yes and yes.offers.first.status == "PROPOSED" and yes.refusal is None
    no = planner.check(shell("true"), cores=20)
    assert not no and no.nearest is not None and no.reasons
    assert "16 instead of 20" in repr(no) and isinstance(no.refusal, Refused)
    assert len(planner.offers()) == before


def test_yaml_is_sent_as_it_is(planner: Any) -> None:
    offers = planner.ask(
        "task:\n  type: executable\n  spec: { command: ['true'] }\n".replace(
            "type: executable", "type: https://www.purl.org/ivoa-net/task-type/executable"
        )
    )
    assert offers.first.accept().wait(60).phase == "COMPLETED"


def test_the_same_key_is_one_decision(planner: Any) -> None:
    key = f"key-{time.time_ns()}"
    offers, again = (planner.ask(shell("true"), key=key) for _ in range(2))
    assert offers.ident == again.ident
    with pytest.raises(PlannerError) as other:
        planner.ask(shell("false"), key=key)
    assert other.value.status == 422
    offers.reject()


def test_lists_are_read_page_by_page(planner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from execution_planner import listing

    monkeypatch.setattr(listing, "PAGE", 2)
    name = f"pages-{time.time_ns()}"
    made = [planner.ask(shell("true"), name=name).first.accept().id for _ in range(5)]
    listed = list(planner.jobs(name=name))
    assert [job.id for job in listed] == made[::-1]
    assert [job.id for job in planner.jobs(name=name, limit=3)] == made[:1:-1]
    assert (
        listed[0].name == name and listed[0].destination == "programs" and listed[0].offered_start
    )
    assert listed[0].wait(60).results["stdout"].read() == b""
    assert list(planner.jobs(name=name, phase=["PENDING", "ABORTED"])) == []
    assert list(planner.jobs(name=name, after=datetime.now(timezone.utc))) == []
    asks = list(planner.asks(limit=5))
    assert [ask["accepted"] for ask in asks] == made[::-1]
    assert planner.asked(asks[0]["ask"])["document"]["name"] == name


def test_open_offers_are_listed_and_found_by_their_id(planner: Any) -> None:
    planner.offers().reject()
    offers = planner.ask(shell("true"))
    assert {offer.id for offer in planner.offers()} == {offer.id for offer in offers}
    assert list(planner.offers(destination="notebooks")) == []
    found = planner.offer(offers.first.id)
    assert found.status == "OFFERED" and planner.offer(found.document["href"]).id == found.id
    with planner.offers() as mine:
        assert len(mine) == len(offers)
    assert len(planner.offers()) == 0


def test_a_job_is_found_by_its_id_and_by_its_url(planner: Any) -> None:
    job = planner.ask(shell("true")).first.accept()
    assert planner.job(job.id).id == planner.job(job.url).id == job.id
    assert planner.job(f"{job.url}/results/stdout").id == job.id
    with pytest.raises(ValueError):
        planner.job("https://elsewhere.example.org/offers/1")


def test_an_answer_is_explained_by_whatever_came_of_it(planner: Any) -> None:
    offers = planner.ask(shell("true"))
    ident = offers.ident
    job = offers.first.accept()
    for about in (offers, offers[0], job, ident, offers.explain, job.id, job.url):
        assert planner.explain(about)["ident"] == ident
    assert planner.explain(job, text=True).startswith(f"Ask {ident}")
    with pytest.raises(PlannerError) as gone:
        planner.explain(str(uuid.uuid4()), text=True)
    assert gone.value.code == "offer-unknown"


def test_the_calendar_the_site_and_oneself(planner: Any) -> None:
    start = datetime.now(timezone.utc) + timedelta(hours=1)
    calendar = planner.calendar(
        start=start, end=start + timedelta(days=1), destinations=["programs"], mine=True
    )
    assert "programs" in repr(calendar) and "notebooks" not in repr(calendar)
    assert planner.me()["identity"]["user"] == "ada@example.org"
    assert planner.site()["name"] == "Site of the client's tests"


@pytest.mark.skipif(
    not CONTRACT.exists() or "/environments" not in contract()["paths"],
    reason="this service has no environments",
)
def test_environments_are_listed(planner: Any) -> None:
    for environment in planner.environments():
        assert environment["environment"] and environment["state"]


def test_events_tell_of_offers_and_jobs(planner: Any) -> None:
    changes = planner.events()
    assert next(changes).kind == "start"
    job = planner.ask(shell("true")).first.accept()
    for change in changes:
        if change.kind == "job" and change.id == job.id:
            if change.document["phase"] == "COMPLETED":
                break
    changes.close()


def test_a_python_program_runs(planner: Any) -> None:
    job = planner.ask(
        python_program("import sys\nprint(sys.argv[1])", arguments=[7])
    ).first.accept()
    assert list(job.follow()) == ["7"]


def test_without_a_credential_one_sees_ones_own_things_only(anonymous: Any, planner: Any) -> None:
    assert anonymous.me()["identity"]["type"] == "anonymous"
    job = planner.ask(shell("true")).first.accept()
    with pytest.raises(PlannerError) as refused:
        anonymous.job(job.id)
    assert refused.value.status in (403, 404)


def test_a_wrong_token_is_told(service: RealService, opened: Callable[..., Any]) -> None:
    with pytest.raises(Unauthorized) as refused:
        opened(service.url, token="wrong").me()
    assert refused.value.status == 401 and refused.value.challenges
    assert refused.value.request_id is not None


def test_a_user_is_no_administrator(planner: Any) -> None:
    with pytest.raises(PlannerError) as refused:
        planner.overview()
    assert refused.value.status == 403


def test_administrators_see_and_stop_what_others_do(operator: Any, planner: Any) -> None:
    job = planner.ask(SLEEP, name="long").first.accept()
    assert {line["destination"] for line in operator.overview()["destinations"]} >= {"programs"}
    assert job.id in {found.id for found in operator.jobs(owner="*", name="long")}
    stopped = operator.job(job.id).abort(why="the test wants it")
    assert stopped.wait(timeout=60, check=False).phase == "ABORTED"
    offer = planner.ask(SLEEP).first
    operator.offer(offer.id).reject(why="this one, too")
    whys = [entry.get("why") for entry in operator.audit(limit=20)]
    assert {"the test wants it", "this one, too"} <= set(whys)
    assert operator.audit(before="2020-01-01T00:00Z") == []


def test_administrators_drain_a_destination(operator: Any, planner: Any) -> None:
    task = notebook({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    end = datetime.now(timezone.utc) + timedelta(hours=1)
    try:
        assert operator.drain("notebooks", "new discs", end=end)["reason"] == "new discs"
        no = planner.check(task)
        assert not no and "new discs" in repr(no)
    finally:
        operator.undrain("notebooks", why="done")
    assert planner.check(task)
