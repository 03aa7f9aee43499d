"""The question which offer to take, on a real terminal."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import PATIENCE, CommandLine, Terminal
from real_service import RealService

from execution_planner import Offers, Planner

QUESTION = "Which one? [1-2, w why, Enter gives all back]"


@pytest.fixture
def planner(service: RealService) -> Iterator[Planner]:
    """The same user's planner, to look at what the commands did."""
    with Planner(service.url, token=service.token) as opened:
        yield opened


@pytest.fixture
def ada(service: RealService, tmp_path: Path) -> CommandLine:
    spec = {"command": ["sh", "-c", "echo begun; sleep 0.3; echo over"]}
    type_ = "https://www.purl.org/ivoa-net/task-type/executable"
    (tmp_path / "task.json").write_text(json.dumps({"task": {"type": type_, "spec": spec}}))
    return CommandLine(tmp_path, PLANNER_URL=service.url, PLANNER_TOKEN=service.token)


@pytest.fixture
def name() -> str:
    """By this name a test finds its own ask among those of others."""
    return f"terminal {uuid.uuid4().hex[:8]}"


@pytest.fixture
def asked(ada: CommandLine, name: str) -> Iterator[Terminal]:
    with ada.terminal("ask", "task.json", "--name", name) as terminal:
        terminal.until(QUESTION)
        yield terminal


def left(screen: str) -> list[str]:
    """How long the offers are still held."""
    return re.findall(r" (4:\d\d)$", screen, re.MULTILINE)


def offers_of(planner: Planner, name: str) -> Offers:
    """The offers of an ask, whatever became of them."""
    idents = [ask["ask"] for ask in planner.asks() if ask.get("name") == name]
    assert len(idents) == 1
    found = planner.offers(status=None)
    return Offers(
        found._service,
        found[0]._runner,
        {"offers": [one.document for one in found if one.document["ask"] == idents[0]]},
    )


def states(planner: Planner, name: str) -> list[str]:
    return [offer.status for offer in offers_of(planner, name)]


def test_the_table_counts_down_in_one_place(asked: Terminal) -> None:
    first = left(asked.screen)
    assert len(first) == 2
    asked.until(lambda screen: left(screen) not in ([], first))
    seen = set()
    end = time.monotonic() + PATIENCE
    while len(seen) < 4 and time.monotonic() < end:
        asked.until(lambda screen: screen.endswith(QUESTION))
        seen.update(left(asked.screen))
        asked._read()
    assert len(seen) >= 4
    assert asked.screen.count("held for") == asked.screen.count(QUESTION) == 1


def test_number_2_takes_the_second_offer_and_follows_its_job(
    asked: Terminal, planner: Planner, name: str
) -> None:
    asked.type("2\r")
    asked.until("completed")
    assert asked.end() == 0
    lines = asked.screen.splitlines()
    assert lines[3] == f"{QUESTION} 2"
    assert lines[4].startswith("accepted; job ")
    assert [line for line in lines if line in ("begun", "over")] == ["begun", "over"]
    assert states(planner, name) == ["REJECTED", "COMPLETED"]


def test_enter_gives_all_back(asked: Terminal, planner: Planner, name: str) -> None:
    asked.type("\r")
    assert asked.end() == 0
    assert "all given back" in asked.screen
    assert states(planner, name) == ["REJECTED", "REJECTED"]


def test_ctrl_c_gives_all_back(asked: Terminal, planner: Planner, name: str) -> None:
    asked.type("\x03")
    assert asked.end() == 130
    assert "all given back" in asked.screen and "Traceback" not in asked.screen
    assert states(planner, name) == ["REJECTED", "REJECTED"]


def test_ctrl_d_gives_all_back(asked: Terminal, planner: Planner, name: str) -> None:
    asked.type("\x04")
    assert asked.end() == 0
    assert states(planner, name) == ["REJECTED", "REJECTED"]


def given_back(planner: Planner, name: str) -> bool:
    end = time.monotonic() + PATIENCE
    while states(planner, name) != ["REJECTED", "REJECTED"]:
        assert time.monotonic() < end, states(planner, name)
        time.sleep(0.2)
    return True


def test_a_closed_terminal_gives_all_back(asked: Terminal, planner: Planner, name: str) -> None:
    asked.child.close(force=False)
    assert given_back(planner, name)


def test_signals_after_the_first_do_not_keep_it_from_giving_back(
    asked: Terminal, planner: Planner, name: str
) -> None:
    asked.child.kill(signal.SIGHUP)
    while asked.child.isalive():
        asked.child.kill(signal.SIGHUP)
        asked.child.kill(signal.SIGINT)
        time.sleep(0.002)
    assert given_back(planner, name)


def test_what_is_no_number_is_said_and_typing_goes_on(asked: Terminal) -> None:
    asked.type("x")
    asked.until("type a number from 1 to 2")
    asked.type("7\r")
    asked.until("there is no offer 7")
    asked.type("19\x7f\x7f\x1b[A1")
    asked.until(f"{QUESTION} 1")
    asked.type("\x15\r")
    assert asked.end() == 0 and "all given back" in asked.screen
    assert asked.screen.count("held for") == 1


def test_w_says_why_and_asks_again(asked: Terminal) -> None:
    asked.type("w")
    asked.until(lambda screen: "Offers" in screen and screen.endswith(QUESTION))
    assert asked.screen.count("held for") == 1
    asked.type("\r")
    assert asked.end() == 0


def test_the_terminal_is_as_before_afterwards(ada: CommandLine) -> None:
    script = (
        "import subprocess, sys, termios\n"
        "before = termios.tcgetattr(0)\n"
        "subprocess.run([sys.executable, '-m', 'execution_planner', 'ask', 'task.json'])\n"
        "print('same' if termios.tcgetattr(0) == before else 'changed')\n"
    )
    (ada.folder / "around.py").write_text(script)
    with ada.terminal("--version") as first:
        assert first.end() == 0
    import pexpect

    child = pexpect.spawn(
        sys.executable,
        ["around.py"],
        cwd=str(ada.folder),
        env=ada.environment,
        encoding="utf-8",
        timeout=PATIENCE,
    )
    child.expect("gives all back")
    child.send("\r")
    child.expect("same|changed")
    assert child.after == "same"
    child.close()


@pytest.mark.parametrize("environment", [{}, {"NO_COLOR": "1"}])
def test_no_color_draws_without_styles(ada: CommandLine, environment: dict[str, str]) -> None:
    with ada.terminal("offers", "--all", **environment) as terminal:
        sent = terminal.child.read()
    assert ("\x1b[1m" in sent) is not bool(environment)


def test_a_check_and_other_forms_ask_nothing(ada: CommandLine) -> None:
    for words in (["--check"], ["-o", "ids"], ["-o", "json"]):
        with ada.terminal("ask", "task.json", *words) as terminal:
            assert terminal.end() == 0
            assert "Which one?" not in terminal.screen


def test_jobs_are_watched_in_place(ada: CommandLine, name: str) -> None:
    with ada.terminal("jobs", "--watch", "--name", name) as watching:
        watching.until("no jobs")
        assert ada.run("run", "--name", name, "--", "true").code == 0
        watching.until("COMPLETED")
        assert watching.screen.count("phase") == 1
        watching.type("\x03")
        assert watching.end() == 130


@pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux")
def test_a_change_of_the_window_leaves_no_copies(ada: CommandLine, name: str) -> None:
    """In tmux, since terminals wrap lines anew when they become narrower."""
    socket = f"test-{uuid.uuid4().hex[:8]}"

    def tmux(*words: str) -> str:
        return subprocess.run(
            ["tmux", "-L", socket, "-f", "/dev/null", *words],
            env=ada.environment,
            cwd=ada.folder,
            capture_output=True,
            text=True,
            check=True,
            timeout=PATIENCE,
        ).stdout

    def until(columns: int) -> list[str]:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            lines = tmux("capture-pane", "-p").rstrip().splitlines()
            if lines and lines[-1] == QUESTION and all(len(line) <= columns for line in lines):
                return lines
            time.sleep(0.2)
        raise AssertionError("\n".join(lines))

    command = f"{sys.executable} -m execution_planner ask task.json --name '{name}'"
    tmux("new-session", "-d", "-x", "120", "-y", "20", command)
    try:
        assert len(until(120)) == 4
        for columns in (60, 100, 50, 80):
            tmux("resize-window", "-x", str(columns), "-y", "20")
            # Each second is drawn, so one of them at this width from the beginning.
            time.sleep(1.5)
            lines = until(columns)
            assert len(lines) == 4 and lines[1].startswith("1  ")
        tmux("send-keys", "Enter")
    finally:
        subprocess.run(["tmux", "-L", socket, "kill-server"], capture_output=True, check=False)
