"""Completion in real shells."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import PATIENCE, CommandLine

from execution_planner.cli.commands import COMMANDS


@pytest.fixture
def here(tmp_path: Path) -> CommandLine:
    """A folder with two files, and an `execplan` in the path whose planner has two jobs."""
    (tmp_path / "task.yaml").write_text("")
    (tmp_path / "table one.csv").write_text("")
    binaries = tmp_path / "bin"
    binaries.mkdir()
    real = f'exec {sys.executable} -m execution_planner "$@"'
    listing = 'if [ "$*" = "jobs -o ids" ]; then echo 01a1-first; echo 01a2-second; exit; fi'
    (binaries / "execplan").write_text(f"#!/bin/sh\n{listing}\n{real}\n")
    (binaries / "execplan").chmod(0o755)
    return CommandLine(tmp_path, PATH=f"{binaries}:/usr/bin:/bin")


def shell(here: CommandLine, *words: str) -> list[str]:
    done = subprocess.run(
        words,
        cwd=here.folder,
        env=here.environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def bash(here: CommandLine, *words: str) -> list[str]:
    quoted = " ".join(f"'{word}'" for word in words)
    script = (
        f'eval "$(execplan completion bash)"; COMP_WORDS=({quoted}); '
        f"COMP_CWORD={len(words) - 1}; _execplan; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    return shell(here, "bash", "--norc", "-c", script)


def zsh(here: CommandLine, *words: str) -> list[str]:
    """What zsh itself offers after Tab, in a terminal of its own (zpty)."""
    typed = " ".join(words)
    (here.folder / ".zshrc").write_text(
        "autoload -Uz compinit; compinit -u\n"
        'eval "$(execplan completion zsh)"\n'
        "zstyle ':completion:*' list-packed false\n"
        "LISTMAX=10000; PS1='READY '; unsetopt zle_bracketed_paste\n"
        "zmodload zsh/complist 2>/dev/null\n"
    )
    import pexpect

    child = pexpect.spawn(
        "zsh",
        ["-i"],
        cwd=str(here.folder),
        env={**here.environment, "TERM": "dumb", "ZDOTDIR": str(here.folder)},
        dimensions=(200, 200),
        encoding="utf-8",
        timeout=PATIENCE,
    )
    child.expect("READY ")
    # What is typed after Tab is read when the completion is there: away with the line, and a mark.
    child.send(f"{typed}\t\t\x15echo the ''mark\r")
    child.expect_exact("the mark")
    seen = str(child.before)
    child.close(force=True)
    return seen.split()


def fish(here: CommandLine, *words: str) -> list[str]:
    script = f"execplan completion fish | source; complete -C '{' '.join(words)}'"
    return [line.split("\t")[0] for line in shell(here, "fish", "--no-config", "-c", script)]


SHELLS = [
    pytest.param(
        run,
        id=run.__name__,
        marks=pytest.mark.skipif(
            shutil.which(run.__name__) is None, reason=f"there is no {run.__name__}"
        ),
    )
    for run in (bash, zsh, fish)
]
everywhere = pytest.mark.parametrize("complete", SHELLS)
Complete = type(bash)


@everywhere
def test_commands_are_completed(complete: Complete, here: CommandLine) -> None:
    assert set(COMMANDS) <= set(complete(here, "execplan", ""))
    assert {"overview"} <= set(complete(here, "execplan", "ov"))


@everywhere
def test_options_of_the_command_are_completed(complete: Complete, here: CommandLine) -> None:
    found = set(complete(here, "execplan", "ask", "--"))
    assert {"--cores", "--accept", "--yes-nearest", "--at", "--output"} <= found
    assert "--watch" not in found


@everywhere
def test_values_that_are_few_are_completed(complete: Complete, here: CommandLine) -> None:
    assert {"table", "json", "yaml", "ids"} <= set(complete(here, "execplan", "jobs", "-o", ""))
    assert {"bash", "zsh", "fish"} <= set(complete(here, "execplan", "completion", ""))


@everywhere
def test_ids_are_those_of_your_jobs(complete: Complete, here: CommandLine) -> None:
    assert {"01a1-first", "01a2-second"} <= set(complete(here, "execplan", "follow", "01a"))


@everywhere
def test_an_id_of_a_service_is_no_command_of_the_shell(
    complete: Complete, here: CommandLine
) -> None:
    program = here.folder / "bin/execplan"
    bad = "$(touch${IFS}taken) `touch${IFS}taken`"
    program.write_text(program.read_text().replace("echo 01a1-first", f"echo '{bad}'"))
    assert "01a2-second" in complete(here, "execplan", "follow", "")
    assert not (here.folder / "taken").exists()


@everywhere
def test_files_are_completed(complete: Complete, here: CommandLine) -> None:
    found = complete(here, "execplan", "ask", "ta")
    assert "task.yaml" in found and any("one.csv" in word for word in found)


def test_completion_is_offered_for_these_shells_only(here: CommandLine) -> None:
    assert here.run("completion", "tcsh").code == 2
