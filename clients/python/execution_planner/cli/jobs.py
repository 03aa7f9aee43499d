"""`execplan jobs`: your jobs, once or as they change."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from ..tables import plain
from . import exits
from .commands import Command
from .idents import short
from .output import emit, has_all_letters
from .session import host_of
from .wanted import count, moment

if TYPE_CHECKING:
    from ..jobs import Job
    from ..tables import Table
    from .session import Session

PHASES = ("PENDING", "QUEUED", "EXECUTING", "COMPLETED", "ERROR", "ABORTED", "ARCHIVED")


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--phase", action="append", type=str.upper, choices=PHASES, help="several times for several"
    )
    parser.add_argument("--since", metavar="WHEN", type=moment, help="made since 2h, 3d, a date")
    parser.add_argument("--name", metavar="TEXT", help="with this text in their name")
    parser.add_argument("--destination", metavar="NAME", action="append")
    parser.add_argument("--owner", metavar="USER", help="for administrators; * for everybody's")
    parser.add_argument("--limit", metavar="N", type=count, default=50, help="at most (default: 50)")
    parser.add_argument("--watch", action="store_true", help="show changes until Ctrl-C")


def _run(args: Namespace, session: Session) -> int:
    if args.watch:
        return _watch(args, session)
    jobs = _read(args, session)
    documents = [job.document for _, job in jobs]
    emit(args.output, documents, [job.id for _, job in jobs], lambda: _table(jobs, session))
    return exits.DONE


def _read(args: Namespace, session: Session) -> list[tuple[str, Job]]:
    found = [
        (host_of(planner), job)
        for planner in session.planners
        for job in planner.jobs(
            phase=args.phase,
            destination=args.destination,
            name=args.name,
            after=args.since,
            owner=args.owner,
            limit=args.limit,
        )
    ]
    if not session.is_one:
        found.sort(key=lambda pair: pair[1].created.timestamp() if pair[1].created else 0)
        found.reverse()
    return found[: args.limit]


def _table(jobs: list[tuple[str, Job]], session: Session) -> Table:
    from ..show import jobs_table

    return jobs_table(
        [job for _, job in jobs],
        ids={job.id: short(job.id) for _, job in jobs},
        planners=None if session.is_one else [host for host, _ in jobs],
    )


def _watch(args: Namespace, session: Session) -> int:
    """Reads the list again when the planner tells of a change."""
    told: dict[str, str] = {}
    is_drawn = args.output == "table" and sys.stdout.isatty()
    if is_drawn:
        from .fitting import lines_of
        from .region import Region

        region = Region(sys.stdout)
    for change in session.planner.events():
        if change.kind not in ("start", "job"):
            continue
        jobs = _read(args, session)
        if is_drawn:
            region.draw([*lines_of(_table(jobs, session)), "Ctrl-C ends this"])
            continue
        for _, job in reversed(jobs):
            if told.get(job.id) != job.phase:
                told[job.id] = job.phase
                _tell(args.output, job)
    return exits.DONE


def _tell(form: str, job: Job) -> None:
    """A line for each change, for programs that read a pipe."""
    if form == "table":
        print(plain(f"{short(job.id)}  {job.phase}  {job.name or ''}").rstrip(), flush=True)
    elif form == "ids":
        print(job.id, flush=True)
    elif form == "json":
        print(json.dumps(job.document, ensure_ascii=not has_all_letters()), flush=True)
    else:
        from .documents import write_yaml

        print(f"---\n{write_yaml(job.document)}", end="", flush=True)


JOBS = Command(_arguments, _run)
