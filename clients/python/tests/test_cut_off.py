"""A network that breaks off, and a service that is started anew, between the client and the real
service."""

from __future__ import annotations

import asyncio
import random
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from both import Awaited
from real_service import RealService, data_of, real_service

from execution_planner import AsyncPlanner, Planner, executable

Limit = Callable[[int], "int | None"]


@contextmanager
def cutting(url: str, limit: Limit) -> Iterator[tuple[str, list[int]]]:
    """A proxy that breaks each connection off after some bytes of the service.

    Args:
        url: The service.
        limit: After how many bytes, by the number of the connection; None never.

    Yields:
        The proxy's URL, and the bytes of each connection that was broken off.
    """
    target = urlsplit(url)
    listening = socket.create_server(("127.0.0.1", 0))
    cut: list[int] = []
    numbers = iter(range(1_000_000))

    def pump(source: socket.socket, sink: socket.socket, most: int | None) -> None:
        sent = 0
        with suppress(OSError):
            while data := source.recv(4096):
                data = data if most is None else data[: most - sent]
                sink.sendall(data)
                sent += len(data)
                if sent == most:
                    cut.append(sent)
                    break
        for end in (source, sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def accept() -> None:
        while True:
            try:
                client, _ = listening.accept()
                service = socket.create_connection((target.hostname, target.port))
            except OSError:
                return
            most = limit(next(numbers))
            for ends in ((client, service, None), (service, client, most)):
                threading.Thread(target=pump, args=ends, daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", cut
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()


def test_a_log_is_whole_over_connections_that_break_off(
    service: RealService, opened: Callable[..., Any]
) -> None:
    script = "for i in $(seq 300); do echo line $i of the log: é€😀; sleep 0.01; done; echo end"
    direct = opened(service.url, token=service.token)
    job = direct.ask(executable("sh", "-c", script)).first.accept()
    chance = random.Random(7)
    with cutting(service.url, lambda _: chance.randrange(2500, 6000)) as (url, cut):
        lines = list(opened(url, token=service.token).job(job.id).follow())
    assert lines == [f"line {i} of the log: é€😀" for i in range(1, 301)] + ["end"]
    assert len(cut) >= 2


@pytest.mark.parametrize("after", [1, 200, 1500])
def test_an_ask_and_an_accept_whose_answers_are_lost_are_made_once(
    after: int, service: RealService, opened: Callable[..., Any]
) -> None:
    direct = opened(service.url, token=service.token)
    before = {ask["ask"] for ask in direct.asks()}
    # A connection that was broken off is not used again: the next try is the next connection.
    with cutting(service.url, {0: after, 2: after}.get) as (url, cut):
        planner = opened(url, token=service.token)
        offer = planner.ask(executable("true")).first
        planner.close()
        job = offer.accept()
    assert job.id == offer.id and cut == [after, after]
    made = [ask for ask in direct.asks() if ask["ask"] not in before]
    assert [ask["accepted"] for ask in made] == [job.id]


def test_a_result_is_whole_over_connections_that_break_off(
    service: RealService, opened: Callable[..., Any], tmp_path: Path
) -> None:
    script = "seq 200000"
    direct = opened(service.url, token=service.token)
    job = direct.ask(executable("sh", "-c", script)).first.accept().wait(60)
    wanted = "".join(f"{i}\n" for i in range(1, 200_001))
    with cutting(service.url, lambda number: 300_000 if number < 5 else None) as (url, cut):
        result = opened(url, token=service.token).job(job.id).results["stdout"]
        assert result.save(tmp_path / "numbers").read_text() == wanted
    assert len(cut) >= 4
    assert list(tmp_path.glob("numbers*")) == [tmp_path / "numbers"]


def test_a_wait_goes_on_over_connections_that_break_off(
    service: RealService, opened: Callable[..., Any]
) -> None:
    direct = opened(service.url, token=service.token)
    ident = direct.ask(executable("sleep", "3")).first.accept().id
    with cutting(service.url, {1: 1, 2: 300, 3: 1, 4: 900, 5: 1}.get) as (url, cut):
        planner = opened(url, token=service.token, retries=0)
        job = planner.job(ident)
        planner.close()
        assert job.wait(120).phase == "COMPLETED"
    assert cut == [1, 300, 1, 900, 1]


def test_following_and_waiting_survive_a_service_that_is_started_anew(
    service: RealService, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Both kinds of planners at once: each start of a service takes 5 s of a core."""
    folder = tmp_path_factory.mktemp("anew")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    go_on = data_of(folder) / "go-on"
    script = f"seq 5; until [ -e {go_on} ]; do sleep 0.1; done; seq 6 40"
    loop = asyncio.new_event_loop()
    with real_service(folder, PORT=port) as first:
        words = {"url": first.url, "token": first.token}
        planners: list[Any] = [Planner(**words), Awaited(AsyncPlanner(**words), loop)]
        jobs = [planner.ask(executable("sh", "-c", script)).first.accept() for planner in planners]
        logs = [job.follow() for job in jobs]
        read = [[next(lines) for _ in range(5)] for lines in logs]
    # The old service has ended, and the jobs have not; its successor goes on with them.
    with real_service(folder, PORT=port):
        go_on.touch()
        for job, before, lines in zip(jobs, read, logs, strict=True):
            assert before + list(lines) == [str(i) for i in range(1, 41)]
            assert job.wait(60).phase == "COMPLETED"
        for planner in planners:
            planner.close()
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()
