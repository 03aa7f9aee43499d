"""The way in on an event loop: a planner that is asked, and whose jobs are followed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import aclosing
from types import TracebackType
from typing import TYPE_CHECKING, Any

from . import asking, listing
from .addresses import last_of
from .answers import Answer
from .async_administrator import AsyncAdministrator
from .async_jobs import AsyncJob
from .async_offers import AsyncOffer, AsyncOffers
from .async_reader import AsyncReader
from .service import Service
from .transport import AsyncRunner
from .waiting import current

if TYPE_CHECKING:
    from pathlib import Path


__all__ = ["AsyncPlanner"]


class AsyncPlanner(AsyncReader, AsyncAdministrator):
    """A planner, for many jobs at a time on one event loop.

    Args:
        url: Its URL; `PLANNER_URL` by default.
        token: A bearer token; by default `PLANNER_TOKEN`, then what `execplan login` keeps, then
            netrc.
        auth: `(user, password)`, or an `httpx.Auth`, instead of a token.
        timeout: Seconds of silence after which a request is lost.
        retries: How often a request is sent again where that has no second effect. While the
            service is busy, an ask goes on for half a minute, unless this is 0.
        transport: An httpx transport, for tests and special networks.
        verify: `False`, or an `ssl.SSLContext`, for other certificates.

    Raises:
        ValueError: There is no URL, or it is none of a planner.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        token: str | None = None,
        auth: Any = None,
        timeout: float = 30.0,
        retries: int = 3,
        transport: Any = None,
        verify: Any = True,
    ) -> None:
        self._service = Service(
            url,
            token=token,
            auth=auth,
            timeout=timeout,
            retries=retries,
            transport=transport,
            verify=verify,
        )
        self._runner = AsyncRunner(self._service)

    @property
    def url(self) -> str:
        """The URL of the planner, without a slash at its end."""
        return self._service.url

    @property
    def version(self) -> str | None:
        """The version that the service named in its last answer, if it did."""
        return self._service.version

    async def ask(
        self,
        task: Mapping[str, Any] | str | bytes | Path,
        *,
        needs: object = None,
        environment: str | None = None,
        cores: object = None,
        memory: object = None,
        gpu: object = None,
        storage: object = None,
        start: object = None,
        duration: object = None,
        name: str | None = None,
        resources: Mapping[str, Any] | None = None,
        time: object = None,
        costs: Any = None,
        key: str | None = None,
        nearest: bool = True,
        timeout: float | None = None,
    ) -> AsyncOffers:
        """Asks whether a task can run, and when.

        Args:
            task: A task (`notebook(...)`, `python_program(...)`, …), a whole ask, the path of a
                document, a notebook or a program, or the text of a document.
            needs: Packages that a notebook or a Python program imports: `["astropy>=6"]`.
            environment: The Python environment in which it runs.
            cores: A number, at least as many; or `(min, max)`.
            memory: A number of GiB, a text such as `"512MiB"`, a `Quantity`; or `(min, max)`.
            gpu: How many, a type, or `{"type": …, "count": …}`.
            storage: A size for scratch space, a storage item, or a list of them.
            start: A `datetime` with a zone, an ISO 8601 text, or a pair.
            duration: A `timedelta`, a `Quantity`, an ISO 8601 text; or `(min, max)`.
            name: What you call the job.
            resources: The whole `resources` of the document.
            time: The whole `time` of the document.
            costs: What the job may cost at most: `[{"type": …, "max": …}]`.
            key: The Idempotency-Key: under the same one, the planner decides once.
            nearest: Whether a NO says what would be a YES.
            timeout: Seconds of silence after which the request is lost.

        Returns:
            The offers, best first.

        Raises:
            Refused: The planner says NO, with every reason.
            Unauthorized: The credential is missing or wrong.
            Unreachable: No answer came.
        """
        body = await self._document(
            task,
            needs=needs,
            environment=environment,
            cores=cores,
            memory=memory,
            gpu=gpu,
            storage=storage,
            start=start,
            duration=duration,
            name=name,
            resources=resources,
            time=time,
            costs=costs,
        )
        plan = asking.ask(self._service, body, key=key, nearest=nearest, timeout=timeout)
        return AsyncOffers(self._service, self._runner, await self._runner.run(plan))

    async def check(
        self,
        task: Mapping[str, Any] | str | bytes | Path,
        *,
        needs: object = None,
        environment: str | None = None,
        cores: object = None,
        memory: object = None,
        gpu: object = None,
        storage: object = None,
        start: object = None,
        duration: object = None,
        name: str | None = None,
        resources: Mapping[str, Any] | None = None,
        time: object = None,
        costs: Any = None,
        nearest: bool = True,
        timeout: float | None = None,
    ) -> Answer[AsyncOffers]:
        """Asks what the answer would be, and holds nothing. The words are those of `ask`.

        Returns:
            The answer, true for a YES; a NO is no exception.
        """
        body = await self._document(
            task,
            needs=needs,
            environment=environment,
            cores=cores,
            memory=memory,
            gpu=gpu,
            storage=storage,
            start=start,
            duration=duration,
            name=name,
            resources=resources,
            time=time,
            costs=costs,
        )
        plan = asking.check(self._service, body, nearest=nearest, timeout=timeout)
        answer, later = await self._runner.run(plan)
        return Answer(answer, AsyncOffers(self._service, self._runner, answer), later)

    async def job(self, ident: str) -> AsyncJob:
        """A job by its identifier or its URL.

        Raises:
            PlannerError: There is none, or it is not yours.
        """
        plan = current(self._service, last_of(ident, "jobs", self.url))
        return AsyncJob(self._service, self._runner, await self._runner.run(plan))

    async def jobs(
        self,
        *,
        phase: str | Iterable[str] | None = None,
        destination: str | Iterable[str] | None = None,
        name: str | None = None,
        after: object = None,
        before: object = None,
        ended_after: object = None,
        owner: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[AsyncJob]:
        """Your jobs, the newest first, read page by page while you iterate.

        Args:
            phase: Jobs in this phase, or in one of several.
            destination: Jobs at this destination, or at one of several.
            name: Jobs with this text in their name.
            after: Jobs made after this time, a `datetime` with a zone or an ISO 8601 text.
            before: Jobs made before this time.
            ended_after: Jobs that ended after this time.
            owner: For administrators, the jobs of this user, and with `*` those of everybody.
            limit: The most jobs.
        """
        plan = listing.jobs(
            self._service,
            phase=phase,
            destination=destination,
            name=name,
            after=after,
            before=before,
            ended_after=ended_after,
            owner=owner,
            limit=limit,
        )
        async with aclosing(self._runner.items(plan)) as documents:
            async for document in documents:
                yield AsyncJob(self._service, self._runner, document)

    async def offer(self, ident: str) -> AsyncOffer:
        """An offer by its identifier or its URL."""
        plan = asking.offer(self._service, last_of(ident, "offers", self.url))
        return AsyncOffer(self._service, self._runner, await self._runner.run(plan))

    async def offers(
        self,
        *,
        status: str | Iterable[str] | None = "OFFERED",
        destination: str | Iterable[str] | None = None,
        owner: str | None = None,
    ) -> AsyncOffers:
        """Your offers, those of the latest ask first.

        Args:
            status: By default what can still be accepted; None for all.
            destination: AsyncOffers at this destination, or at one of several.
            owner: For administrators, the offers of this user, and with `*` those of everybody.
        """
        plan = listing.offers(self._service, status, destination, owner)
        documents = [one async for one in self._runner.items(plan)]
        return AsyncOffers(self._service, self._runner, {"offers": documents})

    async def close(self) -> None:
        """Closes all connections."""
        await self._runner.close()

    async def __aenter__(self) -> AsyncPlanner:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<AsyncPlanner {self.url}>"

    async def _document(self, task: Any, **words: Any) -> Mapping[str, Any] | bytes:
        from .machines import needs_gpu_types
        from .tasks import document

        types = (await self.site())["gpu-types"] if needs_gpu_types(words["gpu"]) else ()
        return document(task, gpu_types=types, **words)
