"""Keys of the terminal, one by one, and the times at which to draw again."""

from __future__ import annotations

import os
import select
import signal
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

NOTHING = ""
"""Time has gone by, or the window has changed."""


class Keys:
    """Reads keys; made by `keys()`."""

    def __init__(self, terminal: int, woken: int) -> None:
        self._terminal = terminal
        self._woken = woken

    def next(self, seconds: float) -> str:
        """The next key; `NOTHING` after some time, or when the window has changed.

        Raises:
            EOFError: The terminal is gone, or its user typed Ctrl-D.
        """
        readable, _, _ = select.select([self._terminal, self._woken], [], [], seconds)
        if self._woken in readable:
            os.read(self._woken, 1024)
        if self._terminal not in readable:
            return NOTHING
        sent = os.read(self._terminal, 1)
        if sent in (b"", b"\x04"):
            raise EOFError
        if sent == b"\x1b":
            self._skip_sequence()
            return NOTHING
        return sent.decode("ascii", "replace")

    def _skip_sequence(self) -> None:
        """Arrows and the like send several bytes, none of which was typed by itself."""
        if self._byte() not in (b"[", b"O"):
            return
        # Parameters come before the last byte, which is a letter or ~.
        while (sent := self._byte()) and not b"@" <= sent <= b"~":
            continue

    def _byte(self) -> bytes:
        """The next byte of a sequence; empty for the key Escape, which sends one byte only."""
        is_there = select.select([self._terminal], [], [], 0.05)[0]
        return os.read(self._terminal, 1) if is_there else b""


@contextmanager
def keys() -> Iterator[Keys]:
    """The keys of standard input, without Enter after each; the terminal is put back always."""
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)

    def changed(number: int, frame: FrameType | None) -> None:
        if number == signal.SIGCONT:
            # While it was stopped, the shell had its own settings.
            tty.setcbreak(terminal)
        os.write(wake, b".")

    handlers = {
        number: signal.signal(number, changed) for number in (signal.SIGWINCH, signal.SIGCONT)
    }
    try:
        tty.setcbreak(terminal)
        yield Keys(terminal, woken)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
        os.close(woken)
        os.close(wake)
