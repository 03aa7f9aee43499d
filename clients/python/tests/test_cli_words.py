"""What `execplan` says without a planner: words, options, exit codes, documents."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from command_line import CommandLine

from execution_planner.cli.arguments import parse, parser_of
from execution_planner.cli.commands import COMMANDS
from execution_planner.cli.documents import read_yaml, write_yaml
from execution_planner.cli.exits import MEANINGS, Misused, explain
from execution_planner.cli.main import main
from execution_planner.cli.output import say
from execution_planner.cli.wanted import moment, seconds, words_of
from execution_planner.errors import PlannerError

PLANNER = "http://127.0.0.1:1"
"""Nobody listens there."""


def test_without_a_command_all_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    said = capsys.readouterr().out
    assert all(f"  {name} " in said for name in COMMANDS)
    assert all(f"{code} {meaning}" in said for code, meaning in MEANINGS.items())
    assert main(["--help"]) == 0 and capsys.readouterr().out == said
    assert main(["--version"]) == 0 and capsys.readouterr().out.startswith("execplan ")
    assert main(["--nonsense"]) == 2


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([name, "--help"])
    assert end.value.code == 0
    assert f"usage: execplan {name}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["jbos"], "there is no command 'jbos'; did you mean jobs?"),
        (["jobs"], "which planner?"),
        (["jobs", "--at", "ftp://x"], "url must begin with https://"),
        (["ask", "nowhere.yaml", "--at", PLANNER], "nowhere.yaml: No such file or directory"),
        (["run", "--at", PLANNER], "what to run?"),
        (["run", "data.csv", "--at", PLANNER], "neither .ipynb nor .py"),
        (["run", "a.ipynb", "--at", PLANNER, "--", "x"], "a notebook has no arguments"),
        (["run", "a.py", "-p", "x=1", "--at", PLANNER], "a program has no parameters"),
        (["run", "a.ipynb", "-p", "x", "--at", PLANNER], "-p x: say NAME=VALUE"),
        (["follow", "ab", "--at", PLANNER], "'ab' is too short"),
        (["reject", "--at", PLANNER], "give ids of offers, or --all"),
        (["jobs", "--since", "99999999999d", "--at", PLANNER], "a time is too large"),
        (["run", "--hours", "inf", "--at", PLANNER, "--", "x"], "a number or a time is too large"),
        (["run", "--cores", "inf", "--at", PLANNER, "--", "x"], "a number or a time is too large"),
        (["drain", "a", "b", "--at", PLANNER, "--at", f"{PLANNER}/b"], "speaks with one planner"),
    ],
)
def test_what_cannot_be_meant_is_wrong_usage(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    written = capsys.readouterr()
    assert said in written.err and written.out == ""


@pytest.mark.parametrize("limit", ["0", "-1", "1.5", "x"])
def test_a_list_of_no_jobs_is_not_asked_for(
    limit: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(["jobs", "--at", PLANNER, f"--limit={limit}"])
    assert end.value.code == 2
    assert f"'{limit}' is no whole number above 0" in capsys.readouterr().err


def test_a_planner_that_does_not_answer_is_no_service(tmp_path: Path) -> None:
    ended = CommandLine(tmp_path, PLANNER_URL=PLANNER).run("whoami")
    assert (ended.code, ended.out) == (5, "")
    assert "No answer from http://127.0.0.1:1" in ended.err


def test_a_token_is_not_sent_to_several_planners(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PLANNER_TOKEN", "secret")
    assert main(["jobs", "--at", PLANNER, "--at", f"{PLANNER}/b"]) == 2
    assert "PLANNER_TOKEN is for one planner" in capsys.readouterr().err


def test_options_may_stand_before_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--at", PLANNER, "follow", "ab"]) == 2
    assert "too short" in capsys.readouterr().err


def test_without_its_extra_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["jobs"]) == 2
    assert 'pip install "execution-planner-client[cli]"' in capsys.readouterr().err


def test_words_of_an_ask_become_those_of_the_library() -> None:
    args = parse(
        "ask",
        [
            "f",
            "--cores",
            "2-8",
            "--memory",
            "4GiB",
            "--gpu",
            "a100:2",
            "--hours",
            "1.5",
            "--name",
            "n",
            "--needs",
            "a",
            "--needs",
            "b",
        ],
    )
    assert words_of(args) == {
        "cores": (2, 8),
        "memory": "4GiB",
        "gpu": {"type": "a100", "count": 2},
        "duration": timedelta(hours=1.5),
        "name": "n",
        "needs": ["a", "b"],
    }


def test_behind_two_dashes_nothing_is_an_option() -> None:
    args = parse("run", ["-d", "out", "--", "sort", "-o", "json", "--", "x"])
    assert (args.folder, args.output) == ("out", "table")
    assert args.tail == ["sort", "-o", "json", "--", "x"]


@pytest.mark.parametrize("words", ["--accept 0", "--accept last", "--cores few", "-o xml", "-d x"])
def test_wrong_options_are_wrong_usage(words: str) -> None:
    with pytest.raises(SystemExit) as end:
        parser_of("ask").parse_args(["file", *words.split()])
    assert end.value.code == 2


@pytest.mark.parametrize(
    ("text", "length"), [("90s", 90), ("1.5 min", 90), ("2h", 7200), ("1d", 86400), ("PT2H", 7200)]
)
def test_times_are_read_as_people_write_them(text: str, length: float) -> None:
    assert seconds(text) == length
    with pytest.raises(Misused, match="is no time"):
        seconds("soon")


def test_since_is_a_time_ago_or_a_day_of_this_computer() -> None:
    ago, day = moment("2h"), moment("2026-08-10")
    assert isinstance(ago, datetime) and isinstance(day, datetime)
    assert timedelta(hours=2) <= datetime.now(ago.tzinfo) - ago < timedelta(hours=2, minutes=1)
    assert day.tzinfo is not None and day.hour == 0
    assert moment("2026-08-10T10:00Z") is not None


def test_documents_are_read_as_the_service_reads_them() -> None:
    text = "a: yes\nb: 10:30\nc: 2026-08-10\nd: 010\ne: 1e3\nf: true\ng: ~\nh: 0x1f\ni: .5\nj: 'NO'"
    assert read_yaml(text) == {
        "a": "yes",
        "b": "10:30",
        "c": "2026-08-10",
        "d": 10,
        "e": 1000.0,
        "f": True,
        "g": None,
        "h": 31,
        "i": 0.5,
        "j": "NO",
    }
    with pytest.raises(Misused, match="cannot be read"):
        read_yaml("a: [")


def test_what_is_written_as_yaml_is_read_back() -> None:
    value = {"result": "NO", "yes": "10:30", "number": 1.5, "empty": [], "ö": None}
    assert read_yaml(write_yaml(value)) == value


def test_help_and_completion_load_no_http_and_no_yaml() -> None:
    code = (
        "import sys\n"
        "from execution_planner.cli.main import main\n"
        "assert main([]) == main(['completion', 'bash']) == 0\n"
        "print({'httpx', 'yaml', 'asyncio'} & set(sys.modules), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "set()\n")


def test_what_services_say_steers_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    say("first\nsecond \x1b[2J\x07")
    explain(PlannerError("evil \x1b]0;title\x07"))
    said = capsys.readouterr().err
    assert "\x1b" not in said and "\x07" not in said
    assert said.startswith("first\nsecond ")
