"""What people read when something is refused."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from stage import document

from execution_planner import (
    Job,
    JobAborted,
    JobFailed,
    Planner,
    PlannerError,
    Refused,
    Unauthorized,
    WaitTimeout,
)
from execution_planner.problems import problem_of
from execution_planner.requests import Response

NO: dict[str, Any] = {
    "result": "NO",
    "ident": "a1",
    "explain": "https://x/asks/a1/explain",
    "more-reasons": 3,
    "nearest": {
        "destination": "small",
        "changes": [{"path": "p", "from": 64, "to": 4, "text": "p: 4 instead of 64"}],
        "ask": {"task": {}},
    },
    "reasons": [
        {
            "code": "above",
            "path": "p",
            "text": "small, big: Too much.",
            "destinations": ["small", "big"],
        },
        {
            "code": "above",
            "path": "p",
            "text": "huge: Too much.",
            "destinations": ["huge"],
            "more-destinations": 2,
        },
        {"code": "bad", "path": "q", "text": "Not: understood."},
    ],
}


def test_reasons_that_are_the_same_share_a_line() -> None:
    assert str(Refused(NO)).splitlines() == [
        "The planner says NO:",
        "  p: Too much. [small, big, huge, 2 more]",
        "  q: Not: understood.",
        "  and 3 more, in the explanation",
        "Nearest: small would say YES with p: 4 instead of 64",
    ]


def test_a_no_has_its_parts() -> None:
    no = Refused(NO, retry_after=5.0)
    assert (no.code, no.ident, no.explain, no.retry_after) == ("above", "a1", NO["explain"], 5.0)
    assert no.nearest is not None and no.nearest.ask == {"task": {}}
    assert Refused({"reasons": []}).nearest is None


def test_a_problem_document_says_where_the_body_is_wrong() -> None:
    body = {"code": "body-invalid", "detail": "Wrong.", "errors": [{"path": "task", "text": "No."}]}
    problem = problem_of(document(body, 400, x_request_id="r1"))
    assert str(problem) == "body-invalid: Wrong.\n  task: No." and problem.request_id == "r1"


def test_a_fault_of_the_service_names_the_request_for_its_operator() -> None:
    problem = problem_of(document({"code": "internal", "detail": "Sorry."}, 500, x_request_id="r1"))
    assert str(problem).endswith("request r1")


@pytest.mark.parametrize(
    ("response", "code", "detail"),
    [
        (
            Response(404, {"content-type": "text/plain"}, b"job-unknown: None: here."),
            "job-unknown",
            "None: here.",
        ),
        (
            Response(502, {"content-type": "text/html"}, b"<h1>Bad</h1>"),
            "",
            "The answer is HTTP 502.",
        ),
        (Response(502, {"content-type": "text/plain"}, b"Bad gateway: x"), "", "Bad gateway: x"),
        (
            Response(500, {"content-type": "application/json"}, b"no json"),
            "",
            "The answer is HTTP 500.",
        ),
        (
            Response(500, {"content-type": "application/json"}, b"[1]"),
            "",
            "The answer is HTTP 500.",
        ),
        (Response(500, {}), "", "The answer is HTTP 500."),
    ],
)
def test_answers_of_proxies_are_told_as_well(response: Response, code: str, detail: str) -> None:
    problem = problem_of(response)
    assert (problem.code, problem.detail) == (code, detail)


def test_a_challenge_is_kept() -> None:
    body = {"code": "credential-missing", "detail": "Sign in."}
    problem = problem_of(document(body, 401, www_authenticate='Bearer realm="x"'))
    assert isinstance(problem, Unauthorized) and problem.challenges == ['Bearer realm="x"']


def test_exceptions_are_caught_by_what_they_are() -> None:
    late = WaitTimeout("late", job=1)
    assert isinstance(late, TimeoutError) and isinstance(late, PlannerError) and late.job == 1
    failed = JobFailed("Job j1 failed: x", job=1, stderr="last\nwords")
    assert str(failed) == "Job j1 failed: x\nlast\nwords"


@pytest.mark.parametrize("error", [PlannerError("x", code="c", status=400), Refused(NO)])
def test_exceptions_come_back_from_other_processes(error: PlannerError) -> None:
    back = pickle.loads(pickle.dumps(error))
    assert str(back) == str(error) and vars(back) == vars(error)


@pytest.mark.parametrize("kind", [JobFailed, JobAborted, WaitTimeout])
def test_the_end_of_a_job_is_told_to_other_processes_without_its_credential(
    kind: type[PlannerError],
) -> None:
    planner = Planner("http://x", token="secret")
    job = Job(planner._service, planner._runner, {"jobId": "j1", "phase": "ERROR"})
    error = kind("Job j1 failed: x", job=job, code="c")
    pickled = pickle.dumps(error)
    back = pickle.loads(pickled)
    assert b"secret" not in pickled and error.job is job  # type: ignore[attr-defined]
    assert str(back) == str(error) and vars(back) == {**vars(error), "job": None}
