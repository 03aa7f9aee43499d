"""What comes after an offer was accepted: the log, the end, the results."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, TextIO

from ..times import duration_words, instant_words
from . import exits
from .idents import short
from .output import emit, say

if TYPE_CHECKING:
    from ..jobs import Job
    from .session import Session


def add_detach(parser: ArgumentParser) -> None:
    """Whether to follow the job."""
    parser.add_argument("--detach", action="store_true", help="accept, and do not follow the job")


def carry_on(job: Job, args: Namespace, session: Session) -> int:
    """Follows an accepted job to its end, or only names it.

    Raises:
        JobFailed: It failed.
        JobAborted: It was stopped.
    """
    say(f"accepted; job {job.id}")
    if args.detach:
        show_job(job, args.output)
        if args.output == "table":
            say(f"follow it: {session.command('follow', short(job.id))}")
        return exits.DONE
    follow(job, session, to=sys.stdout if args.output == "table" else sys.stderr)
    if args.output != "table":
        show_job(job, args.output)
    return exits.DONE


def follow(job: Job, session: Session, *, to: TextIO, name: str = "stdout") -> None:
    """Prints the log while the job runs, and says how it ended.

    Raises:
        JobFailed: It failed.
        JobAborted: It was stopped.
    """
    try:
        _say_when(job)
        last = "\n"
        for piece in job.follow(name, pieces=True):
            to.write(piece)
            to.flush()
            last = piece[-1:] or last
        if last != "\n":
            to.write("\n")
            to.flush()
        job.wait()
    except KeyboardInterrupt:
        ident = short(job.id)
        say(f"\nThe job goes on. Come back: {session.command('follow', ident)}")
        say(f"Stop it: {session.command('cancel', ident)}")
        raise
    say(f"completed{_took(job)}; results: {session.command('results', short(job.id))}")


def show_job(job: Job, form: str) -> None:
    """Prints one job."""
    from ..show import jobs_table

    emit(form, job.document, [job.id], lambda: jobs_table([job]))


def _say_when(job: Job) -> None:
    if job.ended or job.phase == "EXECUTING":
        return
    place = "" if job.queue_position is None else f", number {job.queue_position} in the queue"
    begin = "" if job.offered_start is None else f" from {instant_words(job.offered_start)}"
    say(f"{job.phase.lower()} at {job.destination or 'its destination'}{begin}{place}")


def _took(job: Job) -> str:
    if job.start is None or job.end is None:
        return ""
    return f" in {duration_words(job.end - job.start)}"
