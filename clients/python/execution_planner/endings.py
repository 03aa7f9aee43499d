"""What `wait` makes of a job that did not complete."""

from __future__ import annotations

from .errors import JobAborted, JobFailed
from .job_view import JobView


def raise_for(job: JobView, stderr: str) -> None:
    """Raises for a job that failed or was stopped.

    Args:
        job: A job that has ended.
        stderr: The last lines of what it wrote there.

    Raises:
        JobFailed: It failed.
        JobAborted: It was stopped.
    """
    message = job.error or "no reason is known"
    if job.phase == "ABORTED":
        raise JobAborted(f"Job {job.id} was stopped: {message}", code=_code(job), job=job)
    if job.phase == "ERROR":
        text = f"Job {job.id} failed: {message}"
        raise JobFailed(text, code=_code(job), job=job, stderr=stderr)


def _code(job: JobView) -> str:
    """The service begins a message with the code of what happened."""
    code, colon, _ = (job.error or "").partition(": ")
    plain = code.replace("-", "")
    return code if colon and plain.isascii() and plain.isalpha() and plain.islower() else ""
