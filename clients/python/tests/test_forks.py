"""A planner that several processes use, as those of `multiprocessing.Pool` do."""

from __future__ import annotations

import multiprocessing
import os
import socket

import pytest
from broken_server import Got, answer, broken_server

from execution_planner import Planner


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_process_reads_no_answer_of_its_parent() -> None:
    def client(_: Got, connection: socket.socket) -> bytes:
        return answer({"site": {"port": connection.getpeername()[1]}})

    with broken_server(client) as server, Planner(server.url, token="t") as planner:
        before = planner.site()["port"]
        theirs, ours = multiprocessing.Pipe()
        fork = multiprocessing.get_context("fork")
        child = fork.Process(target=lambda: ours.send([planner.site()["port"] for _ in range(2)]))
        child.start()
        assert theirs.poll(30)
        one, two = theirs.recv()
        child.join(30)
        assert one == two != before
        assert planner.site()["port"] == before
