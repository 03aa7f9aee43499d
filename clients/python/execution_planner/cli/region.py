"""Lines at the end of the terminal that are drawn again in place."""

from __future__ import annotations

import shutil
from typing import TextIO

from .fitting import shown_width


class Region:
    """Draws lines over the ones before; the cursor stays behind the last one.

    Args:
        out: A terminal.
    """

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._drawn: list[str] = []

    def draw(self, lines: list[str]) -> None:
        """Shows these lines in place of those before."""
        size = shutil.get_terminal_size()
        # A region that is higher than the window could not be drawn over: its first lines are gone.
        shown = lines if len(lines) <= size.lines else lines[-size.lines :]
        self._out.write(self._back(size.columns) + "\r\n".join(shown))
        self._out.flush()
        self._drawn = shown

    def above(self, lines: list[str]) -> None:
        """Leaves these lines above the drawn ones, which are to be drawn again."""
        columns = shutil.get_terminal_size().columns
        self._out.write(self._back(columns) + "".join(f"{line}\r\n" for line in lines))
        self._out.flush()
        self._drawn = []

    def forget(self) -> None:
        """Leaves the lines where they are; the next ones are drawn below."""
        if self._drawn:
            self._out.write("\r\n")
            self._out.flush()
        self._drawn = []

    def _back(self, columns: int) -> str:
        """To the first cell of what is drawn, and everything after it away."""
        # After a change of the window, terminals have wrapped long lines to more of them.
        rows = sum(max(1, -(-shown_width(line) // columns)) for line in self._drawn)
        up = f"\x1b[{rows - 1}A" if rows > 1 else ""
        return f"\r{up}\x1b[J" if self._drawn else ""
