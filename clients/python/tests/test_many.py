"""Many jobs at a time on one event loop."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest
from broken_server import answer, broken_server

from execution_planner import AsyncJob, AsyncPlanner
from execution_planner.clients import MOST, Clients
from execution_planner.requests import Request

MANY = 300
LINES = [f"step {i}" for i in range(10)]


class Logs:
    """A server that sends a log to each of its clients, none before all are there."""

    def __init__(self, clients: int) -> None:
        self.left = clients
        self._all = asyncio.Event()

    async def __aenter__(self) -> str:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=MANY)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                target = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode()
                if "/results/" in target:
                    await self._log(writer)
                else:
                    document = {"jobId": target[6:], "phase": "COMPLETED", "results": []}
                    writer.write(answer(document))
                    await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def _log(self, writer: asyncio.StreamWriter) -> None:
        self.left -= 1
        if self.left == 0:
            self._all.set()
        await self._all.wait()
        at, events = 0, b""
        for line in LINES:
            at += len(line) + 1
            events += f"id: {at}\ndata: {json.dumps(line + chr(10))}\n\n".encode()
        events += f'event: end\nid: {at}\ndata: "COMPLETED"\n\n'.encode()
        writer.write(answer(events, Content_Type="text/event-stream"))
        await writer.drain()


async def test_many_jobs_are_followed_at_the_same_time_in_one_thread() -> None:
    before = threading.active_count()
    async with Logs(MANY) as url, AsyncPlanner(url) as planner:

        async def follow(ident: str) -> list[str]:
            document = {"jobId": ident, "phase": "EXECUTING"}
            job = AsyncJob(planner._service, planner._runner, document)
            return [line async for line in job.follow()]

        logs = await asyncio.gather(*(follow(f"j{i}") for i in range(MANY)))
        assert logs == [LINES] * MANY
        clients = planner._runner._clients._slots
        assert len(clients) == -(-MANY // MOST) and {slot.open for slot in clients} == {0}
    assert threading.active_count() == before


async def test_room_is_used_again_and_failures_leave_none_taken() -> None:
    async with Logs(1) as url, AsyncPlanner(url) as planner:
        clients: Any = Clients(planner._service)
        opened = [await clients.open(Request("GET", f"/jobs/{i}")) for i in range(MOST + 1)]
        assert [slot.open for slot in clients._slots] == [MOST, 1]
        for one in opened[:2]:
            await one.aclose()
            await one.aclose()
        assert [slot.open for slot in clients._slots] == [MOST - 2, 1]
        with pytest.raises(Exception, match="control character|[Ii]nvalid"):
            await clients.open(Request("GET", "/jobs/\n"))
        opened.append(await clients.open(Request("GET", "/jobs/x")))
        assert [slot.open for slot in clients._slots] == [MOST - 1, 1]
        for one in opened:
            await one.aclose()
        assert [slot.open for slot in clients._slots] == [0, 0]
        await clients.close()


def test_a_second_event_loop_has_its_own_connections() -> None:
    with broken_server(lambda *_: answer({"me": {"administrator": False}})) as server:
        planner = AsyncPlanner(server.url)
        for _ in range(3):
            assert asyncio.run(planner.me()) == {"administrator": False}


async def test_whoever_stops_listening_closes_the_connection() -> None:
    async with Logs(1) as url, AsyncPlanner(url) as planner:
        job = AsyncJob(planner._service, planner._runner, {"jobId": "j1", "phase": "EXECUTING"})
        lines: Any = job.follow()
        async for _ in lines:
            break
        await lines.aclose()
        assert [slot.open for slot in planner._runner._clients._slots] == [0]


async def test_a_task_that_is_cancelled_closes_the_connection() -> None:
    logs = Logs(2)
    async with logs as url, AsyncPlanner(url) as planner:
        job = AsyncJob(planner._service, planner._runner, {"jobId": "j1", "phase": "EXECUTING"})

        async def follow() -> None:
            async for _ in job.follow():
                pass

        task = asyncio.create_task(follow())
        # Not while it connects: Python 3.10 cannot tell who cancels there (anyio's task groups).
        while logs.left == 2:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert [slot.open for slot in planner._runner._clients._slots] == [0]
