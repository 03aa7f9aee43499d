"""The overview of a site, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..amounts import number_words, size_words
from ..tables import Table
from ..times import duration_words, instant_words
from .output import clean, show


def show_overview(overview: Mapping[str, Any]) -> None:
    """Prints destinations, executors, and who holds what; then what is wrong."""
    print(f"As of {instant_words(str(overview['at']), seconds=True)}\n")
    show(_destinations(overview))
    print()
    show(_executors(overview))
    print()
    show(_holders(overview))
    for line in _problems(overview):
        print(clean(line))


def _destinations(overview: Mapping[str, Any]) -> Table:
    rows = []
    for one in overview["destinations"]:
        queue = one["queue"]
        rows.append(
            (
                str(one["destination"]),
                _state(one),
                str(one["engine"]),
                _cores(one, "free"),
                _cores(one, "held"),
                _cores(one, "firm"),
                _cores(one, "capacity"),
                str(queue["waiting"]),
                str(queue["running"]),
                _wait(queue),
            )
        )
    headers = ("destination", "state", "engine", "free", "held", "taken", "cores", "waiting",
               "running", "longest wait")  # fmt: skip
    numbers = frozenset(headers[3:])
    return Table(headers, tuple(rows), numbers=numbers, empty="no destinations")


def _executors(overview: Mapping[str, Any]) -> Table:
    rows = tuple(
        (
            str(one["executor"]),
            "alive" if one["alive"] else "gone",
            str(one["jobs"]),
            ", ".join(
                str(engine["destination"]) + ("" if engine["answers"] else " (silent)")
                for engine in one["engines"]
            ),
        )
        for one in overview["executors"]
    )
    headers = ("executor", "state", "jobs", "engines")
    return Table(headers, rows, numbers=frozenset(["jobs"]), empty="no executors")


def _holders(overview: Mapping[str, Any]) -> Table:
    rows = tuple(
        (
            str(one.get("user", one["owner"])),
            str(one["destination"]),
            _cores(one, "held"),
            _cores(one, "firm"),
            size_words(one["held"]["memory"] + one["firm"]["memory"]),
            str(one["jobs"]),
            instant_words(str(one["until"])),
        )
        for one in overview["holders"]
    )
    headers = ("who", "destination", "held", "taken", "memory", "jobs", "until")
    return Table(headers, rows, numbers=frozenset(headers[2:6]), empty="nobody holds anything")


def _problems(overview: Mapping[str, Any]) -> list[str]:
    places = [(str(part["part"]), part["problems"]) for part in overview["parts"]]
    places += [(key, overview[key]["problems"]) for key in ("rules", "site") if key in overview]
    return list(
        dict.fromkeys(f"{place}: {problem}" for place, found in places for problem in found)
    )


def _state(one: Mapping[str, Any]) -> str:
    if "drain" in one:
        return "drained"
    return "open" if one["open"] else "closed"


def _cores(one: Mapping[str, Any], key: str) -> str:
    return number_words(one[key]["cores"]) if key in one else ""


def _wait(queue: Mapping[str, Any]) -> str:
    from datetime import timedelta

    return duration_words(timedelta(seconds=queue["longest-wait"])) if queue["due"] else ""
