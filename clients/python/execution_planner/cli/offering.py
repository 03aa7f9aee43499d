"""Offers in tables, and the one that is meant."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..tables import Table
from .exits import Misused

if TYPE_CHECKING:
    from ..offers import Offer

WORDS = ("first", "soonest", "cheapest")


def accepted_word(text: str) -> int | str:
    """What `--accept` takes."""
    if text in WORDS:
        return text
    if text.isdigit() and int(text) > 0:
        return int(text)
    raise ArgumentTypeError(f"{text!r} is no number of an offer, and not {', '.join(WORDS)}")


def pick(offers: Any, wanted: int | str) -> Offer:
    """The wanted offer.

    Raises:
        Misused: There is no such number.
    """
    if isinstance(wanted, str):
        found: Offer = getattr(offers, wanted)
        return found
    if wanted > len(offers):
        raise Misused(f"there is no offer {wanted}, but {len(offers)}")
    return offers[wanted - 1]  # type: ignore[no-any-return]


def numbered(offers: Any) -> Table:
    """The table of offers, whose first line is number 1."""
    from ..show import offers_table

    # What other planners said stands below the offers of those that said YES.
    notes = getattr(offers, "notes", ())
    return offers_table(list(offers), first=1, planners=hosts_of(offers), notes=notes)


def with_ids(table: Table, ids: Sequence[str]) -> Table:
    """The table with ids in place of the numbers, for what is typed later."""
    rows = tuple((ident, *row[1:]) for ident, row in zip(ids, table.rows, strict=True))
    return Table(
        ("offer", *table.headers[1:]),
        rows,
        table.title,
        table.notes,
        table.numbers - {""},
        table.empty,
    )


def hosts_of(offers: Any) -> list[str] | None:
    """The planner of each offer, where there are several planners."""
    found = [getattr(offer, "planner", None) for offer in offers]
    return [str(host) for host in found] if any(found) else None
