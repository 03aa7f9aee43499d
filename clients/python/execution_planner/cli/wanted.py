"""The words of an ask on the command line: which machine, when, with what."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from datetime import datetime, timedelta, timezone
from typing import Any

from .exits import Misused

WORDS = ("cores", "memory", "gpu", "start", "duration", "name", "needs", "environment")


def add_words(parser: ArgumentParser) -> None:
    """The options that change the document."""
    group = parser.add_argument_group("what is asked for")
    group.add_argument(
        "--cores", metavar="N|N-M", type=_pair_of(_number), help="at least; or from-to"
    )
    group.add_argument(
        "--memory", metavar="SIZE", type=_pair_of(str), help="4GiB, 512MiB, or 4GiB-16GiB"
    )
    group.add_argument("--gpu", metavar="N|TYPE[:N]", type=_gpu, help="how many, or which")
    length = group.add_mutually_exclusive_group()
    length.add_argument(
        "--hours", metavar="H", dest="duration", type=_hours, help="the longest run"
    )
    length.add_argument(
        "--duration", metavar="TIME", type=duration, help="the longest run: 90min, 2h, PT2H"
    )
    group.add_argument(
        "--start", metavar="WHEN", help="2026-08-10T08:00Z, or an interval with /; now by default"
    )
    group.add_argument("--name", metavar="TEXT", help="what you call the job")
    group.add_argument(
        "--needs",
        metavar="PACKAGE",
        action="append",
        help="a Python package, as astropy>=6; or a requirements.txt; several times",
    )
    group.add_argument("--environment", metavar="NAME", help="the Python environment to run in")


def words_of(args: Namespace) -> dict[str, Any]:
    """The given words, for `planner.ask`."""
    words = {name: getattr(args, name) for name in WORDS}
    needs = words["needs"]
    if needs is not None and len(needs) == 1:
        # One may be the path of a requirements.txt; the library looks.
        words["needs"] = needs[0]
    return {name: value for name, value in words.items() if value is not None}


def duration(text: str) -> timedelta | str:
    """A time as people write it; what looks like ISO 8601 is left to the library."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(s|m|min|h|d)", text.strip())
    if found is None:
        return text
    unit = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}[found[2]]
    return timedelta(seconds=float(found[1]) * unit)


def moment(text: str) -> datetime | str:
    """A time in the past: `2h` ago, a day of this computer's zone, or an instant."""
    ago = duration(text)
    if isinstance(ago, timedelta):
        return datetime.now(timezone.utc) - ago
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        return text
    return read if read.tzinfo else read.astimezone()


def seconds(text: str) -> float:
    """Seconds of a time as people write it, or of ISO 8601."""
    from ..times import read_duration

    given = duration(text)
    read = read_duration(given) if isinstance(given, str) else given
    if read is None:
        raise Misused(f"{text!r} is no time: say 90s, 5min, 2h, or PT2H")
    return read.total_seconds()


def count(text: str) -> int:
    """How many of something.

    Raises:
        ArgumentTypeError: It is no whole number above 0: none at all would be a wrong answer.
    """
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise ArgumentTypeError(f"{text!r} is no whole number above 0")
    return int(text)


def _hours(text: str) -> timedelta:
    return timedelta(hours=float(text))


def _number(text: str) -> float:
    number = float(text)
    return int(number) if number == int(number) else number


def _pair_of(one: Any) -> Any:
    def pair(text: str) -> Any:
        first, dash, last = text.partition("-")
        return (one(first), one(last)) if dash else one(text)

    # The name is in argparse's message about a wrong value.
    pair.__name__ = "amount"
    return pair


def _gpu(text: str) -> Any:
    if text.isdigit():
        return int(text)
    kind, colon, count = text.rpartition(":")
    return {"type": kind, "count": int(count)} if colon and count.isdigit() else text
