"""What people see of offers, jobs, environments and reasons: tables and sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any, Protocol

from .errors import grouped
from .offer_cells import costs, environment, gpus, machines, state, text_of, time_of
from .tables import Cell, Link, Table, plain
from .tables import table_html as table_html
from .tables import table_text as table_text
from .times import countdown, duration_words, instant_words

Column = tuple[str, list[Cell]]


class ShownOffer(Protocol):
    """As much of an offer as a table shows."""

    @property
    def document(self) -> Mapping[str, Any]: ...
    @property
    def seconds_left(self) -> float: ...


class ShownJob(Protocol):
    """As much of a job as a table shows."""

    @property
    def id(self) -> str: ...
    @property
    def url(self) -> str: ...
    @property
    def name(self) -> str | None: ...
    @property
    def phase(self) -> str: ...
    @property
    def destination(self) -> str | None: ...
    @property
    def offered_start(self) -> datetime | None: ...
    @property
    def start(self) -> datetime | None: ...
    @property
    def end(self) -> datetime | None: ...


def offers_table(
    offers: Sequence[ShownOffer],
    *,
    first: int = 0,
    zone: tzinfo | None = None,
    planners: Sequence[str] | None = None,
    notes: Iterable[str] = (),
) -> Table:
    """Offers, one a line; columns that no offer fills are left out.

    Args:
        offers: What was offered.
        first: The number of the first line.
        zone: Whose time to show; that of this computer when left out.
        planners: The planner of each offer, if they are of several.
        notes: Lines below the table.
    """
    documents = [offer.document for offer in offers]
    columns: list[Column] = [("", [str(first + index) for index in range(len(offers))])]
    if planners is not None:
        columns.append(("planner", list(planners)))
    columns += [
        ("destination", [text_of(document.get("destination")) for document in documents]),
        ("start", [instant_words(time_of(document, "start"), zone) for document in documents]),
        ("at most", [duration_words(time_of(document, "duration")) for document in documents]),
        ("cores", [machines(document, "cores") for document in documents]),
        ("memory", [machines(document, "memory") for document in documents]),
    ]
    optional: list[Column] = [
        ("GPUs", [gpus(document) for document in documents]),
        ("environment", [environment(document) for document in documents]),
        ("costs", [costs(document) for document in documents]),
        ("held for", [_held(offer) for offer in offers]),
        ("state", [state(document) for document in documents]),
    ]
    columns += [column for column in optional if any(column[1])]
    return _table(columns, notes, "no offers", numbers=("", "cores", "memory", "GPUs", "held for"))


def jobs_table(
    jobs: Sequence[ShownJob],
    *,
    zone: tzinfo | None = None,
    ids: Mapping[str, str] | None = None,
    planners: Sequence[str] | None = None,
    notes: Iterable[str] = (),
) -> Table:
    """Jobs, one a line.

    Args:
        jobs: What is shown.
        zone: Whose time to show; that of this computer when left out.
        ids: Shorter ids for these jobs.
        planners: The planner of each job, if they are of several.
        notes: Lines below the table.
    """
    columns: list[Column] = [
        ("job", [Link((ids or {}).get(job.id, job.id), job.url) for job in jobs]),
        ("name", [job.name or "" for job in jobs]),
        ("phase", [job.phase for job in jobs]),
        ("destination", [job.destination or "" for job in jobs]),
        ("start", [_begin(job, zone) for job in jobs]),
        ("took", [_took(job) for job in jobs]),
    ]
    if planners is not None:
        columns.insert(0, ("planner", list(planners)))
    kept = [column for column in columns if column[0] != "name" or any(column[1])]
    return _table(kept, notes, "no jobs")


def environments_table(environments: Sequence[Mapping[str, Any]]) -> Table:
    """Environments of the service: their Python, packages and destinations."""
    columns: list[Column] = [
        ("environment", [text_of(one.get("environment")) for one in environments]),
        ("state", [text_of(one.get("state")) for one in environments]),
        ("Python", [text_of(one.get("python")) for one in environments]),
        ("packages", [_packages(one.get("packages") or ()) for one in environments]),
        ("destinations", [", ".join(map(str, one.get("destinations") or ()))
                          for one in environments]),
    ]  # fmt: skip
    return _table(columns, (), "no environments")


def reasons_text(reasons: Sequence[Mapping[str, Any]], *, more: int = 0) -> str:
    """Reasons of a NO; destinations that say the same share a line.

    Args:
        reasons: As the service sent them.
        more: How many others the explanation has.
    """
    lines = [plain(line) for line in grouped(reasons)]
    if more:
        lines.append(f"  and {more} more, in the explanation")
    return "\n".join(lines)


def nearest_text(nearest: Mapping[str, Any]) -> str:
    """What would be a YES, in a sentence."""
    changes = "; ".join(str(change.get("text", "")) for change in nearest.get("changes", ()))
    return plain(f"{nearest.get('destination', '?')} would say YES with {changes}")


def reasons_table(
    reasons: Sequence[Mapping[str, Any]],
    *,
    nearest: Mapping[str, Any] | None = None,
    more: int = 0,
) -> Table:
    """A NO: its reasons, and what would be a YES."""
    notes = [f"and {more} more, in the explanation"] if more else []
    if nearest:
        notes.append(nearest_text(nearest))
    lines = [line.strip() for line in grouped(reasons)]
    return _table([("The planner says NO", list(lines))], notes, "The planner says NO")


def _table(
    columns: Sequence[Column], notes: Iterable[str], empty: str, numbers: Iterable[str] = ()
) -> Table:
    return Table(
        headers=tuple(header for header, _ in columns),
        rows=tuple(zip(*(cells for _, cells in columns), strict=True)),
        notes=tuple(notes),
        numbers=frozenset(numbers),
        empty=empty,
    )


def _held(offer: ShownOffer) -> str:
    return countdown(offer.seconds_left) if offer.document.get("status") == "OFFERED" else ""


def _begin(job: ShownJob, zone: tzinfo | None) -> str:
    begun = job.start or job.offered_start
    return "" if begun is None else instant_words(begun, zone)


def _took(job: ShownJob) -> str:
    if job.start is None or job.end is None:
        return ""
    return duration_words(job.end - job.start)


def _packages(packages: Iterable[Any]) -> str:
    named = list(packages)
    shown = [f"{one['name']} {one.get('version', '')}".strip() for one in named[:6]]
    more = [f"and {len(named) - 6} more"] if len(named) > 6 else []
    return ", ".join(shown + more)
