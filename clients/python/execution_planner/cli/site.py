"""`execplan site` and `environments`: what a planner takes."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..amounts import number_words, size_words
from ..tables import Table
from . import exits
from .commands import Command
from .output import emit, show

if TYPE_CHECKING:
    from .session import Session


def _no_arguments(parser: ArgumentParser) -> None:
    """These commands have the common options only."""


def _site(args: Namespace, session: Session) -> int:
    sites = [planner.site() for planner in session.planners]
    names = [str(one["destination"]) for site in sites for one in site["destinations"]]
    value = sites[0] if session.is_one else sites
    if args.output != "table":
        emit(args.output, value, names, str)
        return exits.DONE
    for site in sites:
        show(_site_table(site))
    return exits.DONE


def _site_table(site: Mapping[str, Any]) -> Table:
    types = {entry["type"]: str(entry["name"]) for entry in site["task-types"]}
    places = site["destinations"]
    columns = {
        "destination": [str(one["destination"]) for one in places],
        "takes": [
            ", ".join(types.get(uri, str(uri)) for uri in one["task-types"]) for one in places
        ],
        "cores": [number_words(one["capacity"]["cores"]) for one in places],
        "memory": [size_words(one["capacity"]["memory"]) for one in places],
        "state": ["" if one["open"] else "closed" for one in places],
        "description": [str(one.get("description", "")) for one in places],
    }
    filled = {header: cells for header, cells in columns.items() if any(cells)}
    message = [str(site["message"])] if "message" in site else []
    ways = [str(way["name"]) for way in site["sign-in"] if "name" in way]
    without = ["without a credential"] if site["anonymous"] else []
    return Table(
        tuple(filled),
        tuple(zip(*filled.values(), strict=True)),
        title=str(site["name"]),
        notes=(*message, f"You may ask: {', '.join([*ways, *without]) or 'nobody'}"),
        numbers=frozenset(["cores", "memory"]),
        empty="no destinations",
    )


def _environments(args: Namespace, session: Session) -> int:
    from ..show import environments_table

    found = [one for planner in session.planners for one in planner.environments()]
    names = [str(one["environment"]) for one in found]
    emit(args.output, found, names, lambda: environments_table(found))
    return exits.DONE


SITE = Command(_no_arguments, _site)
ENVIRONMENTS = Command(_no_arguments, _environments)
