"""Tables in the width of the terminal."""

from __future__ import annotations

import os
import re
import shutil

from ..tables import Table, plain, width

GAP = "  "
LEAST = 8
"""Columns of the terminal below which a text is not cut."""
KEPT = ("", "job", "offer", "start", "at most", "from", "to", "for", "held for", "took", "state")
"""Headers of columns that are never cut: what is copied, times, and what has few letters."""
_STYLE = re.compile("\x1b\\[[0-9;]*m")


def lines_of(table: Table) -> list[str]:
    """The lines of a table; a narrow window cuts long texts, and times and ids last."""
    columns = shutil.get_terminal_size().columns
    title = [plain(table.title)] if table.title else []
    notes = [plain(note) for note in table.notes]
    if not table.rows:
        return [*title, plain(table.empty), *notes]
    cells = [[plain(str(cell)) for cell in row] for row in (table.headers, *table.rows)]
    widths = _fitted(
        table, [max(map(width, column)) for column in zip(*cells, strict=True)], columns
    )
    right = [header in table.numbers for header in table.headers]
    head, *rows = [cut(_line(line, widths, right), columns) for line in cells]
    return [*title, _bold(head), *rows, *notes]


def cut(text: str, columns: int) -> str:
    """The text in so many columns of a terminal; `…` says that something is missing."""
    if width(text) <= columns:
        return text
    kept = text[:columns]
    while kept and width(kept) > columns - 1:
        kept = kept[:-1]
    return kept + "…" if columns > 0 else ""


def shown_width(line: str) -> int:
    """Columns that a line takes, without what only styles it."""
    return width(_STYLE.sub("", line))


def _fitted(table: Table, widths: list[int], columns: int) -> list[int]:
    """The widths, smaller where long texts do not fit: always the widest of them first."""
    fitted = list(widths)
    loose = [
        number
        for number, header in enumerate(table.headers)
        if header not in KEPT and header not in table.numbers
    ]
    while sum(fitted) + len(GAP) * (len(fitted) - 1) > columns:
        widest = max(loose, key=lambda number: fitted[number], default=None)
        if widest is None or fitted[widest] <= LEAST:
            break
        fitted[widest] -= 1
    return fitted


def _line(cells: list[str], widths: list[int], right: list[bool]) -> str:
    parts = []
    for cell, columns, is_right in zip(cells, widths, right, strict=True):
        shown = cut(cell, columns)
        blanks = " " * (columns - width(shown))
        parts.append(blanks + shown if is_right else shown + blanks)
    return GAP.join(parts).rstrip()


def _bold(text: str) -> str:
    is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return text if is_plain else f"\x1b[1m{text}\x1b[22m"
