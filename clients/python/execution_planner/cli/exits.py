"""What the exit code says, and the sentence beside it."""

from __future__ import annotations

from ..errors import (
    JobAborted,
    JobFailed,
    PlannerError,
    Refused,
    Unauthorized,
    Unreachable,
    WaitTimeout,
)
from .output import say

DONE = 0
JOB_FAILED = 1
USAGE = 2
NO = 3
SERVICE_REFUSED = 4
NO_SERVICE = 5
INTERRUPTED = 130

MEANINGS = {
    DONE: "done",
    JOB_FAILED: "the job failed, was stopped, or was not done in time",
    USAGE: "wrong usage",
    NO: "the planner said NO",
    SERVICE_REFUSED: "the service refused, or the offers have ended",
    NO_SERVICE: "no service",
    INTERRUPTED: "left with Ctrl-C",
}


class Misused(Exception):
    """The words of the command cannot be meant."""


def code_of(error: Exception) -> int | None:
    """The exit code for an error; `None` for one that is a fault of this program."""
    if isinstance(error, Refused):
        return NO
    if isinstance(error, (JobFailed, JobAborted, WaitTimeout)):
        return JOB_FAILED
    if isinstance(error, Unreachable):
        return NO_SERVICE
    if isinstance(error, PlannerError):
        return SERVICE_REFUSED
    # The library refuses words that cannot be meant with these, and says why; Python itself refuses
    # numbers and times that it cannot hold.
    refused = (Misused, ValueError, TypeError, OSError, OverflowError)
    return USAGE if isinstance(error, refused) else None


def explain(error: Exception) -> None:
    """Says on standard error what went wrong."""
    said = str(error)
    if isinstance(error, OSError) and error.filename is not None:
        said = f"{error.filename}: {error.strerror}"
    elif isinstance(error, OverflowError):
        said = f"a number or a time is too large ({error})"
    say(f"execplan: {said}")
    if isinstance(error, Refused) and error.nearest is not None:
        say("`execplan ask` and `execplan run` ask for that with --yes-nearest.")
    if isinstance(error, Unauthorized):
        say("Sign in with `execplan login`, or set PLANNER_TOKEN.")
