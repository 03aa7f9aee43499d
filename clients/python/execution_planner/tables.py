"""Tables as text and as HTML. What services say is shown, never interpreted."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape

# Colours of the page: a notebook may be light or dark.
_TABLE = "border-collapse:collapse;color:inherit;background:transparent;margin:0.3em 0"
_CELL = "padding:0.25em 0.9em 0.25em 0;text-align:{side};vertical-align:top;white-space:{wrap}"
_LINE = "border:0;border-bottom:1px solid rgba(128,128,128,0.4);background:transparent"
_BARS = "font-family:monospace;letter-spacing:0"
_NOTE = "margin:0.2em 0;opacity:0.8"

_HIDDEN = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
WIDEST = 60
"""Characters of a text up to which a cell of an HTML table stays on one line."""


@dataclass(frozen=True)
class Link:
    """A cell that leads somewhere, in HTML."""

    text: str
    url: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Bars:
    """A cell whose characters are as wide as each other, in HTML."""

    text: str

    def __str__(self) -> str:
        return self.text


Cell = str | Link | Bars


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        headers: A text for each column.
        rows: Cells, as many as headers.
        title: A line above it.
        notes: Lines below it.
        numbers: The headers of columns with numbers, which stand at the right side.
        empty: What is said in place of a table without rows.
    """

    headers: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    numbers: frozenset[str] = field(default_factory=frozenset)
    empty: str = "nothing"

    def text(self) -> str:
        """The table as aligned lines."""
        right = [header in self.numbers for header in self.headers]
        body = table_text(self.headers, self.rows, right) if self.rows else self.empty
        return "\n".join([*([plain(self.title)] if self.title else []), body,
                          *(plain(note) for note in self.notes)])  # fmt: skip

    def html(self) -> str:
        """The table for a notebook."""
        right = [header in self.numbers for header in self.headers]
        parts = [_paragraph(self.title)] if self.title else []
        parts.append(
            table_html(self.headers, self.rows, right) if self.rows else _paragraph(self.empty)
        )
        parts += [_paragraph(note) for note in self.notes]
        return f'<div style="overflow-x:auto">{"".join(parts)}</div>'

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return self.html()


def table_text(
    headers: Sequence[str], rows: Iterable[Sequence[Cell]], right: Sequence[bool] = ()
) -> str:
    """Aligned columns, two blanks apart.

    Args:
        headers: A text for each column.
        rows: Cells, as many as headers.
        right: Whether a column stands at the right side.
    """
    lines = [[plain(str(cell)) for cell in row] for row in [headers, *rows]]
    widths = [max(map(width, column)) for column in zip(*lines, strict=True)]
    sides = [*right, *[False] * (len(headers) - len(right))]
    return "\n".join("  ".join(map(_padded, line, widths, sides)).rstrip() for line in lines)


def table_html(
    headers: Sequence[str], rows: Iterable[Sequence[Cell]], right: Sequence[bool] = ()
) -> str:
    """A table in which every text is escaped; it reads well on light and on dark pages."""
    sides = ["right" if is_right else "left" for is_right in right]
    sides += ["left"] * (len(headers) - len(sides))
    head = "".join(
        f'<th scope="col" style="{_LINE};{_CELL.format(side=side, wrap="nowrap")}">'
        f"{_escaped(header)}</th>"
        for header, side in zip(headers, sides, strict=True)
    )
    body = "".join(
        f'<tr style="{_LINE}">{"".join(map(_html_cell, row, sides))}</tr>' for row in rows
    )
    return (
        f'<table style="{_TABLE}"><thead><tr style="{_LINE}">{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )


def plain(text: str) -> str:
    """The text on one line, without characters that steer a terminal or turn the line around."""
    return "".join(_visible(character) for character in text)


def width(text: str) -> int:
    """Columns of a terminal that a text takes."""
    return sum(_columns(character) for character in text)


def _visible(character: str) -> str:
    if character in "\n\r\t":
        return " "
    is_hidden = character in _HIDDEN or unicodedata.category(character) in ("Cc", "Cs")
    return "\ufffd" if is_hidden else character


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _padded(text: str, columns: int, is_right: bool) -> str:
    blanks = " " * (columns - width(text))
    return blanks + text if is_right else text + blanks


def _html_cell(cell: Cell, side: str) -> str:
    wrap = "nowrap" if len(str(cell)) <= WIDEST else "normal"
    content = _escaped(str(cell))
    # A service may send any URL: only those of the web become links.
    if isinstance(cell, Link) and cell.url.lower().startswith(("http://", "https://")):
        content = f'<a href="{_escaped(cell.url)}" rel="noreferrer">{content}</a>'
    if isinstance(cell, Bars):
        content = f'<span style="{_BARS}">{content}</span>'
    return f'<td style="border:0;{_CELL.format(side=side, wrap=wrap)}">{content}</td>'


def _paragraph(text: str) -> str:
    return f'<div style="{_NOTE}">{_escaped(text)}</div>'


def _escaped(text: str) -> str:
    return escape(plain(text), quote=True)
