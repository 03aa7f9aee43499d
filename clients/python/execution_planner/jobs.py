"""Jobs, followed and waited for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from . import running
from .endings import raise_for
from .errors import WaitTimeout
from .following import Lines, following
from .job_view import JobView
from .waiting import current, waiting

if TYPE_CHECKING:
    from .results import Results
    from .service import Service
    from .transport import Runner


class Job(JobView):
    """The job of an accepted offer.

    Its properties say what the service said last; `refresh`, `wait` and `follow` ask again.
    """

    def __init__(self, service: Service, runner: Runner, document: Mapping[str, Any]) -> None:
        super().__init__(service, document)
        self._runner = runner

    def refresh(self) -> Job:
        """Reads the job again.

        Returns:
            This job.
        """
        self.document = self._runner.run(current(self._service, self.id))
        return self

    def wait(self, timeout: float | None = None, check: bool = True) -> Job:
        """Waits for the end of the job. A lost connection does not end it.

        Args:
            timeout: Seconds for all of it.
            check: Whether a job that did not complete is an exception.

        Returns:
            This job.

        Raises:
            WaitTimeout: The job goes on after that time.
            JobFailed: It failed.
            JobAborted: It was stopped.
        """
        try:
            plan = waiting(self._service, self.id, self.phase, timeout)
            self.document = self._runner.run(plan)
        except WaitTimeout as late:
            late.job = self
            raise
        if check and self.phase != "COMPLETED":
            stderr = ""
            if self.phase == "ERROR":
                stderr = self._runner.run(running.last_lines(self._service, self.document))
            raise_for(self, stderr)
        return self

    def follow(self, name: str = "stdout", *, pieces: bool = False) -> Iterator[str]:
        """The lines of a log as the job writes them, from the first one to the end of the job.

        Args:
            name: `stdout` or `stderr`; with several machines `machine-0.stdout` and so on.
            pieces: Text as it comes instead of lines: progress bars move, and line ends stay.

        Yields:
            Lines without their ends. Afterwards the job is refreshed.
        """
        lines = Lines()
        plan = self._kept(following(self._service, self.id, name))
        for piece in self._runner.items(plan):
            if pieces:
                yield piece
            else:
                yield from lines.feed(piece)
        yield from lines.end()

    @property
    def results(self) -> Results:
        """The results by name; none before the job has ended."""
        from .results import Results

        if not self.ended or self._is_line():
            self.refresh()
        return Results(self._service, self._runner, self.document)

    def run(self) -> Job:
        """Starts a job that waits for its client, of `offer.accept(start="client")`.

        Returns:
            This job.
        """
        plan = running.change_phase(self._service, self.id, "RUN", None)
        self.document = self._runner.run(plan)
        return self

    def abort(self, why: str | None = None) -> Job:
        """Stops the job; its results so far stay.

        Args:
            why: For the audit trail.

        Returns:
            This job.
        """
        plan = running.change_phase(self._service, self.id, "ABORT", why)
        self.document = self._runner.run(plan)
        return self

    def delete(self, why: str | None = None) -> None:
        """Stops the job, and removes it and its results.

        Args:
            why: For the audit trail.
        """
        self._runner.run(running.delete(self._service, self.id, why))

    def to_pyvo(self) -> Any:
        """The job as a `pyvo.io.uws.tree.Job`; with the extra `vo`."""
        from .pyvo_job import parsed

        return parsed(self._runner.run(running.as_xml(self._service, self.id)))

    def _kept(self, plan: Any) -> Any:
        self.document = yield from plan
