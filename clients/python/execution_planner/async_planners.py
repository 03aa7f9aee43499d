"""Several planners as one, on an event loop: all are asked at the same time, one gets the task."""

from __future__ import annotations

import warnings
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, overload

from . import many
from .async_jobs import AsyncJob
from .async_many_offers import AsyncManyOffers
from .async_offers import AsyncOffers
from .async_planner import AsyncPlanner
from .errors import PlannerError
from .gathering import gathered
from .many_answers import ManyAnswers
from .many_view import PlannersWarning
from .service import require_one_owner
from .together import Outcome

if TYPE_CHECKING:
    from .calendar import Calendar

Value = TypeVar("Value")


class AsyncPlanners(Sequence[AsyncPlanner]):
    """Several planners.

    Args:
        planners: URLs, or `AsyncPlanner`s with credentials and settings of their own.
        timeout: Seconds after which a planner that has not answered is left out. Giving back
            takes no longer either.

    Attributes:
        names: A short name for each planner.
    """

    def __init__(self, planners: Iterable[str | AsyncPlanner], *, timeout: float = 15.0) -> None:
        if isinstance(planners, str):
            raise TypeError(f"Planners: {planners!r} is one text. Give a list of URLs.")
        planners = list(planners)
        require_one_owner(one for one in planners if isinstance(one, str))
        self._planners = [
            one if isinstance(one, AsyncPlanner) else AsyncPlanner(one) for one in planners
        ]
        self.names = many.names_of([planner.url for planner in self._planners])
        self.timeout = timeout

    async def ask(
        self,
        task: Mapping[str, Any] | str | bytes | Path,
        *,
        timeout: float | None = None,
        **words: Any,
    ) -> AsyncManyOffers:
        """Asks all planners at the same time.

        Args:
            task: As in `AsyncPlanner.ask`.
            timeout: Seconds after which a planner that has not answered is left out; if it says
                YES later, its offers are given back.
            words: Those of `AsyncPlanner.ask`.

        Returns:
            The offers of all, the soonest first. A planner that offers nothing is a note below
            them.

        Raises:
            AllRefused: No planner says YES, and at least one says NO. It is a `Refused`.
            Unreachable: No planner answers.
        """
        seconds = self.timeout if timeout is None else timeout
        calls = {name: partial(planner.ask, task, timeout=seconds, **words)
                 for name, planner in self._named()}  # fmt: skip
        outcomes = await gathered(calls, seconds, late=_give_back)
        offers = {name: found.value for name, found in outcomes.items() if found.value is not None}
        errors = {name: found.error for name, found in outcomes.items() if found.error is not None}
        late = {name: seconds for name in self.names if name not in outcomes}
        if not offers:
            raise many.no_yes(errors, late) from None
        return AsyncManyOffers(offers, errors, many.notes_of(errors, late), self.timeout)

    async def check(
        self,
        task: Mapping[str, Any] | str | bytes | Path,
        *,
        timeout: float | None = None,
        **words: Any,
    ) -> ManyAnswers[AsyncOffers]:
        """Asks all planners what their answer would be, and holds nothing.

        Args:
            task: As in `AsyncPlanner.ask`.
            timeout: Seconds after which a planner that has not answered is left out.
            words: Those of `AsyncPlanner.check`.

        Returns:
            The answers by the names of the planners, true if one is YES. A planner that gives
            none is a note.

        Raises:
            Unreachable: No planner answers.
        """
        seconds = self.timeout if timeout is None else timeout
        calls = {name: partial(planner.check, task, timeout=seconds, **words)
                 for name, planner in self._named()}  # fmt: skip
        outcomes = await gathered(calls, seconds)
        return ManyAnswers(*many.answers_of(outcomes, self.names, seconds))

    async def jobs(self, *, limit: int | None = None, **filters: Any) -> AsyncIterator[AsyncJob]:
        """Jobs at all planners, the newest first.

        A planner that does not answer is a `PlannersWarning`.

        Args:
            limit: The most jobs of all planners together.
            filters: Those of `AsyncPlanner.jobs`.
        """
        lists = {name: planner.jobs(limit=limit, **filters) for name, planner in self._named()}
        firsts = await gathered({name: partial(_first, jobs) for name, jobs in lists.items()},
                          self.timeout)  # fmt: skip
        streams = []
        for name, jobs in lists.items():
            outcome = firsts.get(name)
            if outcome is None:
                _warn(f"{name}: no answer within {self.timeout:g} s")
            elif outcome.error is not None:
                if not isinstance(outcome.error, PlannerError):
                    raise outcome.error
                _warn(f"{name}: {outcome.error}")
            elif outcome.value:
                streams.append(_rest(name, outcome.value[0], jobs))
        number = 0
        async for job in _merged(streams):
            if limit is not None and number >= limit:
                return
            number += 1
            yield job

    async def job(self, ident: str) -> AsyncJob:
        """A job by its URL; or by its identifier, which all planners are asked for.

        Raises:
            PlannerError: No planner has it.
        """
        for planner in self._planners:
            if ident.startswith(f"{planner.url}/"):
                return await planner.job(ident)
        calls = {name: partial(planner.job, ident) for name, planner in self._named()}
        outcomes = await gathered(calls, self.timeout)
        for outcome in outcomes.values():
            if outcome.value is not None:
                return outcome.value
        errors = {name: out.error for name, out in outcomes.items() if out.error is not None}
        said = "; ".join(f"{name}: {error}" for name, error in errors.items())
        raise PlannerError(f"No planner has the job {ident}. {said}", code="job-unknown")

    async def offers(self, **filters: Any) -> dict[str, AsyncOffers]:
        """Your offers at each planner, by its name.

        A planner that does not answer is a `PlannersWarning`. Accepting one of the offers gives
        back none of other planners.

        Args:
            filters: Those of `AsyncPlanner.offers`.

        Raises:
            Unreachable: No planner answers.
        """
        calls = {name: partial(planner.offers, **filters) for name, planner in self._named()}
        return self._found(await gathered(calls, self.timeout))

    async def calendar(self, **words: Any) -> dict[str, Calendar]:
        """What is free over time at each planner, by its name.

        A planner that does not answer is a `PlannersWarning`.

        Args:
            words: Those of `AsyncPlanner.calendar`.

        Raises:
            Unreachable: No planner answers.
        """
        calls = {name: partial(planner.calendar, **words) for name, planner in self._named()}
        return self._found(await gathered(calls, self.timeout))

    async def close(self) -> None:
        """Closes the connections of all planners."""
        for planner in self._planners:
            await planner.close()

    def _named(self) -> list[tuple[str, AsyncPlanner]]:
        return list(zip(self.names, self._planners, strict=True))

    def _found(self, outcomes: Mapping[str, Outcome[Value]]) -> dict[str, Value]:
        """What the planners returned; a warning names the line that many calls up."""
        found, notes = many.answers_of(outcomes, self.names, self.timeout)
        for note in notes:
            _warn(note, depth=4)
        return found

    @overload
    def __getitem__(self, index: int) -> AsyncPlanner: ...

    @overload
    def __getitem__(self, index: slice) -> list[AsyncPlanner]: ...

    def __getitem__(self, index: int | slice) -> AsyncPlanner | list[AsyncPlanner]:
        return self._planners[index]

    def __len__(self) -> int:
        return len(self._planners)

    async def __aenter__(self) -> AsyncPlanners:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<AsyncPlanners {', '.join(self.names)}>"


async def _give_back(offers: AsyncOffers) -> None:
    try:
        await offers.reject("the client had stopped waiting")
    except PlannerError:
        # Nobody waits for them any more, and they expire by themselves.
        return


async def _first(jobs: AsyncIterator[AsyncJob]) -> list[AsyncJob]:
    found = await anext(jobs, None)
    return [] if found is None else [found]


async def _rest(
    name: str, first: AsyncJob, others: AsyncIterator[AsyncJob]
) -> AsyncIterator[AsyncJob]:
    yield first
    try:
        async for job in others:
            yield job
    except PlannerError as error:
        _warn(f"{name}: the list ends here, {error}")


async def _merged(streams: Sequence[AsyncIterator[AsyncJob]]) -> AsyncIterator[AsyncJob]:
    """The jobs of lists that have the newest first, the newest of all first."""
    heads = [(job, stream) for stream in streams for job in await _first(stream)]
    while heads:
        newest = max(heads, key=lambda head: _created(head[0]))
        heads.remove(newest)
        yield newest[0]
        heads += [(job, newest[1]) for job in await _first(newest[1])]


def _created(job: AsyncJob) -> datetime:
    return job.created or datetime.min.replace(tzinfo=timezone.utc)


def _warn(text: str, depth: int = 3) -> None:
    warnings.warn(text, PlannersWarning, stacklevel=depth)
