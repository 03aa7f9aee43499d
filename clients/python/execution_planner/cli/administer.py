"""`execplan overview`, `drain`, `undrain` and `audit`, for administrators."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..tables import Table
from . import exits
from .commands import Command
from .output import emit, say
from .overviews import show_overview
from .wanted import count, moment

if TYPE_CHECKING:
    from .session import Session


def _no_arguments(parser: ArgumentParser) -> None:
    """This command has the common options only."""


def _overview(args: Namespace, session: Session) -> int:
    for planner in session.planners:
        overview = planner.overview()
        names = [str(one["destination"]) for one in overview["destinations"]]
        if args.output == "table":
            show_overview(overview)
        else:
            emit(args.output, overview, names, str)
    return exits.DONE


def _drain_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("destination", metavar="DESTINATION")
    parser.add_argument("reason", metavar="REASON", help="for those who get no offer because of it")
    parser.add_argument("--from", dest="start", metavar="WHEN", help="now by default")
    parser.add_argument("--until", metavar="WHEN", help="without it, until `execplan undrain`")


def _drain(args: Namespace, session: Session) -> int:
    drain = session.planner.drain(args.destination, args.reason, start=args.start, end=args.until)
    emit(args.output, drain, [args.destination], lambda: _drain_words(drain))
    return exits.DONE


def _drain_words(drain: Mapping[str, Any]) -> str:
    from ..times import instant_words

    until = f" until {instant_words(str(drain['until']))}" if "until" in drain else ""
    start = instant_words(str(drain["from"]))
    return f"no new offers for {drain['destination']} from {start}{until}: {drain['reason']}"


def _undrain_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("destination", metavar="DESTINATION")
    parser.add_argument("--why", metavar="TEXT", help="for the audit trail")


def _undrain(args: Namespace, session: Session) -> int:
    session.planner.undrain(args.destination, why=args.why)
    emit(args.output, {"destination": args.destination}, [args.destination], lambda: "")
    say(f"offers for {args.destination} are made again")
    return exits.DONE


def _audit_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--before", metavar="WHEN", type=moment, help="older than 2h, 3d, a date")
    parser.add_argument("--limit", metavar="N", type=count, help="at most (default: 100)")


def _audit(args: Namespace, session: Session) -> int:
    entries = session.planner.audit(before=args.before, limit=args.limit)
    ids = [str(entry["request-id"]) for entry in entries]
    emit(args.output, entries, ids, lambda: _audit_table(entries))
    return exits.DONE


def _audit_table(entries: list[Mapping[str, Any]]) -> Table:
    from ..times import instant_words

    rows = tuple(
        (
            instant_words(str(entry["at"]), seconds=True),
            str(entry["owner"]) + (" (administrator)" if entry["administrator"] else ""),
            str(entry["address"]),
            str(entry["status"]),
            str(entry["action"]),
            str(entry.get("why", "")),
        )
        for entry in entries
    )
    headers = ("at", "who", "address", "status", "what", "why")
    return Table(headers, rows, empty="nothing was changed")


OVERVIEW = Command(_no_arguments, _overview)
DRAIN = Command(_drain_arguments, _drain)
UNDRAIN = Command(_undrain_arguments, _undrain)
AUDIT = Command(_audit_arguments, _audit)
