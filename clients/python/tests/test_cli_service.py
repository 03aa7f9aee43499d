"""All commands of `execplan` with the real service."""

from __future__ import annotations

import json
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import CommandLine
from real_service import RealService

from execution_planner import Planner
from execution_planner.cli.documents import read_yaml

TYPES = "https://www.purl.org/ivoa-net/task-type/"
ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
STEPS = "echo step 1; sleep 0.2; echo step 2"


@pytest.fixture
def planner(service: RealService) -> Iterator[Planner]:
    """The same user's planner, to look at what the commands did."""
    with Planner(service.url, token=service.token) as opened:
        yield opened


@pytest.fixture
def ada(service: RealService, tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path, PLANNER_URL=service.url, PLANNER_TOKEN=service.token)


@pytest.fixture
def op(service: RealService, tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path, PLANNER_URL=service.url, PLANNER_TOKEN=service.operator)


def document(command: str = STEPS, **more: object) -> str:
    task = {"type": f"{TYPES}executable", "spec": {"command": ["sh", "-c", command]}}
    return json.dumps({"task": task, **more})


def test_without_a_terminal_offers_are_printed_once_and_held(
    ada: CommandLine, planner: Planner
) -> None:
    ended = ada.run("ask", "-", stdin=document())
    assert ended.code == 0
    assert ended.lines[0].split() == (
        ["offer", "destination", "start", "at", "most", "cores", "memory", "held", "for"]
    )
    assert [line.split()[1] for line in ended.lines[1:]] == ["programs", "programs-long"]
    assert re.search(r"\w{3} \d+ \w{3} \d\d:\d\d CES?T", ended.lines[1])
    assert "execplan accept ID" in ended.err
    held = {offer.id[-8:] for offer in planner.offers()}
    given = [line.split()[0] for line in ended.lines[1:]]
    assert set(given) <= held
    assert ada.run("reject", *given).code == 0
    assert not set(given) & {offer.id[-8:] for offer in planner.offers()}


@pytest.mark.parametrize("form", ["json", "yaml", "ids", "table"])
def test_every_form_has_the_same_offers(ada: CommandLine, form: str) -> None:
    ended = ada.run("ask", "-", "-o", form, stdin=document())
    listed = ada.run("offers", "-o", form)
    assert ended.code == listed.code == 0
    if form == "ids":
        assert all(ID.fullmatch(line) for line in ended.lines) and len(ended.lines) == 2
        assert set(ended.lines) <= set(listed.lines)
    elif form == "table":
        assert {line.split()[0] for line in ended.lines} <= {
            line.split()[0] for line in listed.lines
        }
    else:
        read = json.loads if form == "json" else read_yaml
        offers = [offer["ident"] for offer in read(ended.out)["offers"]]
        assert set(offers) <= {offer["ident"] for offer in read(listed.out)}


def test_all_that_is_held_can_be_given_back(ada: CommandLine) -> None:
    ada.run("ask", "-", stdin=document())
    assert "given back" in ada.run("reject", "--all").err
    assert ada.run("offers", "-o", "ids").out == ""


def test_an_accepted_offer_is_followed_to_its_end(ada: CommandLine) -> None:
    ended = ada.run("ask", "-", "--accept", "2", "--name", "two steps", stdin=document())
    assert (ended.code, ended.out) == (0, "step 1\nstep 2\n")
    assert "queued at programs-long" in ended.err or "completed" in ended.err
    job = ID.search(ended.err)
    assert job is not None
    shown = ada.run("wait", job[0][-8:], "-o", "json").json
    assert (shown["phase"], shown["runId"]) == ("COMPLETED", "two steps")


def test_words_change_a_yaml_document(ada: CommandLine, planner: Planner) -> None:
    (ada.folder / "task.yaml").write_text(
        "task:\n"
        f"  type: {TYPES}executable\n"
        "  spec: { command: [echo, '10:30', yes] }\n"
        "resources: { compute: [{ min-cores: 1 }] }\n"
    )
    words = ["--cores", "2-4", "--memory", "2GiB", "--hours", "2", "--name", "x"]
    ended = ada.run("ask", "task.yaml", *words, "--accept", "first")
    assert (ended.code, ended.out) == (0, "10:30 yes\n")
    answer = ada.run("ask", "task.yaml", *words, "-o", "json").json
    asked = planner.asked(answer["ident"])["document"]
    (compute,) = asked["resources"]["compute"]
    assert compute == {"min-cores": 2, "max-cores": 4, "min-memory": "2GiB"}
    assert asked["time"]["duration"] == "PT2H" and asked["name"] == "x"


def test_a_no_says_every_reason_and_what_would_be_a_yes(ada: CommandLine) -> None:
    ended = ada.run("ask", "-", "--cores", "64", stdin=document())
    assert (ended.code, ended.out) == (3, "")
    assert "limit 16" in ended.err and "--yes-nearest" in ended.err
    as_json = ada.run("ask", "-", "--cores", "64", "-o", "json", stdin=document())
    assert as_json.code == 3 and as_json.json["result"] == "NO"
    nearest = ada.run("ask", "-", "--cores", "64", "--yes-nearest", "-o", "json", stdin=document())
    assert nearest.code == 0 and "The planner says NO" in nearest.err
    compute = nearest.json["offers"][0]["request"]["resources"]["compute"][0]
    assert compute["min-cores"] == 16


def test_a_check_holds_nothing(ada: CommandLine, planner: Planner) -> None:
    before = {offer.id for offer in planner.offers()}
    yes = ada.run("ask", "-", "--check", stdin=document())
    assert yes.code == 0 and "programs-long" in yes.out
    no = ada.run("ask", "-", "--check", "--cores", "999", "-o", "json", stdin=document())
    assert no.code == 3 and no.json["result"] == "NO" and "limit 16" in no.err
    assert {offer.id for offer in planner.offers()} <= before


def test_detached_jobs_are_accepted_by_their_ids_and_waited_for(ada: CommandLine) -> None:
    offers = ada.run("ask", "-", "-o", "ids", stdin=document()).lines
    accepted = ada.run("accept", offers[0][-8:], "--detach", "-o", "ids")
    assert (accepted.code, accepted.out) == (0, f"{offers[0]}\n")
    waited = ada.run("wait", offers[0], "--timeout", "60s", "-o", "ids")
    assert (waited.code, waited.out) == (0, f"{offers[0]}\n")
    followed = ada.run("follow", offers[0])
    assert (followed.code, followed.out) == (0, "step 1\nstep 2\n")
    late = ada.run("accept", offers[1])
    assert late.code == 4 and late.out == ""


def test_one_line_leads_from_a_script_to_its_results(ada: CommandLine) -> None:
    (ada.folder / "plot.py").write_text(
        "import sys\nprint(sys.argv[1:])\nopen('table.csv', 'w').write('1,2')\n"
    )
    ended = ada.run("run", "plot.py", "-d", "out", "--", "a b", "-o")
    assert (ended.code, ended.out) == (0, "['a b', '-o']\n")
    assert (ada.folder / "out" / "table.csv").read_text() == "1,2"
    assert (ada.folder / "out" / "stdout").read_text() == "['a b', '-o']\n"


def test_one_line_leads_from_a_notebook_to_its_results(ada: CommandLine) -> None:
    cell = {
        "cell_type": "code",
        "source": "print(x * 2)",
        "metadata": {},
        "outputs": [],
        "execution_count": None,
        "id": "a",
    }
    tagged = {**cell, "id": "b", "source": "x = 1", "metadata": {"tags": ["parameters"]}}
    book = {"cells": [tagged, cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (ada.folder / "double.ipynb").write_text(json.dumps(book))
    ended = ada.run("run", "double.ipynb", "-p", "x=21")
    assert (ended.code, ended.out) == (0, "42\n"), ended.err
    (saved,) = ada.folder.glob("double-*")
    assert {"notebook.ipynb", "html.html", "stdout"} <= {file.name for file in saved.iterdir()}
    assert "42" in (saved / "html.html").read_text()


def test_a_command_is_run_as_it_is_written(ada: CommandLine) -> None:
    ended = ada.run("run", "--accept", "cheapest", "--", "printf", "%s|", "a b", "$HOME", "--x")
    assert (ended.code, ended.out) == (0, "a b|$HOME|--x|\n")


def test_a_job_that_fails_is_1_with_its_reason(ada: CommandLine) -> None:
    ended = ada.run("run", "--", "sh", "-c", "echo out; echo bad news >&2; exit 3")
    assert (ended.code, ended.out) == (1, "out\n")
    assert "exit code 3" in ended.err and ended.err.endswith("\nbad news\n")
    job = ada.run("jobs", "--phase", "error", "--limit", "1", "-o", "ids").out.strip()
    assert ada.run("results", job, "stderr").out == "bad news\n"
    assert ada.run("wait", job).code == 1


def test_ids_may_be_shortened_while_one_is_meant(ada: CommandLine) -> None:
    ids = [ada.run("run", "--detach", "-o", "ids", "--", "true").out.strip() for _ in range(2)]
    beginning = ids[0][: next(n for n in range(36) if ids[0][n] != ids[1][n])]
    ended = ada.run("wait", beginning)
    assert ended.code == 2 and all(ident in ended.err for ident in ids)
    assert ada.run("wait", ids[0][-8:], "-o", "ids").out.strip() == ids[0]
    nobody = ada.run("wait", "zzzzzz")
    assert nobody.code == 4 and "no job of yours" in nobody.err
    unknown = ada.run("wait", ids[0][:-4] + "0000")
    assert unknown.code == 4


def test_results_are_listed_printed_and_saved(ada: CommandLine) -> None:
    job = ada.run("run", "--detach", "-o", "ids", "--", "echo", "hello").out.strip()
    assert ada.run("wait", job).code == 0
    listed = ada.run("results", job)
    assert [line.split()[0] for line in listed.lines] == ["result", "result", "stdout", "stderr"]
    assert ada.run("results", job, "-o", "ids").lines == ["result", "stdout", "stderr"]
    assert ada.run("results", job, "stdout").out == "hello\n"
    unknown = ada.run("results", job, "nothing")
    assert unknown.code == 2 and "there are: result, stdout, stderr" in unknown.err
    saved = ada.run("results", job, "stdout", "-d", "here", "-o", "ids")
    assert saved.out == "here/stdout\n"
    assert (ada.folder / "here" / "stdout").read_text() == "hello\n"


def test_jobs_are_filtered_stopped_and_removed(ada: CommandLine) -> None:
    job = ada.run("run", "--detach", "--name", "sleeper", "-o", "ids", "--", "sleep", "600")
    ident = job.out.strip()
    assert ident in ada.run("jobs", "--name", "sleep", "--since", "1h", "-o", "ids").lines
    assert ident not in ada.run("jobs", "--phase", "completed", "-o", "ids").lines
    table = ada.run("jobs", "--name", "sleeper").lines
    assert table[0].split() == ["job", "name", "phase", "destination", "start", "took"]
    assert table[1].split()[0] == ident[-8:]
    late = ada.run("wait", ident, "--timeout", "1s")
    assert late.code == 1 and "goes on after 1 s" in late.err
    assert "ABORTED" in ada.run("cancel", ident, "--why", "test").out
    assert ada.run("wait", ident).code == 1
    assert ada.run("delete", ident).code == 0
    assert ada.run("wait", ident).code == 4


def test_ctrl_c_leaves_a_followed_job_and_says_how_to_come_back(ada: CommandLine) -> None:
    following = ada.begin("run", "--", "sh", "-c", "echo begun; sleep 600")
    assert following.stdout is not None
    assert following.stdout.readline() == "begun\n"
    following.send_signal(signal.SIGINT)
    _, said = following.communicate(timeout=60)
    assert following.returncode == 130
    back = re.search(r"Come back: execplan (follow \w+)", said)
    stop = re.search(r"Stop it: execplan (cancel \w+)", said)
    assert back is not None and stop is not None
    ident = back[1].split()[1]
    shown = ada.run("jobs", "--phase", "executing", "-o", "ids").lines
    assert any(line.endswith(ident) for line in shown)
    assert ada.run(*stop[1].split()).code == 0


def test_changes_are_told_to_a_pipe_line_by_line(ada: CommandLine) -> None:
    watching = ada.begin("jobs", "--watch", "--name", "watched", "--limit", "5")
    assert watching.stdout is not None
    try:
        time.sleep(1)
        ident = ada.run("run", "--name", "watched", "-o", "ids", "--", "true").out.strip()
        seen = []
        while not seen or "COMPLETED" not in seen[-1]:
            seen.append(watching.stdout.readline())
            assert seen[-1].startswith(ident[-8:])
    finally:
        watching.send_signal(signal.SIGINT)
        watching.communicate(timeout=60)
    assert watching.returncode == 130


def test_the_calendar_shows_what_is_free_and_where_there_is_room(ada: CommandLine) -> None:
    ended = ada.run("calendar", "--cores", "100", "--hours", "6", "--within", "2d", COLUMNS="80")
    assert ended.code == 0 and all(len(line) <= 80 for line in ended.lines)
    assert "2 h a column" in ended.out
    bars = {line.split()[0]: line.split()[1] for line in ended.lines[1:4]}
    assert set(bars) == {"programs", "programs-long", "notebooks"}
    assert all(set(line) <= set("▁▂▃▄▅▆▇█") for line in bars.values())
    rooms = ended.lines[ended.lines.index("") + 2 :]
    assert {line.split()[0] for line in rooms} == {"programs", "programs-long"}
    ids = ada.run("calendar", "--cores", "100", "-o", "ids").lines
    assert set(ids) == {"programs", "programs-long"}
    assert "to" in ada.run("calendar", "-o", "json").json
    assert ada.run("calendar", "--memory", "much").code == 2


def test_an_answer_is_explained_by_any_of_its_ids(ada: CommandLine) -> None:
    answer = ada.run("ask", "-", "-o", "json", stdin=document()).json
    offer = answer["offers"][0]["ident"]
    for ident in (answer["ident"], offer, offer[-8:]):
        explained = ada.run("explain", ident)
        assert explained.code == 0 and answer["ident"] in explained.out
    assert isinstance(ada.run("explain", offer, "-o", "json").json, dict)
    assert ada.run("explain", "zzzz").code == 4


def test_who_and_what_is_there_is_said(ada: CommandLine, service: RealService) -> None:
    assert "You are ada@example.org" in ada.run("whoami").out
    assert ada.run("whoami", "-o", "ids").out == "ada@example.org\n"
    wrong = ada.run("whoami", PLANNER_TOKEN="wrong")
    assert wrong.code == 4 and "execplan login" in wrong.err
    assert "Site of the client's tests" in ada.run("site").out
    assert ada.run("site", "-o", "ids").lines == ["programs", "programs-long", "notebooks"]
    nobody = ada.run("login")
    assert nobody.code == 4 and "no sign-in for programs" in nobody.err


def test_administrators_see_drain_and_undrain(op: CommandLine, ada: CommandLine) -> None:
    assert ada.run("overview").code == 4
    overview = op.run("overview")
    assert overview.code == 0 and "executor" in overview.out and "programs-long" in overview.out
    assert ada.run("drain", "programs-long", "new discs").code == 4
    drained = op.run("drain", "programs-long", "new discs", "--until", "2126-01-01T00:00Z")
    try:
        assert drained.code == 0 and "new discs" in drained.out
        offered = ada.run("ask", "-", stdin=document()).out
        assert "programs-long" not in offered and "programs" in offered
        assert "drained" in op.run("overview").out
    finally:
        assert op.run("undrain", "programs-long", "--why", "done").code == 0
    assert "programs-long" in ada.run("ask", "-", stdin=document()).out
    audit = op.run("audit", "--limit", "50")
    assert "PUT /destinations/programs-long/drain" in audit.out and "done" in audit.out


def test_the_demonstration_tells_a_whole_conversation(ada: CommandLine) -> None:
    ended = ada.run("demo")
    assert ended.code == 0, ended.err
    for heading in ("1. The question", "2. The answer", "3. The first", "4. The job", "5. The res"):
        assert f"── {heading}" in ended.out
    assert "COMPLETED" in ended.out and "found in 7 steps." in ended.out


def test_a_reader_that_has_enough_is_no_error(ada: CommandLine) -> None:
    listing = ada.begin("site", "-o", "json")
    assert listing.stdout is not None and listing.stderr is not None
    listing.stdout.close()
    said = listing.stderr.read()
    assert (listing.wait(60), said) == (0, "")


def test_letters_that_a_terminal_lacks_end_no_log_and_spoil_no_document(ada: CommandLine) -> None:
    letters = {"PYTHONIOENCODING": "ascii"}
    task = document("echo '\u2713 one'; echo two", name="\u03b1 Cen")
    followed = ada.run("ask", "-", "--accept", "first", stdin=task, **letters)
    assert (followed.code, followed.lines) == (0, ["? one", "two"])
    words = ("jobs", "--name", "\u03b1 Cen")
    assert "? Cen" in ada.run(*words, **letters).out
    assert [job["name"] for job in ada.run(*words, "-o", "json", **letters).json] == ["\u03b1 Cen"]
    listed = read_yaml(ada.run(*words, "-o", "yaml", **letters).out)
    assert [job["name"] for job in listed] == ["\u03b1 Cen"]
    assert ada.run("--help", **letters).code == 0


@pytest.mark.parametrize(
    ("command", "saved"),
    [
        ("echo a > result; echo b > .b; echo c > b", {"result": "a\n", "b-2": "b\n", "b": "c\n"}),
        ("echo a > result.csv; echo b > b", {"result.csv": "a\n", "b": "b\n"}),
    ],
)
def test_every_file_of_a_job_is_saved_once(
    command: str, saved: dict[str, str], ada: CommandLine, planner: Planner, tmp_path: Path
) -> None:
    with planner.ask(document(command)) as offers:
        job = offers.first.accept().wait()
    assert ada.run("results", job.id, "-d", "out").code == 0
    files = {file.name: file.read_text() for file in (tmp_path / "out").iterdir()}
    assert files == {**saved, "stdout": "", "stderr": ""}
