"""The credential goes to the planner and to nobody else."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from broken_server import Broken, BrokenServer, Got, answer, broken_server

from execution_planner import Planner, PlannerError, Unreachable
from execution_planner.addresses import base_url, last_of, path_of

OFFER = {
    "ident": "o1",
    "status": "OFFERED",
    "expires-in": 300,
    "destination": "here",
    "time": {"start": "2026-08-10T10:00:00.000Z", "duration": "PT1H"},
    "request": {"task": {"type": "t"}, "resources": {}},
}


def job_of(foreign: str) -> dict[str, Any]:
    return {
        "jobId": "o1",
        "phase": "COMPLETED",
        "results": [
            {
                "id": "stdout",
                "href": f"{foreign}/jobs/o1/results/stdout",
                "size": 2,
                "mimeType": "text/plain",
            }
        ],
    }


def naming(foreign: str) -> Callable[[Got, socket.socket], bytes]:
    """A service whose documents name another place throughout."""

    def handle(got: Got, _: socket.socket) -> bytes:
        offer = {
            **OFFER,
            "href": f"{foreign}/offers/o1",
            "connection": {"job": f"{foreign}/jobs/o1"},
        }
        if got.target.endswith("/request"):
            explain = f"{foreign}/asks/a1/explain"
            return answer(
                {
                    "response": {
                        "result": "YES",
                        "ident": "a1",
                        "explain": explain,
                        "offers": [offer],
                    }
                }
            )
        if got.target.endswith("/explain"):
            return answer({"explanation": {"ident": "a1"}})
        if "/offers/" in got.target:
            return answer({"offer": {**offer, "status": "ACCEPTED"}})
        if got.target.endswith("/results/stdout"):
            return answer(b"ok", Content_Type="text/plain")
        if "LIMIT=" in got.target:
            return answer(
                {"version": "1.1", "jobs": [{"id": "o1", "phase": "QUEUED", "href": foreign}]}
            )
        return answer(job_of(foreign))

    return handle


def test_documents_that_name_another_place_lead_to_the_planner_all_the_same(
    opened: Callable[..., Any],
) -> None:
    with broken_server(lambda *_: answer(b"")) as foreign:
        with broken_server(naming(foreign.url)) as server:
            planner = opened(f"{server.url}/at/planner/", token="secret")
            offers = planner.ask({"task": {"type": "t"}})
            job = offers.first.accept()
            assert job.results["stdout"].text() == "ok"
            assert planner.explain(offers.document["explain"])["ident"] == "a1"
            assert planner.offer(offers.first.document["href"]).id == "o1"
            assert next(iter(planner.jobs())).refresh().phase == "COMPLETED"
            assert job.url == f"{server.url}/at/planner/jobs/o1"
        assert foreign.got == []
    assert all(got.target.startswith("/at/planner/") for got in server.got)
    assert {got.headers["authorization"] for got in server.got} == {"Bearer secret"}
    assert {got.headers["accept"] for got in server.got} <= {"application/json", "*/*"}


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See Other", "307 x", "308 x"])
def test_a_redirect_is_not_followed_but_told(status: str, opened: Callable[..., Any]) -> None:
    with broken_server(lambda *_: answer(b"secrets of others")) as foreign:

        def leading(_: Got, __: socket.socket) -> bytes:
            return answer(b"", status, Location=f"{foreign.url}/me")

        with broken_server(leading) as server:
            planner = opened(server.url, token="secret")
            for call in (planner.me, lambda: planner.ask({"task": {}}), lambda: planner.job("o1")):
                with pytest.raises(PlannerError, match=foreign.url):
                    call()
        assert foreign.got == []


def test_deleting_does_not_read_the_list_of_jobs(opened: Callable[..., Any]) -> None:
    def handle(got: Got, _: socket.socket) -> bytes:
        if got.method == "DELETE":
            return answer(b"", "303 See Other", Location="/jobs")
        return answer(job_of(""))

    with broken_server(handle) as server:
        opened(server.url).job("o1").delete(why="I & you")
        assert [got.target for got in server.got] == ["/jobs/o1", "/jobs/o1?WHY=I+%26+you"]


def test_the_credential_is_on_each_request_that_waits_or_streams(
    opened: Callable[..., Any],
) -> None:
    phases = iter(["QUEUED", "QUEUED", "EXECUTING", "COMPLETED"])

    def handle(got: Got, _: socket.socket) -> bytes:
        if "results/stdout" in got.target:
            data = b'id: 2\ndata: "a\\n"\n\nevent: end\nid: 2\ndata: "COMPLETED"\n\n'
            return answer(data, Content_Type="text/event-stream")
        return answer({**job_of(""), "phase": next(phases, "COMPLETED")})

    with broken_server(handle) as server:
        job = opened(server.url, auth=("ada", "pass")).job("o1")
        job.wait(60)
        assert list(job.follow()) == ["a"]
        assert {got.headers["authorization"] for got in server.got} == {"Basic YWRhOnBhc3M="}
        assert any("WAIT=" in got.target for got in server.got)


def test_a_token_of_the_environment_is_for_the_planner_of_the_environment(
    opened: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def handle(got: Got, _: socket.socket) -> bytes:
        return answer({"me": {"sent": got.headers.get("authorization")}})

    monkeypatch.setenv("PLANNER_TOKEN", "mine")
    with broken_server(handle) as one, broken_server(handle) as other:
        monkeypatch.setenv("PLANNER_URL", f"{one.url}/")
        assert opened(None).me() == {"sent": "Bearer mine"}
        assert opened(one.url).me() == {"sent": "Bearer mine"}
        assert opened(other.url).me() == {"sent": None}
        assert opened(other.url, token="given").me() == {"sent": "Bearer given"}


def test_netrc_is_asked_last(
    opened: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "netrc"
    file.write_text("machine 127.0.0.1 login ada password pass\n")
    file.chmod(0o600)
    monkeypatch.setenv("NETRC", str(file))
    with broken_server(lambda *_: answer({"me": {}})) as server:
        opened(server.url).me()
        opened(server.url, token="given").me()
        sent = [got.headers.get("authorization") for got in server.got]
    assert sent == ["Basic YWRhOnBhc3M=", "Bearer given"]


def test_a_planner_without_url_is_an_error_that_says_how() -> None:
    with pytest.raises(ValueError, match="PLANNER_URL"):
        Planner()
    with pytest.raises(ValueError, match="not both"):
        Planner("https://x", token="a", auth=("b", "c"))


@pytest.mark.parametrize(
    "url",
    [
        "planner.example.org",
        "ftp://x",
        "https://",
        "https://a:b@x/",
        "https://x/?a",
        "https://x/#a",
    ],
)
def test_what_is_no_url_of_a_planner_is_refused(url: str) -> None:
    with pytest.raises(ValueError):
        base_url(url)


def test_a_name_cannot_leave_its_place_in_a_path() -> None:
    assert path_of("jobs", "../me?x=#", "a/b") == "/jobs/..%2Fme%3Fx%3D%23/a%2Fb"
    for dots in (".", "..", ""):
        with pytest.raises(ValueError):
            path_of("jobs", dots)
    assert base_url(" https://x.org/a/ ") == "https://x.org/a"
    assert last_of("https://x.org/a/async/j%201/phase", "jobs") == "j 1"
    assert last_of("j1", "jobs") == "j1"
    assert last_of("https://x.org/jobs/at/jobs/j1", "jobs", "https://x.org/jobs/at") == "j1"
    for wrong in ("", "https://x.org/offers/o1", "https://x.org/jobs"):
        with pytest.raises(ValueError):
            last_of(wrong, "jobs")


def reset(_: Got, __: socket.socket) -> bytes:
    raise Broken


def silent(_: Got, connection: socket.socket) -> None:
    connection.recv(1)


@pytest.mark.parametrize("handler", [reset, silent, lambda *_: b"not HTTP at all\r\n\r\n"])
def test_a_service_that_gives_no_answer_is_unreachable(
    handler: Any, opened: Callable[..., Any]
) -> None:
    with broken_server(handler) as server:
        with pytest.raises(Unreachable, match=server.url) as away:
            opened(server.url, retries=0, timeout=0.5).me()
    assert isinstance(away.value, ConnectionError)


def test_no_service_is_unreachable(opened: Callable[..., Any]) -> None:
    with broken_server(reset) as server:
        url = server.url
    with pytest.raises(Unreachable):
        opened(url, retries=0).me()


def test_an_ask_whose_answer_breaks_off_is_sent_again(opened: Callable[..., Any]) -> None:
    yes = {"response": {"result": "YES", "ident": "a1", "offers": [OFFER]}}

    def handle(got: Got, connection: socket.socket) -> bytes | None:
        if len(server.got) == 1:
            raise Broken
        if len(server.got) == 2:
            connection.sendall(answer(yes, length=5000))
            return None
        return answer(yes)

    server: BrokenServer
    with broken_server(handle) as server:
        assert opened(server.url).ask({"task": {}}).first.id == "o1"
        keys = {got.headers["idempotency-key"] for got in server.got}
    assert len(keys) == 1 and len(server.got) == 3
