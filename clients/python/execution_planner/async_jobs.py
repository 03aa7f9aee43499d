"""Jobs, followed and waited for on an event loop."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from . import running
from .endings import raise_for
from .errors import WaitTimeout
from .following import Lines, following
from .job_view import JobView
from .waiting import current, waiting

if TYPE_CHECKING:
    from .async_results import AsyncResults
    from .service import Service
    from .transport import AsyncRunner


class AsyncJob(JobView):
    """The job of an accepted offer.

    Its properties say what the service said last; `refresh`, `wait` and `follow` ask again.
    """

    def __init__(self, service: Service, runner: AsyncRunner, document: Mapping[str, Any]) -> None:
        super().__init__(service, document)
        self._runner = runner

    async def refresh(self) -> AsyncJob:
        """Reads the job again.

        Returns:
            This job.
        """
        self.document = await self._runner.run(current(self._service, self.id))
        return self

    async def wait(self, timeout: float | None = None, check: bool = True) -> AsyncJob:
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
            self.document = await self._runner.run(plan)
        except WaitTimeout as late:
            late.job = self
            raise
        if check and self.phase != "COMPLETED":
            stderr = ""
            if self.phase == "ERROR":
                stderr = await self._runner.run(running.last_lines(self._service, self.document))
            raise_for(self, stderr)
        return self

    async def follow(self, name: str = "stdout", *, pieces: bool = False) -> AsyncIterator[str]:
        """The lines of a log as the job writes them, from the first one to the end of the job.

        Args:
            name: `stdout` or `stderr`; with several machines `machine-0.stdout` and so on.
            pieces: Text as it comes instead of lines: progress bars move, and line ends stay.

        Yields:
            Lines without their ends. Afterwards the job is refreshed.
        """
        lines = Lines()
        plan = self._kept(following(self._service, self.id, name))
        async with aclosing(self._runner.items(plan)) as said:
            async for piece in said:
                for line in [piece] if pieces else lines.feed(piece):
                    yield line
        for line in lines.end():
            yield line

    @property
    def results(self) -> AsyncResults:
        """The results by name, as the last document of the job has them.

        They are there after `wait`, `follow` or `refresh` of a job that has ended.
        """
        from .async_results import AsyncResults

        return AsyncResults(self._service, self._runner, self.document)

    async def run(self) -> AsyncJob:
        """Starts a job that waits for its client, of `offer.accept(start="client")`.

        Returns:
            This job.
        """
        plan = running.change_phase(self._service, self.id, "RUN", None)
        self.document = await self._runner.run(plan)
        return self

    async def abort(self, why: str | None = None) -> AsyncJob:
        """Stops the job; its results so far stay.

        Args:
            why: For the audit trail.

        Returns:
            This job.
        """
        plan = running.change_phase(self._service, self.id, "ABORT", why)
        self.document = await self._runner.run(plan)
        return self

    async def delete(self, why: str | None = None) -> None:
        """Stops the job, and removes it and its results.

        Args:
            why: For the audit trail.
        """
        await self._runner.run(running.delete(self._service, self.id, why))

    async def to_pyvo(self) -> Any:
        """The job as a `pyvo.io.uws.tree.Job`; with the extra `vo`."""
        from .pyvo_job import parsed

        return parsed(await self._runner.run(running.as_xml(self._service, self.id)))

    def _kept(self, plan: Any) -> Any:
        self.document = yield from plan
