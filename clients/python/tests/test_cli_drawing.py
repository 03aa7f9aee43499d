"""Tables in narrow windows, and lines that are drawn again in place."""

from __future__ import annotations

import io

import pyte
import pytest

from execution_planner.cli.fitting import cut, lines_of, shown_width
from execution_planner.cli.region import Region
from execution_planner.tables import Table, width

TABLE = Table(
    ("job", "name", "start", "destination"),
    (
        ("01b4b912", "deep field 7, run 3, again", "Sun 22 Nov 17:50 UTC", "notebooks-large"),
        ("f8a9d4db", "日本の天文台 観測", "Sun 22 Nov 17:50 UTC", "programs"),
    ),
    title="Jobs",
    notes=("a note",),
)


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")


def drawn(monkeypatch: pytest.MonkeyPatch, columns: int, table: Table = TABLE) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(columns))
    return lines_of(table)


def test_a_wide_window_shows_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    assert drawn(monkeypatch, 200) == TABLE.text().splitlines()


@pytest.mark.parametrize("columns", [80, 70, 60, 54])
def test_a_narrow_window_cuts_texts_but_no_ids_and_no_times(
    monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    lines = drawn(monkeypatch, columns)
    assert all(width(line) <= columns for line in lines)
    rows = lines[2:4]
    assert [row.split()[0] for row in rows] == ["01b4b912", "f8a9d4db"]
    assert all("Sun 22 Nov 17:50 UTC" in row for row in rows)
    assert ("…" in "".join(rows)) is (columns < 77)


def test_the_smallest_window_cuts_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = drawn(monkeypatch, 20)
    assert all(width(line) <= 20 for line in lines[1:4])
    assert lines[2].startswith("01b4b912") and lines[2].endswith("…")


def test_a_table_without_rows_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert drawn(monkeypatch, 80, Table(("job",), (), empty="no jobs")) == ["no jobs"]


def test_what_a_service_says_steers_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(("job",), (("\x1b[2J\x07evil",),), title="\x1b]0;title\x07")
    assert "\x1b" not in "".join(drawn(monkeypatch, 80, table))


@pytest.mark.parametrize(
    ("text", "columns", "shown"),
    [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("日本", 3, "日…"), ("日本", 4, "日本"), ("ab", 0, "")],
)
def test_texts_are_cut_by_columns(text: str, columns: int, shown: str) -> None:
    assert cut(text, columns) == shown


def test_styles_take_no_columns() -> None:
    assert shown_width("\x1b[1mjob\x1b[22m  日本") == 9


class Screen:
    """A terminal of pyte, and a region that draws on it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, columns: int, lines: int) -> None:
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setenv("LINES", str(lines))
        self._screen = pyte.Screen(columns, lines)
        self._stream = pyte.Stream(self._screen)
        self._out = io.StringIO()
        self.region = Region(self._out)
        self._stream.feed("$ execplan\r\n")

    def lines(self) -> list[str]:
        self._stream.feed(self._out.getvalue())
        self._out.seek(0)
        self._out.truncate()
        return [line.rstrip() for line in self._screen.display if line.strip()]


def test_lines_are_drawn_over_the_ones_before(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen(monkeypatch, 40, 10)
    for lines in (["a", "b", "c"], ["a"], ["1", "2", "3", "4"], ["x", "y"]):
        screen.region.draw(lines)
        assert screen.lines() == ["$ execplan", *lines]


def test_lines_that_wrap_are_drawn_over_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen(monkeypatch, 10, 10)
    screen.region.draw(["a" * 25, "b" * 10])
    assert len(screen.lines()) == 5
    screen.region.draw(["c"])
    assert screen.lines() == ["$ execplan", "c"]


def test_more_lines_than_the_window_has_show_their_end(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen(monkeypatch, 20, 5)
    for number in (0, 1):
        screen.region.draw([f"{number} line {line}" for line in range(9)])
        assert screen.lines() == [f"{number} line {line}" for line in range(4, 9)]


def test_what_is_said_above_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen(monkeypatch, 40, 10)
    screen.region.draw(["table", "prompt"])
    screen.region.above(["why", "so"])
    screen.region.draw(["table", "prompt"])
    screen.region.forget()
    screen.region.draw(["next"])
    assert screen.lines() == ["$ execplan", "why", "so", "table", "prompt", "next"]
