"""`execplan` where one signs in, with several planners, and with offers that end soon."""

from __future__ import annotations

import json
import re
import socket
import stat
import time
from pathlib import Path

import httpx
import pytest
from broken_server import Got, Handler, answer, broken_server
from command_line import CommandLine
from identity_provider import allow
from real_service import RealService

from execution_planner import Planner

ASK = json.dumps(
    {
        "task": {
            "type": "https://www.purl.org/ivoa-net/task-type/executable",
            "spec": {"command": ["echo", "hello"]},
        }
    }
)


def test_signing_in_leads_to_an_ask_and_signing_out_ends_it(
    second: RealService, tmp_path: Path
) -> None:
    user = CommandLine(tmp_path, PLANNER_URL=second.url)
    before = user.run("whoami")
    assert before.code == 4 and "execplan login" in before.err

    signing = user.begin("login")
    assert signing.stdout is not None and signing.stderr is not None
    said = ""
    while (found := re.search(r"http://\S+user_code=\S+", said)) is None:
        line = signing.stderr.readline()
        assert line, said
        said += line
    assert "sign in at Test IAM" in said
    allow(found[0], "ada")
    out, err = signing.communicate(timeout=90)
    assert signing.returncode == 0 and "You are ada@example.org" in out and "signed in" in err

    file = tmp_path / "config/execution-planner/credentials.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    ended = user.run("ask", "-", "--accept", "first", stdin=ASK)
    assert (ended.code, ended.out) == (0, "hello\n"), ended.err
    [[url, kept]] = json.loads(file.read_text())["planners"].items()
    # It is renewed in its last 30 s.
    ending = {**kept, "expires": time.time() + 20}
    file.write_text(json.dumps({"version": 1, "planners": {url: ending}}))
    assert user.run("whoami", "-o", "ids").out == "ada@example.org\n"
    renewed = json.loads(file.read_text())["planners"][url]
    assert renewed["access_token"] != kept["access_token"]
    assert renewed["expires"] > ending["expires"]

    gone = user.run("logout")
    assert gone.code == 0 and "signed out\n" in gone.err
    assert user.run("whoami").code == 4
    assert "there was no sign-in" in user.run("logout").err


def test_a_refused_sign_in_says_so(second: RealService, tmp_path: Path) -> None:
    user = CommandLine(tmp_path, PLANNER_URL=second.url)
    signing = user.begin("login", "--issuer", "Test IAM")
    assert signing.stderr is not None
    said = ""
    while (found := re.search(r"http://\S+user_code=\S+", said)) is None:
        line = signing.stderr.readline()
        assert line, said
        said += line
    allow(found[0], "ada", refuse=True)
    _, err = signing.communicate(timeout=90)
    assert signing.returncode == 4 and "the sign-in was refused" in err
    assert not (tmp_path / "config/execution-planner/credentials.json").exists()
    other = user.run("login", second.url, "--issuer", "Other")
    assert other.code == 2 and "say --issuer: 'Test IAM'" in other.err


def hurrying(url: str) -> Handler:
    """The service, whose offers end two seconds after they have come."""

    def handle(got: Got, _: socket.socket) -> bytes:
        names = ("authorization", "content-type", "accept", "idempotency-key")
        kept = {name: got.headers[name] for name in names if name in got.headers}
        came = httpx.request(
            got.method, url + got.target, headers=kept, content=got.body, timeout=60, verify=False
        )
        body = re.sub(rb'("expires-in": ?)\d+', rb"\g<1>2", came.content)
        kind = came.headers.get("content-type", "")
        return answer(body, f"{came.status_code} {came.reason_phrase}", Content_Type=kind)

    return handle


def test_offers_that_end_while_one_thinks_are_said(service: RealService, tmp_path: Path) -> None:
    (tmp_path / "task.json").write_text(ASK)
    with broken_server(hurrying(service.url)) as server:
        user = CommandLine(tmp_path, PLANNER_URL=server.url, PLANNER_TOKEN=service.token)
        with user.terminal("ask", "task.json") as terminal:
            terminal.until("Which one?")
            terminal.until("All offers have ended. Ask again.")
            assert terminal.end() == 4


@pytest.fixture
def both(service: RealService, second: RealService, tmp_path: Path) -> CommandLine:
    """Somebody who is known at both sites: by a token here, by netrc and a token there."""
    return CommandLine(tmp_path, PLANNER_URL=second.url, PLANNER_TOKEN=second.token)


def test_several_planners_are_asked_and_one_gets_the_task(
    both: CommandLine, service: RealService, second: RealService
) -> None:
    at = ["--at", service.url, "--at", second.url]
    hosts = [url.removeprefix("http://") for url in (service.url, second.url)]
    listed = both.run("ask", "-", *at, stdin=ASK)
    assert listed.code == 0, listed.err
    assert listed.lines[0].split()[:3] == ["offer", "planner", "destination"]
    assert {line.split()[1] for line in listed.lines[1:]} == set(hosts)
    assert f"execplan reject --all {' '.join(at)}" in listed.err
    assert both.run("reject", "--all", *at).code == 0

    ended = both.run("ask", "-", *at, "--accept", "2", "--name", "of many", stdin=ASK)
    assert (ended.code, ended.out) == (0, "hello\n"), ended.err
    assert both.run("offers", *at, "-o", "ids").out == ""

    no = both.run("ask", "-", *at, "--memory", "99GiB", stdin=ASK)
    assert no.code == 3 and all(f"{host}: The planner says NO" in no.err for host in hosts)
    more = ["--memory", "99GiB", "--yes-nearest", "-o", "ids"]
    nearest = both.run("ask", "-", *at, *more, stdin=ASK)
    assert nearest.code == 0 and len(nearest.lines) == 4
    assert both.run("reject", "--all", *at).code == 0

    jobs = both.run("jobs", *at, "--name", "of many")
    assert jobs.lines[0].split()[0] == "planner" and len(jobs.lines) == 2
    ident = both.run("jobs", *at, "--name", "of many", "-o", "ids").out.strip()
    assert both.run("results", ident[-8:], "stdout", *at).out == "hello\n"
    assert both.run("wait", ident, *at).code == 0


def test_both_planners_are_seen_at_once(
    both: CommandLine, service: RealService, second: RealService
) -> None:
    at = ["--at", service.url, "--at", second.url]
    assert len(both.run("site", *at, "-o", "json").json) == 2
    who = both.run("whoami", *at, "-o", "ids").lines
    assert who == ["anonymous", "ada@example.org"]
    calendar = both.run("calendar", *at)
    assert calendar.code == 0
    assert all(url.removeprefix("http://") + ":\n" in calendar.out for url in (service.url,))


def test_a_planner_that_is_away_is_said_and_the_other_one_offers(
    both: CommandLine, second: RealService
) -> None:
    ended = both.run("ask", "-", "--at", second.url, "--at", "http://127.0.0.1:1", stdin=ASK)
    assert ended.code == 0
    assert "127.0.0.1:1" in ended.out + ended.err and "programs" in ended.out
    with Planner(second.url, token=second.token) as planner:
        planner.offers().reject()


def test_needs_of_a_notebook_are_met_in_one_line_or_are_a_no(both: CommandLine) -> None:
    listed = both.run("environments")
    assert listed.code == 0 and listed.lines[1].split()[:2] == ["system", "ready"]
    assert both.run("environments", "-o", "ids").out == "system\n"
    [system] = both.run("environments", "-o", "json").json
    if not {"astropy", "ipykernel"} <= {package["name"] for package in system["packages"]}:
        pytest.skip("the system's Python has no astropy, or no kernel")

    cell = {
        "cell_type": "code",
        "id": "a",
        "source": "import astropy.units as u\nprint((1 * u.pc).to(u.lyr).round(3))",
        "metadata": {},
        "outputs": [],
        "execution_count": None,
    }
    book = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (both.folder / "parsec.ipynb").write_text(json.dumps(book))
    ended = both.run("run", "parsec.ipynb", "--needs", "astropy>=4")
    assert (ended.code, ended.out) == (0, "3.262 lyr\n"), ended.err
    (saved,) = both.folder.glob("parsec-*")
    assert "3.262 lyr" in (saved / "notebook.ipynb").read_text()

    no = both.run("run", "parsec.ipynb", "--needs", "astropy", "--needs", "nobody-has-this")
    assert (no.code, no.out) == (3, "") and "nobody-has-this" in no.err
    elsewhere = both.run("run", "parsec.ipynb", "--environment", "absent")
    assert elsewhere.code == 3 and "absent" in elsewhere.err
