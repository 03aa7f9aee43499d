"""Server-sent events, however their bytes are cut."""

from __future__ import annotations

import pytest

from execution_planner import PlannerError
from execution_planner.events import LONGEST_LINE, Event, EventReader

STREAM = (
    ": a comment\n\n"
    "id: 5\ndata: one\n\n"
    "id: 9\r\nevent: note\r\ndata: é€😀\r\ndata:  second line\r\n\r\n"
    "data: old ends\rdata: of lines\r\r"
    "retry: 1500\nid\ndata\n\n"
    "event: end\ndata: COMPLETED\nunknown: field\n\n"
    "data: not whole"
).encode()

EVENTS = [
    Event("message", "one", "5"),
    Event("note", "é€😀\n second line", "9"),
    Event("message", "old ends\nof lines", "9"),
    Event("message", "", ""),
    Event("end", "COMPLETED", ""),
]


def read(*pieces: bytes) -> list[Event]:
    reader = EventReader()
    return [event for piece in pieces for event in reader.feed(piece)]


def test_a_stream_in_one_piece_has_its_events() -> None:
    assert read(STREAM) == EVENTS


@pytest.mark.parametrize("at", range(len(STREAM) + 1))
def test_a_stream_cut_at_any_byte_has_the_same_events(at: int) -> None:
    assert read(STREAM[:at], STREAM[at:]) == EVENTS


def test_a_stream_that_comes_byte_by_byte_has_the_same_events() -> None:
    assert read(*(STREAM[i : i + 1] for i in range(len(STREAM)))) == EVENTS


def test_empty_pieces_change_nothing() -> None:
    pieces = [part for i in range(len(STREAM)) for part in (STREAM[i : i + 1], b"")]
    assert read(*pieces) == EVENTS


def test_a_byte_order_mark_is_no_part_of_the_first_line() -> None:
    assert read("\ufeffdata: x\n\n".encode()) == [Event("message", "x", None)]


def test_an_event_without_data_is_none_and_its_name_is_forgotten() -> None:
    assert read(b"event: end\n\ndata: x\n\n") == [Event("message", "x", None)]


def test_an_id_with_a_nul_is_ignored() -> None:
    assert read(b"id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n")[1].id == "1"


def test_retry_is_told_in_seconds() -> None:
    reader = EventReader()
    list(reader.feed(b"retry: 30000\n\nretry: soon\n\n"))
    assert reader.retry == 30.0


def test_a_line_without_an_end_is_given_up() -> None:
    reader = EventReader()
    piece = b"a" * 2**20
    with pytest.raises(PlannerError, match="without an end"):
        for _ in range(LONGEST_LINE // len(piece) + 1):
            list(reader.feed(piece))
