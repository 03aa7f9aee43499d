"""`execplan follow`, `wait`, `cancel` and `delete`: one job."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from . import exits
from .arguments import add_job
from .carry_on import follow, show_job
from .commands import Command
from .idents import find_job, short
from .output import emit, say
from .wanted import seconds

if TYPE_CHECKING:
    from .session import Session


def _follow_arguments(parser: ArgumentParser) -> None:
    add_job(parser)
    parser.add_argument("log", metavar="LOG", nargs="?", default="stdout", help="stdout or stderr")


def _follow(args: Namespace, session: Session) -> int:
    job = find_job(session, args.id)
    follow(job, session, to=sys.stdout if args.output == "table" else sys.stderr, name=args.log)
    if args.output != "table":
        show_job(job, args.output)
    return exits.DONE


def _wait_arguments(parser: ArgumentParser) -> None:
    add_job(parser)
    parser.add_argument("--timeout", metavar="TIME", type=seconds, help="how long at most: 90s, 2h")


def _wait(args: Namespace, session: Session) -> int:
    job = find_job(session, args.id)
    try:
        job.wait(args.timeout)
    except KeyboardInterrupt:
        say(f"\nThe job goes on. Come back: {session.command('wait', short(job.id))}")
        raise
    show_job(job, args.output)
    return exits.DONE


def _change_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", nargs="+", help="the jobs: their ids, or ends of them")
    parser.add_argument("--why", metavar="TEXT", help="for the audit trail")


def _cancel(args: Namespace, session: Session) -> int:
    from ..show import jobs_table

    jobs = [find_job(session, ident) for ident in args.id]
    for job in jobs:
        job.abort(args.why)
    ids = [job.id for job in jobs]
    emit(args.output, [job.document for job in jobs], ids, lambda: jobs_table(jobs))
    return exits.DONE


def _delete(args: Namespace, session: Session) -> int:
    jobs = [find_job(session, ident) for ident in args.id]
    for job in jobs:
        job.delete(args.why)
        say(f"deleted {job.id}")
    ids = [job.id for job in jobs]
    emit(args.output, ids, ids, lambda: "")
    return exits.DONE


FOLLOW = Command(_follow_arguments, _follow)
WAIT = Command(_wait_arguments, _wait)
CANCEL = Command(_change_arguments, _cancel)
DELETE = Command(_change_arguments, _delete)
