"""What a service says is shown by `execplan`, and steers no terminal."""

from __future__ import annotations

import socket
from typing import Any

import pytest
from broken_server import Got, answer, broken_server

from execution_planner import Planner
from execution_planner.cli.jobs import _tell
from execution_planner.cli.main import main
from execution_planner.cli.overviews import show_overview
from execution_planner.jobs import Job
from execution_planner.tasks import PYTHON_PROGRAM


def test_a_demonstration_is_steered_by_no_planner(capsys: pytest.CaptureFixture[str]) -> None:
    evil = "\x1b[2J\x07"
    offer = {"ident": "o", "status": "OFFERED", "destination": evil, "expires-in": 60,
             "time": {"start": "2126-01-01T00:00Z", "duration": "PT5M"}, "request": {}}  # fmt: skip
    results = [{"id": name, "mimeType": "text/plain", "href": ""} for name in ("stdout", evil)]
    job = {"jobId": "o", "phase": "ERROR", "results": results, "errorSummary": {"message": evil}}

    def handle(got: Got, _: socket.socket) -> bytes:
        return {
            "/site": lambda: answer({"site": {"task-types": [{"type": PYTHON_PROGRAM}]}}),
            "/request": lambda: answer({"response": {"result": "YES", "offers": [offer]}}),
            "/offers/o": lambda: answer({"offer": {**offer, "status": f"ACCEPTED{evil}"}}),
            "/jobs/o": lambda: answer(job),
            "/jobs/o/results/stdout": lambda: answer(evil.encode(), Content_Type="text/plain"),
        }[got.target.partition("?")[0]]()

    with broken_server(handle) as server:
        assert main(["demo", "--at", server.url]) == 1
    said = capsys.readouterr().out
    assert "5. The results" in said and "did not complete" in said
    assert "\x1b" not in said and "\x07" not in said


def test_changes_and_problems_steer_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    line = {"id": "01a1", "phase": "QUEUED", "name": "two\nlines \x1b[2J"}
    planner = Planner("http://127.0.0.1:1")
    _tell("table", Job(planner._service, planner._runner, line))
    assert len(capsys.readouterr().out.splitlines()) == 1
    nothing: dict[str, Any] = {"destinations": [], "executors": [], "holders": []}
    parts = [{"part": "site", "problems": ["no file \x1b[2J"]}]
    show_overview({"at": "2026-08-10T10:00Z", "parts": parts, **nothing})
    said = capsys.readouterr().out
    assert "no file" in said and "\x1b" not in said
