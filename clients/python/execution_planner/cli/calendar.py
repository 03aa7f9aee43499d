"""`execplan calendar`: how much is free, and where there is room for a task."""

from __future__ import annotations

import shutil
from argparse import ArgumentParser, Namespace
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

from . import exits
from .commands import Command
from .exits import Misused
from .output import emit, show
from .session import host_of
from .wanted import seconds

if TYPE_CHECKING:
    from ..calendar import Calendar, Room
    from .session import Session

ROOMS = 10
"""Times with room that are printed."""
EACH = (1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1440)
"""Minutes of a column."""


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--cores", metavar="N", type=float, help="where there is room for so many")
    parser.add_argument("--memory", metavar="SIZE", help="and for so much: 16GiB")
    parser.add_argument("--gpu", metavar="N", type=int, help="and for so many GPUs")
    parser.add_argument("--hours", metavar="H", type=float, help="and for so long")
    parser.add_argument("--within", metavar="TIME", type=seconds, help="how far to look: 12h, 7d")
    parser.add_argument("--destination", metavar="NAME", action="append", help="only this one")


def _run(args: Namespace, session: Session) -> int:
    start = end = None
    if args.within is not None:
        # Whole minutes, so that columns have lengths that people can count with.
        start = datetime.now(timezone.utc).replace(second=0, microsecond=0) + timedelta(minutes=1)
        end = start + timedelta(seconds=args.within)
    calendars = [
        (host_of(planner), planner.calendar(start=start, end=end, destinations=args.destination))
        for planner in session.planners
    ]
    if args.output == "table":
        for host, calendar in calendars:
            if not session.is_one:
                print(f"{host}:")
            _show(calendar, args)
        return exits.DONE
    documents = [calendar.document for _, calendar in calendars]
    names = [room.destination for _, calendar in calendars for room in _rooms(calendar, args)]
    emit(args.output, documents[0] if session.is_one else documents, dict.fromkeys(names), str)
    return exits.DONE


def _show(calendar: Calendar, args: Namespace) -> None:
    from ..calendar import rooms_table

    if not calendar:
        raise Misused("the calendar has no such destination")
    longest = max(len(destination.name) for destination in calendar)
    # Beside the bars there are a name, two amounts, and their distances.
    most = max(12, min(96, shutil.get_terminal_size().columns - longest - 21))
    show(calendar.table(columns=_columns(calendar.end - calendar.start, most)))
    if any(value is not None for value in (args.cores, args.memory, args.gpu, args.hours)):
        print()
        show(rooms_table(_rooms(calendar, args)[:ROOMS]))


def _columns(length: timedelta, most: int) -> int:
    """As many columns as there is place for, of a length that people can count with."""
    for minutes in EACH:
        columns, rest = divmod(length, timedelta(minutes=minutes))
        if not rest and columns <= most:
            return columns
    return most


def _rooms(calendar: Calendar, args: Namespace) -> list[Room]:
    return calendar.room(
        cores=args.cores or 0,
        memory=args.memory or 0,
        gpus=args.gpu or 0,
        duration=None if args.hours is None else timedelta(hours=args.hours),
    )


CALENDAR = Command(_arguments, _run)
