"""`execplan` as a process, with its output; and on a terminal with a screen."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pexpect
import pyte

EXECPLAN = [sys.executable, "-m", "execution_planner"]
PATIENCE = 90.0
"""Seconds: the machine of a test may be busy."""
COMPILED = tempfile.mkdtemp(prefix="planner-compiled-")
"""Where the commands share what Python compiles, which takes a third of the time of each."""
atexit.register(shutil.rmtree, COMPILED, ignore_errors=True)


@dataclass(frozen=True)
class Ended:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


class CommandLine:
    """Runs commands in a folder as one user."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.folder = folder
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PLANNER_", "COLUMNS", "NO_COLOR", "PYTHONDONTWRITE"))
        }
        self.environment = {
            **kept,
            "XDG_CONFIG_HOME": str(folder / "config"),
            "HOME": str(folder),
            "TZ": "Europe/Berlin",
            "TERM": "xterm-256color",
            "PYTHONPYCACHEPREFIX": COMPILED,
            **environment,
        }

    def run(self, *words: str, stdin: str = "", **environment: str) -> Ended:
        """Runs a command to its end."""
        done = subprocess.run(
            [*EXECPLAN, *words],
            cwd=self.folder,
            env={**self.environment, **environment},
            input=stdin,
            capture_output=True,
            check=False,
            text=True,
            timeout=PATIENCE,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    def begin(self, *words: str) -> subprocess.Popen[str]:
        """Starts a command, whose output is pipes."""
        return subprocess.Popen(
            [*EXECPLAN, *words],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    @contextmanager
    def terminal(
        self, *words: str, columns: int = 80, lines: int = 24, **environment: str
    ) -> Iterator[Terminal]:
        """Runs a command on a terminal."""
        child = pexpect.spawn(
            EXECPLAN[0],
            [*EXECPLAN[1:], *words],
            cwd=str(self.folder),
            env={**self.environment, **environment},
            dimensions=(lines, columns),
            encoding="utf-8",
            timeout=PATIENCE,
        )
        try:
            yield Terminal(child, columns, lines)
        finally:
            child.close(force=True)


class Terminal:
    """A terminal with a screen."""

    def __init__(self, child: Any, columns: int, lines: int) -> None:
        self.child = child
        self._screen = pyte.HistoryScreen(columns, lines, history=1000)
        self._stream = pyte.Stream(self._screen)

    @property
    def screen(self) -> str:
        """What one sees."""
        return "\n".join(line.rstrip() for line in self._screen.display).rstrip()

    def type(self, text: str) -> None:
        """Presses keys."""
        self.child.send(text)

    def until(self, seen: str | Callable[[str], bool]) -> str:
        """Waits until something is on the screen."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            is_seen = seen in self.screen if isinstance(seen, str) else seen(self.screen)
            if is_seen:
                return self.screen
            if not self._read():
                break
        raise AssertionError(f"{seen} was not seen on\n{self.screen}")

    def end(self) -> int:
        """Waits for the end of the command. Returns its exit code."""
        while self._read():
            pass
        self.child.wait()
        assert self.child.exitstatus is not None, f"killed by {self.child.signalstatus}"
        return int(self.child.exitstatus)

    def _read(self) -> bool:
        try:
            self._stream.feed(self.child.read_nonblocking(4096, timeout=0.1))
        except pexpect.TIMEOUT:
            pass
        except pexpect.EOF:
            return False
        return True
